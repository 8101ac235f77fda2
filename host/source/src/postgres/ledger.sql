-- Version 2: the disclosure ledger, as in ../sqlite/ledger.sql.
CREATE TABLE disclosure (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at BIGINT NOT NULL, grant_id TEXT COLLATE "C" NOT NULL,
    client TEXT NOT NULL, tool TEXT NOT NULL, connection TEXT COLLATE "C", stream TEXT COLLATE "C", rid TEXT COLLATE "C",
    field TEXT, span_unit BIGINT, span_start BIGINT, span_end BIGINT, bytes BIGINT NOT NULL, tier TEXT, erased BIGINT);
CREATE INDEX disclosure_by_time ON disclosure (at, id);
CREATE INDEX disclosure_erased ON disclosure (erased) WHERE erased IS NOT NULL;
CREATE TABLE disclosure_tombstone (
    id BIGINT PRIMARY KEY, erased_at BIGINT NOT NULL, reason BIGINT NOT NULL, entries BIGINT NOT NULL,
    bytes BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL);
