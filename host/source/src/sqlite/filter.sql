-- The short values of top-level fields, spelled so that the order of their bytes is the order of the values: what
-- filters look up. One row for each value, two for a moment. The table is its own index.
CREATE TABLE filter_value (
    scope INTEGER NOT NULL, top TEXT NOT NULL, value BLOB NOT NULL, rec INTEGER NOT NULL,
    PRIMARY KEY (scope, top, value, rec)) WITHOUT ROWID;
CREATE INDEX filter_value_by_record ON filter_value (rec, top);
