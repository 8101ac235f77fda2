-- Version 7: which field a searchable chunk belongs to stands beside it, so that a search need not read the rows of fields,
-- which hold their texts; and the chunks of long texts, which few records have, are found without looking at all. The
-- Postgres spelling stands in ../postgres/words.sql.
ALTER TABLE unit ADD COLUMN top TEXT NOT NULL DEFAULT '';
UPDATE unit SET top = COALESCE((SELECT f.top FROM field f WHERE f.id = unit.field), '');
CREATE INDEX unit_of_long_text ON unit (scope, rec, top) WHERE char_start > 0;
