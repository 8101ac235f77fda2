-- Finds the texts that stand in their field's row and are too long for the index of values: a stream that has one of a field
-- is walked to be sorted by it. The Postgres spelling is the same.
CREATE INDEX field_middling_text ON field (top, rec)
    WHERE nested = 0 AND kind = 0 AND chars > 256 AND chars <= 4096;
