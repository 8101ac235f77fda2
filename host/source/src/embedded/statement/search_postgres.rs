//! Searches as Postgres runs them.
//!
//! How a look-up of words is best done depends on how many records have them, and Postgres guesses that badly: it knows little
//! about tables that were just filled, and never learns about the small ones that hold grants. One wrong guess joins two long
//! lists row by row. So the steps are written down, each in a form that leaves little to choose:
//!
//! 1. The newest records are looked at, twice as many as a page holds. Where most have the words, they fill it.
//! 2. Else the first word is looked up in the index. If few records have it, those are looked at.
//! 3. Else more of the newest are looked at.
//! 4. Else all words are looked up, and each record is marked with those that it has.
//!
//! A step that is not needed is not run. All of them give the same records, as the statement for SQLite does.

/// Whether a searchable chunk is of the stream and of a granted field.
macro_rules! unit_in_grant {
    ($unit:literal) => {
        concat!(
            $unit,
            ".scope = (SELECT scope FROM granted) AND ",
            $unit,
            ".top = ANY (CAST((SELECT tops FROM granted) AS TEXT[])) "
        )
    };
}

/// Whether a record has a word, if one is given, by a look at its chunks: as a function, the comparison cannot lead Postgres to
/// the index of words, which it would go through again for every record.
macro_rules! has_word {
    ($record:literal, $not:literal, $word:literal) => {
        concat!(
            "(CAST(",
            $word,
            " AS TEXT) IS NULL OR ",
            $not,
            "EXISTS (SELECT 1 FROM unit u WHERE u.rec = ",
            $record,
            " AND ",
            unit_in_grant!("u"),
            "AND ts_match_vq(u.words, CAST(CAST(",
            $word,
            " AS TEXT) AS TSQUERY)) OFFSET 0)) "
        )
    };
}

/// Whether a record has all words but the first, and none of the excluded ones.
macro_rules! has_other_words {
    ($record:literal) => {
        concat!(
            has_word!($record, "", "?9"),
            "AND ",
            has_word!($record, "", "?10"),
            "AND ",
            has_word!($record, "", "?11"),
            "AND ",
            has_word!($record, "", "?12"),
            "AND ",
            has_word!($record, "", "?13"),
            "AND ",
            has_word!($record, "", "?14"),
            "AND ",
            has_word!($record, "", "?15"),
            "AND ",
            has_word!($record, "NOT ", "?16"),
        )
    };
}

/// Whether a record has a granted text in chunks.
macro_rules! has_long_text {
    ($record:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM unit lu WHERE lu.rec = ",
            $record,
            " AND lu.char_start > 0 AND ",
            unit_in_grant!("lu"),
            "OFFSET 0) AND "
        )
    };
}

/// The records that have a word in the index, each with the word's bit.
macro_rules! marked {
    ($word:literal, $bit:literal) => {
        concat!(
            "SELECT u.rec, ",
            $bit,
            " AS bit FROM unit u WHERE ",
            unit_in_grant!("u"),
            "AND u.words @@ CAST(CAST(",
            $word,
            " AS TEXT) AS TSQUERY) "
        )
    };
}

/// The records that have a granted text in chunks, each with a bit of its own.
macro_rules! marked_long {
    () => {
        concat!(
            "UNION ALL SELECT lu.rec, 512 FROM unit lu WHERE lu.char_start > 0 AND ",
            unit_in_grant!("lu")
        )
    };
}

/// Where a search goes on, by a column.
macro_rules! from_place {
    ($time:literal) => {
        concat!(
            $time,
            " <= ?4 AND (",
            $time,
            " < ?4 OR CAST(?6 AS BIGINT) > 0 OR (CAST(?6 AS BIGINT) = 0 AND r.rid < ?5)) "
        )
    };
}

/// The newest records in sight by a column, where that is what orders them.
macro_rules! newest_by {
    ($time:literal, $many:literal, $if:literal) => {
        concat!(
            "SELECT n.id, n.rid, n.time, n.emitted FROM granted gs CROSS JOIN LATERAL (
               SELECT r.id, r.rid, ",
            $time,
            " AS time, r.emitted FROM record r WHERE r.scope = gs.scope AND ",
            record_in_sight!(),
            "AND ",
            from_place!($time),
            "ORDER BY ",
            $time,
            " DESC, r.rid DESC LIMIT ",
            $many,
            ") n WHERE ",
            $if,
            " "
        )
    };
}

