//! Parts of every statement under a grant: who it is for, and what it covers.

/// Joins a grant that counts (`?1` at the moment `?2`) with what it covers.
macro_rules! under_grant {
    () => {
        "FROM grants g
         JOIN grant_scope gs ON gs.grant_id = g.id
         JOIN scope s ON s.id = gs.scope
         JOIN connection c ON c.id = s.connection "
    };
}

/// Whether the grant counts.
macro_rules! grant_counts {
    () => {
        "WHERE g.id = ?1 AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > ?2) "
    };
}

/// Whether the record `r` lies within the grant's time range and resource list.
macro_rules! record_in_sight {
    () => {
        "(gs.since IS NULL OR r.consent_time >= gs.since)
         AND (gs.until IS NULL OR r.consent_time < gs.until)
         AND (gs.listed = 0 OR EXISTS (
               SELECT 1 FROM grant_resource gr
               WHERE gr.grant_id = gs.grant_id AND gr.scope = gs.scope AND gr.rid = r.rid)) "
    };
}

/// Whether the grant covers all records of a stream.
macro_rules! all_records {
    () => {
        "gs.since IS NULL AND gs.until IS NULL AND gs.listed = 0 "
    };
}

/// Whether the record that has the value `v` lies within them. It is looked at only if they say anything.
macro_rules! value_in_sight {
    () => {
        concat!(
            "((",
            all_records!(),
            ") OR EXISTS (
               SELECT 1 FROM record r WHERE r.id = v.rec AND r.scope = s.id AND ",
            record_in_sight!(),
            ")) "
        )
    };
}

/// Whether the grant names the field that orders the stream's records, or there is no such field.
macro_rules! order_is_known {
    () => {
        "(s.cursor_field IS NULL OR EXISTS (
           SELECT 1 FROM grant_field gt WHERE gt.grant_id = g.id AND gt.scope = s.id AND gt.field = s.cursor_field)) "
    };
}

/// When the record `r` is from, as far as the grant lets anybody know: what orders it, or else when it was emitted.
macro_rules! known_time {
    () => {
        concat!("CASE WHEN ", order_is_known!(), "THEN r.time ELSE r.emitted END ")
    };
}

/// As many records as one statement looks at together, for a join that begins with `+r.scope`. The sign keeps SQLite from
/// walking the whole stream along an index that begins with it, which it takes for cheaper than 32 look-ups.
macro_rules! records_from_4 {
    () => {
        "?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27,
         ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35"
    };
}

/// The same from the next parameter on.
macro_rules! records_from_5 {
    () => {
        "?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27,
         ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36"
    };
}

/// A field's measures: never its content.
macro_rules! shape {
    () => {
        "f.id, f.kind, f.chars, f.bytes, f.sha256, f.mime, f.file_name, f.nul_as, f.part_start "
    };
}
