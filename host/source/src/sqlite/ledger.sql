-- Version 2: the disclosure ledger. The Postgres spelling stands in ../postgres/ledger.sql.
-- One index and no more: every read pays for it, and only an owner who looks back gains from a second one.
CREATE TABLE disclosure (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, grant_id TEXT NOT NULL, client TEXT NOT NULL, tool TEXT NOT NULL,
    connection TEXT, stream TEXT, rid TEXT, field TEXT, span_unit INTEGER, span_start INTEGER, span_end INTEGER,
    bytes INTEGER NOT NULL, tier TEXT, erased INTEGER);
CREATE INDEX disclosure_by_time ON disclosure (at, id);
-- Entries that are being removed; outside of a transaction there are none.
CREATE INDEX disclosure_erased ON disclosure (erased) WHERE erased IS NOT NULL;
CREATE TABLE disclosure_tombstone (
    id INTEGER PRIMARY KEY, erased_at INTEGER NOT NULL, reason INTEGER NOT NULL, entries INTEGER NOT NULL,
    bytes INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL);
