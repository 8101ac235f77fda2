-- Version 1. The same tables as ../sqlite/schema.sql in Postgres's spelling. Names compare by code point (COLLATE "C"),
-- so that both engines agree on order and equality whatever the database's locale is.
CREATE TABLE meta (version BIGINT NOT NULL);
INSERT INTO meta VALUES (0);
CREATE TABLE sealing_key (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, secret BYTEA NOT NULL, created_at BIGINT NOT NULL);

CREATE TABLE connection (id TEXT COLLATE "C" PRIMARY KEY, connector TEXT, label TEXT, created_at BIGINT NOT NULL);
CREATE TABLE scope (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, connection TEXT COLLATE "C" NOT NULL REFERENCES connection (id),
    stream TEXT COLLATE "C" NOT NULL, manifest TEXT, revision BIGINT NOT NULL, UNIQUE (connection, stream));
CREATE TABLE scope_field (scope BIGINT NOT NULL, field TEXT COLLATE "C" NOT NULL, kinds BIGINT NOT NULL, PRIMARY KEY (scope, field));

CREATE TABLE record (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, scope BIGINT NOT NULL, rid TEXT COLLATE "C" NOT NULL,
    time BIGINT NOT NULL, consent_time BIGINT, sha256 BYTEA NOT NULL, revision BIGINT NOT NULL, UNIQUE (scope, rid));
CREATE INDEX record_by_time ON record (scope, time, rid);

CREATE SEQUENCE field_id;
CREATE TABLE field (
    id BIGINT PRIMARY KEY, rec BIGINT NOT NULL, top TEXT COLLATE "C" NOT NULL, pointer TEXT COLLATE "C" NOT NULL,
    nested BIGINT NOT NULL, kind BIGINT NOT NULL, chars BIGINT, bytes BIGINT NOT NULL, sha256 BYTEA NOT NULL, mime TEXT,
    file_name TEXT, nul_as BIGINT, part_start BIGINT, inline TEXT, UNIQUE (rec, pointer));
CREATE TABLE seg (field BIGINT NOT NULL, char_start BIGINT NOT NULL, chars BIGINT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (field, char_start));

CREATE TABLE unit (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, scope BIGINT NOT NULL, rec BIGINT NOT NULL, field BIGINT NOT NULL,
    char_start BIGINT NOT NULL, words TSVECTOR NOT NULL);
CREATE INDEX unit_by_record ON unit (rec);
CREATE INDEX unit_words ON unit USING GIN (words);

CREATE TABLE blob (sha256 BYTEA PRIMARY KEY, bytes BIGINT NOT NULL);
CREATE TABLE blob_part (sha256 BYTEA NOT NULL, byte_start BIGINT NOT NULL, data BYTEA NOT NULL, PRIMARY KEY (sha256, byte_start));
-- Attachments are compressed already; trying again costs time and saves nothing.
ALTER TABLE blob_part ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE grants (
    id TEXT COLLATE "C" PRIMARY KEY, client TEXT NOT NULL, subject TEXT NOT NULL, purpose TEXT, access_mode TEXT NOT NULL,
    issued_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT);
CREATE TABLE grant_scope (
    grant_id TEXT COLLATE "C" NOT NULL REFERENCES grants (id), scope BIGINT NOT NULL REFERENCES scope (id),
    since BIGINT, until BIGINT, listed BIGINT NOT NULL, PRIMARY KEY (grant_id, scope));
CREATE TABLE grant_field (grant_id TEXT COLLATE "C" NOT NULL, scope BIGINT NOT NULL, field TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (grant_id, scope, field));
CREATE TABLE grant_resource (grant_id TEXT COLLATE "C" NOT NULL, scope BIGINT NOT NULL, rid TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (grant_id, scope, rid));
CREATE TABLE token (
    sha256 BYTEA PRIMARY KEY, kind BIGINT NOT NULL, grant_id TEXT COLLATE "C" REFERENCES grants (id),
    created_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT);
