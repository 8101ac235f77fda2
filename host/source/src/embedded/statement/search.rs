//! Parts of the statements that find records by their words.

/// As [`known_time!`], worked out once for a statement and not again for every record: it names the grant and the stream itself.
macro_rules! found_time {
    () => {
        "CASE WHEN (SELECT COUNT(*) FROM scope k WHERE k.id = ?3 AND (k.cursor_field IS NULL OR EXISTS (
             SELECT 1 FROM grant_field gt
             WHERE gt.grant_id = ?1 AND gt.scope = ?3 AND gt.field = k.cursor_field))) > 0
           THEN r.time ELSE r.emitted END "
    };
}

/// The records of a stream, newest first, that have all the words and none of the excluded ones. The sub-queries name the
/// grant themselves, so that each is worked out once and not again for every record. On Postgres it is [`search_postgres!`].
macro_rules! search {
    ($record:expr) => {
        concat!(
            "SELECT r.id, r.rid, ",
            found_time!(),
            ", r.emitted ",
            under_grant!(),
            $record,
            " = s.id AND ",
            record_in_sight!(),
            grant_counts!(),
            "AND s.id = ?3
             AND (",
            found_time!(),
            " < ?4 OR (",
            found_time!(),
            " = ?4 AND (CAST(?6 AS BIGINT) > 0 OR (CAST(?6 AS BIGINT) = 0 AND r.rid < ?5))))
             AND r.id IN (",
            words_sqlite!("?8"),
            ")
             AND (CAST(?9 AS TEXT) IS NULL OR r.id IN (",
            words_sqlite!("?9"),
            "))
             AND (CAST(?10 AS TEXT) IS NULL OR r.id IN (",
            words_sqlite!("?10"),
            "))
             AND (CAST(?11 AS TEXT) IS NULL OR r.id IN (",
            words_sqlite!("?11"),
            "))
             AND (CAST(?12 AS TEXT) IS NULL OR r.id IN (",
            words_sqlite!("?12"),
            "))
             AND (CAST(?13 AS TEXT) IS NULL OR r.id IN (",
            words_sqlite!("?13"),
            "))
             AND (CAST(?14 AS TEXT) IS NULL OR r.id IN (",
            words_sqlite!("?14"),
            "))
             AND (CAST(?15 AS TEXT) IS NULL OR r.id IN (",
            words_sqlite!("?15"),
            "))
             AND (CAST(?16 AS TEXT) IS NULL OR r.id NOT IN (",
            words_sqlite!("?16"),
            "))
             ORDER BY 3 DESC, r.rid DESC LIMIT ?7"
        )
    };
}

/// The join with the records of a stream that have a granted text in chunks, up to their stream, which comes next.
macro_rules! with_long_text {
    () => {
        concat!(
            "JOIN (SELECT DISTINCT lu.rec FROM unit lu
               WHERE lu.scope = ?3 AND lu.char_start > 0 AND ",
            unit_is_granted!("lu"),
            ") l ON 1 = 1
             JOIN record r ON r.id = l.rec AND +r.scope"
        )
    };
}

/// Whether a searchable chunk is of a granted field; what is granted is listed once.
macro_rules! unit_is_granted {
    ($unit:literal) => {
        concat!(
            $unit,
            ".top IN (SELECT gu.field FROM grant_field gu WHERE gu.grant_id = ?1 AND gu.scope = ?3) "
        )
    };
}

/// The records that have a word in a granted field.
macro_rules! words_sqlite {
    ($word:literal) => {
        concat!(
            "SELECT u.rec FROM unit_words w JOIN unit u ON u.id = w.rowid WHERE u.scope = ?3 AND ",
            unit_is_granted!("u"),
            "AND w.unit_words MATCH ",
            $word
        )
    };
}

/// The chunks of one record that have the words, in order of their fields and places.
macro_rules! match_units {
    ($from:literal, $has_words:literal) => {
        concat!(
            "SELECT f.pointer, f.top, u.char_start, ",
            shape!(),
            $from,
            "JOIN field f ON f.id = u.field
             JOIN record r ON r.id = u.rec
             JOIN scope s ON s.id = r.scope
             JOIN grant_scope gs ON gs.scope = s.id
             JOIN grants g ON g.id = gs.grant_id
             JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = f.top ",
            grant_counts!(),
            "AND s.id = ?3 AND u.rec = ?4 AND ",
            $has_words,
            " AND ",
            record_in_sight!(),
            "AND (f.pointer > ?6 OR (f.pointer = ?6 AND u.char_start > ?7)) ORDER BY f.pointer, u.char_start LIMIT ?8"
        )
    };
}
