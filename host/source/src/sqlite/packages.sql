-- Version 5: what a grant says beside what it covers, packages of grants, and labels of tokens. The Postgres spelling stands
-- in ../postgres/packages.sql.

-- Labels, `retention` and `source` as JSON. Nothing is decided by them.
ALTER TABLE grants ADD COLUMN purpose_code TEXT;
ALTER TABLE grants ADD COLUMN retention TEXT;
ALTER TABLE grants ADD COLUMN source TEXT;
-- When the one token of a single-use grant was issued.
ALTER TABLE grants ADD COLUMN consumed_at INTEGER;

-- A package covers nothing itself: every statement names one of its grants.
CREATE TABLE package (id TEXT PRIMARY KEY, client TEXT NOT NULL, issued_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER);
CREATE TABLE package_grant (
    package_id TEXT NOT NULL REFERENCES package (id), grant_id TEXT NOT NULL REFERENCES grants (id),
    PRIMARY KEY (package_id, grant_id));

ALTER TABLE token ADD COLUMN package_id TEXT REFERENCES package (id);
ALTER TABLE token ADD COLUMN label TEXT;
