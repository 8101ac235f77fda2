-- Version 5: what a grant says beside what it covers, packages of grants, and labels of tokens, as in ../sqlite/packages.sql.
ALTER TABLE grants ADD COLUMN purpose_code TEXT;
ALTER TABLE grants ADD COLUMN retention TEXT;
ALTER TABLE grants ADD COLUMN source TEXT;
ALTER TABLE grants ADD COLUMN consumed_at BIGINT;

CREATE TABLE package (
    id TEXT COLLATE "C" PRIMARY KEY, client TEXT NOT NULL, issued_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT);
CREATE TABLE package_grant (
    package_id TEXT COLLATE "C" NOT NULL REFERENCES package (id), grant_id TEXT COLLATE "C" NOT NULL REFERENCES grants (id),
    PRIMARY KEY (package_id, grant_id));

ALTER TABLE token ADD COLUMN package_id TEXT COLLATE "C" REFERENCES package (id);
ALTER TABLE token ADD COLUMN label TEXT;
