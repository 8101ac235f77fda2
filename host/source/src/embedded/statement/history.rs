//! Parts of the statements about what changed.
//!
//! A change is judged by what the grant covers: a granted field that came, went or got another value, and a record that
//! came into the grant's sight or went out of it. What changed beside that leaves no trace in any answer.

/// Whether the consent time of a record lay within the grant's range.
macro_rules! in_range {
    ($record:literal) => {
        concat!(
            "(gs.since IS NULL OR ",
            $record,
            ".consent_time >= gs.since)
             AND (gs.until IS NULL OR ",
            $record,
            ".consent_time < gs.until) "
        )
    };
}

/// Whether the record `r`, which is in sight now, was in sight at a revision.
macro_rules! was_in_sight {
    ($revision:literal) => {
        concat!(
            "(r.period <= ",
            $revision,
            " OR EXISTS (
               SELECT 1 FROM former_record p WHERE p.scope = r.scope AND p.rid = r.rid
               AND p.began <= ",
            $revision,
            " AND p.ended > ",
            $revision,
            " AND ",
            in_range!("p"),
            ")) "
        )
    };
}

/// The former record `p`, as far as the grant covered it.
macro_rules! former_in_sight {
    () => {
        concat!(
            "JOIN former_record p ON p.scope = s.id AND ",
            in_range!("p"),
            "AND (gs.listed = 0 OR EXISTS (
                   SELECT 1 FROM grant_resource gr
                   WHERE gr.grant_id = gs.grant_id AND gr.scope = gs.scope AND gr.rid = p.rid)) "
        )
    };
}

/// The records in sight that changed after `?5` and up to `?6`, with a key after `?4`. A key that is spelled as an expression
/// leads SQLite to the index of revisions.
macro_rules! changed {
    ($key:literal, $ending:literal) => {
        concat!(
            "SELECT r.id, r.rid, ",
            known_time!(),
            ", r.emitted ",
            under_grant!(),
            "JOIN record r ON r.scope = s.id AND ",
            record_in_sight!(),
            grant_counts!(),
            "AND s.id = ?3 AND ",
            $key,
            " > ?4 AND r.revision > ?5 AND ",
            was_in_sight!("?6"),
            "AND (NOT ",
            was_in_sight!("?5"),
            "
               OR EXISTS (SELECT 1 FROM field f
                 JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = f.top
                 WHERE f.rec = r.id AND f.nested = 0 AND f.revision > ?5 AND f.revision <= ?6)
               OR EXISTS (SELECT 1 FROM former_field o
                 JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = o.top
                 WHERE o.rec = r.id AND o.revision > ?5 AND o.revision <= ?6)) ",
            $ending
        )
    };
}

/// The keys that were in sight at `?5` and no longer at `?6`, after `?4`.
macro_rules! removed {
    () => {
        concat!(
            "SELECT p.rid ",
            under_grant!(),
            former_in_sight!(),
            grant_counts!(),
            "AND s.id = ?3 AND p.rid > ?4 AND p.began <= ?5 AND p.ended > ?5 AND p.ended <= ?6
             AND NOT EXISTS (SELECT 1 FROM record r
               WHERE r.scope = s.id AND r.rid = p.rid AND r.period <= ?6 AND ",
            in_range!("r"),
            ")
             AND NOT EXISTS (SELECT 1 FROM former_record q
               WHERE q.scope = s.id AND q.rid = p.rid AND q.began <= ?6 AND q.ended > ?6 AND ",
            in_range!("q"),
            ")
             ORDER BY p.rid LIMIT ?7"
        )
    };
}

/// At which revisions records came into sight, got a granted field or another value of one, and lost one: those of a revision
/// after `?4`, the latest first. One that moved within the grant's range was in sight before. None of the three is later
/// than the record's own revision, so whoever looks for the last of all can stop soon.
macro_rules! latest_change {
    () => {
        concat!(
            "SELECT r.revision, r.id,
               CAST(CASE WHEN NOT EXISTS (SELECT 1 FROM former_record p
                 WHERE p.scope = r.scope AND p.rid = r.rid AND p.ended = r.period AND ",
            in_range!("p"),
            ")
                 THEN r.period END AS BIGINT),
               (SELECT CAST(MAX(f.revision) AS BIGINT) FROM field f
                JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = f.top
                WHERE f.rec = r.id AND f.nested = 0),
               (SELECT CAST(MAX(o.revision) AS BIGINT) FROM former_field o
                JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = o.top
                WHERE o.rec = r.id) ",
            under_grant!(),
            "JOIN record r ON r.scope = s.id AND ",
            record_in_sight!(),
            grant_counts!(),
            "AND s.id = ?3 AND r.revision > ?4 AND r.revision <= ?5 AND (r.revision < ?5 OR r.id < ?6)
             ORDER BY r.revision DESC, r.id DESC LIMIT ?7"
        )
    };
}

/// The last revision after `?4` at which a record went out of sight.
macro_rules! latest_removal {
    () => {
        concat!(
            "SELECT p.ended ",
            under_grant!(),
            former_in_sight!(),
            grant_counts!(),
            "AND s.id = ?3 AND p.ended > ?4
             AND NOT EXISTS (SELECT 1 FROM record r
               WHERE r.scope = s.id AND r.rid = p.rid AND r.period = p.ended AND ",
            in_range!("r"),
            ")
             AND NOT EXISTS (SELECT 1 FROM former_record q
               WHERE q.scope = s.id AND q.rid = p.rid AND q.began = p.ended AND ",
            in_range!("q"),
            ") ORDER BY p.ended DESC LIMIT 1"
        )
    };
}
