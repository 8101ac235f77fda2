-- Version 4: when records were emitted, what changed when, and values to find records by. The Postgres spelling stands in
-- ../postgres/records.sql.

-- The field whose value `record.time` holds. A grant that does not name it must not learn of that order.
ALTER TABLE scope ADD COLUMN cursor_field TEXT;
UPDATE scope SET cursor_field = json_extract(manifest, '$.cursor_field')
    WHERE manifest IS NOT NULL AND json_type(manifest, '$.cursor_field') = 'text';

-- When a record was first emitted. What was stored before kept one time only, and where that is a field's value, the moment
-- at which the connection was made known stands for it.
ALTER TABLE record ADD COLUMN emitted INTEGER NOT NULL DEFAULT 0;
UPDATE record SET emitted = (
    SELECT CASE WHEN s.cursor_field IS NULL THEN record.time ELSE c.created_at END
    FROM scope s JOIN connection c ON c.id = s.connection WHERE s.id = record.scope);
CREATE INDEX record_by_emission ON record (scope, emitted, rid);

-- Since which revision of its stream a record has had its consent time, and a field its value. What is from before has 0.
ALTER TABLE record ADD COLUMN period INTEGER NOT NULL DEFAULT 0;
CREATE INDEX record_by_revision ON record (scope, revision);
ALTER TABLE field ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
-- A stretch of revisions in which a key had a record with another consent time than now, or one that is gone.
CREATE TABLE former_record (
    scope INTEGER NOT NULL, rid TEXT NOT NULL, began INTEGER NOT NULL, ended INTEGER NOT NULL, consent_time INTEGER,
    PRIMARY KEY (scope, rid, ended));
CREATE INDEX former_record_by_end ON former_record (scope, ended);
-- A field that a record no longer has.
CREATE TABLE former_field (rec INTEGER NOT NULL, top TEXT NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (rec, top));
-- A name of chance for each revision: a client that holds one learns nothing about how many there were.
CREATE TABLE mark (scope INTEGER NOT NULL, revision INTEGER NOT NULL, at INTEGER NOT NULL, mark BLOB NOT NULL,
    PRIMARY KEY (scope, revision));
CREATE UNIQUE INDEX mark_by_name ON mark (scope, mark);

-- Finds the records that hold a value, by its digest: values are of any length, and index entries are not.
CREATE INDEX field_by_value ON field (top, sha256) WHERE nested = 0 AND kind IN (0, 2);
