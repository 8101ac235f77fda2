-- Version 1. See docs/store.md for the reasons; the Postgres spelling stands in ../postgres/schema.sql.
CREATE TABLE sealing_key (id INTEGER PRIMARY KEY, secret BLOB NOT NULL, created_at INTEGER NOT NULL);

CREATE TABLE connection (id TEXT PRIMARY KEY, connector TEXT, label TEXT, created_at INTEGER NOT NULL);
CREATE TABLE scope (
    id INTEGER PRIMARY KEY, connection TEXT NOT NULL REFERENCES connection (id), stream TEXT NOT NULL,
    manifest TEXT, revision INTEGER NOT NULL, UNIQUE (connection, stream));
CREATE TABLE scope_field (scope INTEGER NOT NULL, field TEXT NOT NULL, kinds INTEGER NOT NULL, PRIMARY KEY (scope, field));

CREATE TABLE record (
    id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, rid TEXT NOT NULL, time INTEGER NOT NULL, consent_time INTEGER,
    sha256 BLOB NOT NULL, revision INTEGER NOT NULL, UNIQUE (scope, rid));
CREATE INDEX record_by_time ON record (scope, time, rid);

-- One row for each top-level field, and for each long value nested in one. No column mixes fields.
CREATE TABLE field (
    id INTEGER PRIMARY KEY, rec INTEGER NOT NULL, top TEXT NOT NULL, pointer TEXT NOT NULL, nested INTEGER NOT NULL,
    kind INTEGER NOT NULL, chars INTEGER, bytes INTEGER NOT NULL, sha256 BLOB NOT NULL, mime TEXT, file_name TEXT,
    nul_as INTEGER, part_start INTEGER, inline TEXT, UNIQUE (rec, pointer));
-- A rowid table with a unique index: WITHOUT ROWID would read eight times the bytes.
CREATE TABLE seg (field INTEGER NOT NULL, char_start INTEGER NOT NULL, chars INTEGER NOT NULL, text TEXT NOT NULL,
    UNIQUE (field, char_start));

-- One row for each searchable chunk. The index keeps words only, no text and no positions: places are found in the chunk.
CREATE TABLE unit (id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, rec INTEGER NOT NULL, field INTEGER NOT NULL, char_start INTEGER NOT NULL);
CREATE INDEX unit_by_record ON unit (rec);
CREATE VIRTUAL TABLE unit_words USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE blob (sha256 BLOB PRIMARY KEY, bytes INTEGER NOT NULL);
CREATE TABLE blob_part (sha256 BLOB NOT NULL, byte_start INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (sha256, byte_start));

CREATE TABLE grants (
    id TEXT PRIMARY KEY, client TEXT NOT NULL, subject TEXT NOT NULL, purpose TEXT, access_mode TEXT NOT NULL,
    issued_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER);
CREATE TABLE grant_scope (
    grant_id TEXT NOT NULL REFERENCES grants (id), scope INTEGER NOT NULL REFERENCES scope (id),
    since INTEGER, until INTEGER, listed INTEGER NOT NULL, PRIMARY KEY (grant_id, scope));
CREATE TABLE grant_field (grant_id TEXT NOT NULL, scope INTEGER NOT NULL, field TEXT NOT NULL,
    PRIMARY KEY (grant_id, scope, field));
CREATE TABLE grant_resource (grant_id TEXT NOT NULL, scope INTEGER NOT NULL, rid TEXT NOT NULL,
    PRIMARY KEY (grant_id, scope, rid));
CREATE TABLE token (
    sha256 BLOB PRIMARY KEY, kind INTEGER NOT NULL, grant_id TEXT REFERENCES grants (id),
    created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER);
