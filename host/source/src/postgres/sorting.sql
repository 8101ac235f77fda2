-- The texts that are too long for the index of values, as in ../sqlite/sorting.sql.
CREATE INDEX field_middling_text ON field (top, rec)
    WHERE nested = 0 AND kind = 0 AND chars > 256 AND chars <= 4096;
