-- The short values of top-level fields, as in ../sqlite/filter.sql.
CREATE TABLE filter_value (
    scope BIGINT NOT NULL, top TEXT COLLATE "C" NOT NULL, value BYTEA NOT NULL, rec BIGINT NOT NULL,
    PRIMARY KEY (scope, top, value, rec));
CREATE INDEX filter_value_by_record ON filter_value (rec, top);
