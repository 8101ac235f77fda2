-- Version 7, as ../sqlite/words.sql.
ALTER TABLE unit ADD COLUMN top TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE unit SET top = f.top FROM field f WHERE f.id = unit.field;
CREATE INDEX unit_of_long_text ON unit (scope, rec, top) WHERE char_start > 0;