/// So many of the newest records, and those of them that have the words.
macro_rules! near {
    ($many:expr, $long:expr) => {
        concat!(
            "SELECT n.id, n.rid, n.time, n.emitted
             FROM (SELECT * FROM newest ORDER BY time DESC, rid DESC LIMIT ",
            $many,
            ") n WHERE ",
            $long,
            has_word!("n.id", "", "?8"),
            "AND ",
            has_other_words!("n.id"),
            "ORDER BY n.time DESC, n.rid DESC LIMIT ?7"
        )
    };
}

/// Whether records that were found among so many of the newest are all that is wanted: a page of them, or all there are.
macro_rules! is_enough {
    ($found:literal, $many:expr) => {
        concat!(
            "(SELECT COUNT(*) FROM ",
            $found,
            ") >= CAST(?7 AS BIGINT) OR (SELECT COUNT(*) FROM newest) < ",
            $many,
            " "
        )
    };
}

/// How many records are looked at first: never more than in all.
macro_rules! at_first {
    ($many:literal) => {
        concat!("LEAST(2 * CAST(?7 AS BIGINT), ", $many, ")")
    };
}

/// As [`search!`]: how many of the newest records are looked at in all, and what is asked of a record beside its words, by a
/// look at it (`n.id`, `f.rec`) and by its mark.
macro_rules! search_postgres {
    ($many:literal, $near:expr, $few:expr, $marked:expr, $mark:literal) => {
        concat!(
            "WITH granted AS MATERIALIZED (
               SELECT g.id AS grant_id, s.id AS scope, gs.since, gs.until, gs.listed, ",
            order_is_known!(),
            "AS is_known,
                 ARRAY(SELECT gu.field FROM grant_field gu WHERE gu.grant_id = g.id AND gu.scope = s.id) AS tops ",
            under_grant!(),
            grant_counts!(),
            "AND s.id = ?3),
             newest AS MATERIALIZED (",
            newest_by!("r.time", $many, "gs.is_known"),
            "UNION ALL ",
            newest_by!("r.emitted", $many, "NOT gs.is_known"),
            "),
             near AS MATERIALIZED (",
            near!(at_first!($many), $near),
            "),
             further AS MATERIALIZED (",
            near!($many, $near),
            "),
             first AS MATERIALIZED (",
            marked!("?8", "1"),
            "LIMIT 1001),
             step AS MATERIALIZED (
               SELECT CASE WHEN ",
            is_enough!("near", at_first!($many)),
            "THEN 1 WHEN (SELECT COUNT(*) FROM first) <= 1000 THEN 2 WHEN ",
            is_enough!("further", $many),
            "THEN 3 ELSE 4 END AS number),
             found AS MATERIALIZED (
               SELECT f.rec FROM (SELECT DISTINCT rec FROM first) f
               WHERE (SELECT number FROM step) = 2 AND ",
            $few,
            has_other_words!("f.rec"),
            "UNION ALL
               SELECT m.rec FROM (",
            marked!("?8", "1"),
            "UNION ALL ",
            marked!("?9", "2"),
            "UNION ALL ",
            marked!("?10", "4"),
            "UNION ALL ",
            marked!("?11", "8"),
            "UNION ALL ",
            marked!("?12", "16"),
            "UNION ALL ",
            marked!("?13", "32"),
            "UNION ALL ",
            marked!("?14", "64"),
            "UNION ALL ",
            marked!("?15", "128"),
            "UNION ALL ",
            marked!("?16", "256"),
            $marked,
            ") m WHERE (SELECT number FROM step) = 4
               GROUP BY m.rec HAVING BIT_OR(m.bit) = ",
            $mark,
            " + 1 + CASE WHEN CAST(?9 AS TEXT) IS NULL THEN 0 ELSE 2 END
               + CASE WHEN CAST(?10 AS TEXT) IS NULL THEN 0 ELSE 4 END
               + CASE WHEN CAST(?11 AS TEXT) IS NULL THEN 0 ELSE 8 END
               + CASE WHEN CAST(?12 AS TEXT) IS NULL THEN 0 ELSE 16 END
               + CASE WHEN CAST(?13 AS TEXT) IS NULL THEN 0 ELSE 32 END
               + CASE WHEN CAST(?14 AS TEXT) IS NULL THEN 0 ELSE 64 END
               + CASE WHEN CAST(?15 AS TEXT) IS NULL THEN 0 ELSE 128 END)
             SELECT n.id, n.rid, n.time, n.emitted FROM near n WHERE (SELECT number FROM step) = 1
             UNION ALL
             SELECT n.id, n.rid, n.time, n.emitted FROM further n WHERE (SELECT number FROM step) = 3
             UNION ALL
             (SELECT r.id, r.rid, r.time, r.emitted FROM granted gs CROSS JOIN found f CROSS JOIN LATERAL (
                SELECT r.id, r.rid, CASE WHEN gs.is_known THEN r.time ELSE r.emitted END AS time, r.emitted FROM record r
                WHERE r.id = f.rec AND r.scope = gs.scope AND ",
            record_in_sight!(),
            "OFFSET 0) r
              WHERE (SELECT number FROM step) IN (2, 4) AND ",
            from_place!("r.time"),
            "ORDER BY 3 DESC, 2 DESC LIMIT ?7)
             ORDER BY 3 DESC, 2 DESC"
        )
    };
}
