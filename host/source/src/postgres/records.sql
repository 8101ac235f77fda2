-- Version 4: when records were emitted, what changed when, and values to find records by, as in ../sqlite/records.sql.
ALTER TABLE scope ADD COLUMN cursor_field TEXT COLLATE "C";
UPDATE scope SET cursor_field = CAST(manifest AS JSON) ->> 'cursor_field'
    WHERE manifest IS NOT NULL AND json_typeof(CAST(manifest AS JSON) -> 'cursor_field') = 'string';

ALTER TABLE record ADD COLUMN emitted BIGINT NOT NULL DEFAULT 0;
UPDATE record SET emitted = CASE WHEN s.cursor_field IS NULL THEN record.time ELSE c.created_at END
    FROM scope s JOIN connection c ON c.id = s.connection WHERE s.id = record.scope;
CREATE INDEX record_by_emission ON record (scope, emitted, rid);

ALTER TABLE record ADD COLUMN period BIGINT NOT NULL DEFAULT 0;
CREATE INDEX record_by_revision ON record (scope, revision);
ALTER TABLE field ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
CREATE TABLE former_record (
    scope BIGINT NOT NULL, rid TEXT COLLATE "C" NOT NULL, began BIGINT NOT NULL, ended BIGINT NOT NULL, consent_time BIGINT,
    PRIMARY KEY (scope, rid, ended));
CREATE INDEX former_record_by_end ON former_record (scope, ended);
CREATE TABLE former_field (rec BIGINT NOT NULL, top TEXT COLLATE "C" NOT NULL, revision BIGINT NOT NULL, PRIMARY KEY (rec, top));
CREATE TABLE mark (scope BIGINT NOT NULL, revision BIGINT NOT NULL, at BIGINT NOT NULL, mark BYTEA NOT NULL,
    PRIMARY KEY (scope, revision));
CREATE UNIQUE INDEX mark_by_name ON mark (scope, mark);

CREATE INDEX field_by_value ON field (top, sha256) WHERE nested = 0 AND kind IN (0, 2);
