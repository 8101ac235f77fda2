//! The closed set of statements.
//!
//! No SQL text is ever built from input: a statement is one of the constants below, and input is bound to it. Each one that
//! reads data joins the caller's grant as it stands at that moment, so "may not read this" is a row that is not there.
//! One text serves both engines: `?1` is respelled `$1` for Postgres, and casts give its planner the types.

// In this order: a macro is known from its definition on.
#[macro_use]
mod grant;
#[macro_use]
mod history;
#[macro_use]
mod ledger;
#[macro_use]
mod list;
#[macro_use]
mod search;
#[macro_use]
mod search_postgres;

macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident $reads:ident = $sql:expr;)*) => {
        /// A statement of the closed set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Statement { $($(#[$doc])* $name,)* }

        impl Statement {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The statement's name in logs and tests.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// Its text, in SQLite's spelling.
            #[must_use]
            pub const fn sql(self) -> &'static str {
                match self { $(Self::$name => $sql,)* }
            }

            /// What it can reach.
            #[must_use]
            pub const fn reads(self) -> Reads {
                match self { $(Self::$name => Reads::$reads,)* }
            }
        }
    };
}

/// What a statement can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Record text or values: always under a grant and for granted fields only.
    Content,
    /// Identities and measures under a grant.
    Shape,
    /// Grants, tokens, keys and catalogue rows: the owner's side, no record.
    Books,
    /// Nothing; it writes.
    Nothing,
}

statements! {
    /// Who a token speaks for.
    Authenticate Books = "SELECT t.kind, t.expires_at, t.revoked_at, COALESCE(g.id, p.id), COALESCE(g.client, p.client),
          COALESCE(g.expires_at, p.expires_at), COALESCE(g.revoked_at, p.revoked_at)
        FROM token t LEFT JOIN grants g ON g.id = t.grant_id LEFT JOIN package p ON p.id = t.package_id
        WHERE t.sha256 = ?1";

    /// The grants of a package: when the package ended, and for each grant when that did.
    PackageGrants Books = "SELECT p.revoked_at, p.expires_at, g.id, g.revoked_at, g.expires_at
        FROM package p JOIN package_grant pg ON pg.package_id = p.id JOIN grants g ON g.id = pg.grant_id
        WHERE p.id = ?1 ORDER BY g.id";
    /// What the grants of a package cover, those that ended too: for the ledger.
    PackageScopes Books = "SELECT g.id, g.client, s.connection, s.stream
        FROM package_grant pg JOIN grants g ON g.id = pg.grant_id JOIN grant_scope gs ON gs.grant_id = g.id
        JOIN scope s ON s.id = gs.scope WHERE pg.package_id = ?1";

    /// Whose grant it is and whether it counts, for a token that was checked elsewhere.
    Admit Books = "SELECT client, expires_at, revoked_at FROM grants WHERE id = ?1";

    /// Whether a grant counts, for saying why nothing was found.
    GrantTimes Books = "SELECT revoked_at, expires_at FROM grants WHERE id = ?1";

    /// Each granted connection of a stream: whether it grants the field, has the record, and the field's measures.
    Locate Shape = concat!(
        "SELECT s.id, s.connection, c.connector, c.label, CAST(CASE WHEN gf.field IS NULL THEN 0 ELSE 1 END AS BIGINT), r.id, ",
        known_time!(), ", r.emitted, ", shape!(), under_grant!(),
        "LEFT JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?5
         LEFT JOIN record r ON r.scope = s.id AND r.rid = ?4 AND ", record_in_sight!(),
        "LEFT JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.pointer = ?6 ",
        grant_counts!(), "AND s.stream = ?3 ORDER BY s.connection");

    /// The same for the connection `?7` alone, and before that the field's stored text around a span: chunks that start after
    /// `?8` and before `?9`, or the inline value. Their order is left to whoever reads them: to sort, a database copies them.
    /// There is text of text and JSON alone (kinds 0 and 1), and unless `?11` is zero only if its digest is `?10`.
    LocateText Content = concat!(
        "SELECT CASE WHEN f.kind IN (0, 1) AND (CAST(?11 AS BIGINT) = 0 OR f.sha256 = ?10) THEN f.inline END,
                t.char_start, t.text,
                s.id, s.connection, c.connector, c.label,
                CAST(CASE WHEN gf.field IS NULL THEN 0 ELSE 1 END AS BIGINT), r.id, ",
        known_time!(), ", r.emitted, ", shape!(), under_grant!(),
        "LEFT JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?5
         LEFT JOIN record r ON r.scope = s.id AND r.rid = ?4 AND ", record_in_sight!(),
        "LEFT JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.pointer = ?6
         LEFT JOIN seg t ON t.field = f.id AND t.char_start > ?8 AND t.char_start < ?9
           AND (CAST(?11 AS BIGINT) = 0 OR f.sha256 = ?10) ",
        grant_counts!(), "AND s.stream = ?3 AND s.connection = ?7");

    /// The measures of one more row of a record that was located.
    Shape Shape = concat!(
        "SELECT ", shape!(), under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?5
         JOIN record r ON r.scope = s.id AND r.id = ?4 AND ", record_in_sight!(),
        "JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.pointer = ?6 ",
        grant_counts!(), "AND s.id = ?3");

    /// The stored text of a field around a span: chunks that start after `?7` and before `?8`, or the inline value. It gives
    /// nothing if the field's text is no longer the one with the digest `?9`, and rows in any order.
    Text Content = concat!(
        "SELECT f.inline, t.char_start, t.text ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?5
         JOIN record r ON r.scope = s.id AND r.id = ?4 AND ", record_in_sight!(),
        "JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.pointer = ?6 AND f.sha256 = ?9
         LEFT JOIN seg t ON t.field = f.id AND t.char_start > ?7 AND t.char_start < ?8 ",
        grant_counts!(), "AND s.id = ?3");

    /// All granted top-level fields of the records `?4` to `?35`, each with its value or first chunk.
    RecordFields Content = concat!(
        "SELECT r.id, f.top, f.inline, t.text, ", shape!(), under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id
         JOIN record r ON +r.scope = s.id AND r.id IN (", records_from_4!(), ") AND ", record_in_sight!(),
        "JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.nested = 0
         LEFT JOIN seg t ON t.field = f.id AND t.char_start = 0 ",
        grant_counts!(), "AND s.id = ?3");

    /// The granted fields of a connection's stream, whether all of its records are granted, and if so the kinds of value
    /// that are in the fields.
    GrantedFields Shape = concat!(
        "SELECT gf.field, CAST(CASE WHEN ", all_records!(), "THEN 1 ELSE 0 END AS BIGINT),
           CASE WHEN ", all_records!(), "THEN sf.kinds END ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id
         LEFT JOIN scope_field sf ON sf.scope = s.id AND sf.field = gf.field ",
        grant_counts!(), "AND s.id = ?3");

    /// The kinds of value in the granted fields of the `?4` records in sight that were emitted last.
    KindsInSight Shape = concat!(
        "SELECT f.top, f.kind FROM (
           SELECT r.id, s.id AS scope, g.id AS grant_id ", under_grant!(),
        "  JOIN record r ON r.scope = s.id AND ", record_in_sight!(), grant_counts!(),
        "  AND s.id = ?3 ORDER BY r.emitted DESC, r.rid DESC LIMIT ?4) n
         JOIN grant_field gf ON gf.grant_id = n.grant_id AND gf.scope = n.scope
         JOIN field f ON f.rec = n.id AND f.top = gf.field AND f.nested = 0
         GROUP BY f.top, f.kind");

    /// The granted streams.
    GrantedScopes Shape = concat!(
        "SELECT s.id, s.connection, s.stream, c.connector, c.label, s.manifest, gs.since, gs.until,
           CAST(CASE WHEN ", order_is_known!(), "THEN 1 ELSE 0 END AS BIGINT) ",
        under_grant!(), grant_counts!(), "ORDER BY s.connection, s.stream");

    /// A stretch of a stream's records, the newest first: those before the moment `?4`, and of that moment those that
    /// `?6` says: none (-1), those before the key `?5` (0), all (1). It gives nothing where that order is not granted.
    ListNewest Shape = listed!("r.time", "<", "DESC", order_is_known!());
    /// The same with the oldest first: those after the moment.
    ListOldest Shape = listed!("r.time", ">", "ASC", order_is_known!());
    /// As [`Statement::ListNewest`] by the moment at which records were emitted, which every grant may know.
    ListLastEmitted Shape = listed!("r.emitted", "<", "DESC", "1 = 1 ");
    /// As [`Statement::ListOldest`] by that moment.
    ListFirstEmitted Shape = listed!("r.emitted", ">", "ASC", "1 = 1 ");

    /// The value of the granted field `?5` that records are to be sorted by, by key after `?4`.
    SortValues Content = concat!(
        sorted!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?5
         JOIN record r ON r.scope = s.id AND ", record_in_sight!(),
        "LEFT JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.nested = 0 ",
        grant_counts!(), "AND s.id = ?3 AND r.rid > ?4 ORDER BY r.rid LIMIT ?6");

    /// A stretch of a stream's records by the values of the granted field `?4`, the least first.
    ValuedUp Content = valued!(">", "ASC");
    /// The same with the greatest first.
    ValuedDown Content = valued!("<", "DESC");
    /// A stretch of a stream's records whose granted field `?4` has no value with a place in the order.
    UnvaluedUp Content = unvalued!(">", "ASC");
    /// The same from the last key on.
    UnvaluedDown Content = unvalued!("<", "DESC");
    /// A record whose granted field `?4` holds a text in its row that is too long for the index of values.
    MiddlingText Shape = concat!(
        "SELECT r.id ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?4
         JOIN field f ON f.top = gf.field AND f.nested = 0 AND f.kind = 0 AND f.chars > 256 AND f.chars <= 4096
         JOIN record r ON r.id = f.rec AND r.scope = s.id AND ", record_in_sight!(),
        grant_counts!(), "AND s.id = ?3 LIMIT 1");
    /// How many values from `?5` to before `?6` the granted field `?4` has, counted up to `?7`.
    CountValues Content = concat!(
        "SELECT CAST(COUNT(*) AS BIGINT) FROM (SELECT 1 ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?4
         JOIN filter_value v ON v.scope = s.id AND v.top = gf.field AND v.value >= ?5 AND v.value < ?6 AND ",
        value_in_sight!(), grant_counts!(), "AND s.id = ?3 LIMIT ?7) n");

    /// The newest records whose granted field `?4` holds the value with the digest `?5`.
    Related Shape = concat!(
        "SELECT r.id, r.rid, ", known_time!(), ", r.emitted ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?4
         JOIN field f ON f.top = gf.field AND f.sha256 = ?5 AND f.nested = 0 AND f.kind IN (0, 2)
         JOIN record r ON r.id = f.rec AND r.scope = s.id AND ", record_in_sight!(),
        grant_counts!(), "AND s.id = ?3 ORDER BY 3 DESC, r.rid DESC LIMIT ?6");

    /// The records in sight that changed after the revision `?5` and up to `?6`, by key after `?4`.
    Changed Shape = changed!("r.rid", "ORDER BY r.rid LIMIT ?7");
    /// Some of the same, in no order, found by their revisions: quick where few changed.
    ChangedFew Shape = changed!("COALESCE(r.rid, '')", "LIMIT ?7");
    /// The keys that were in sight at the revision `?5` and no longer at `?6`, after `?4`.
    Removed Shape = removed!();
    /// Records of a revision after `?4`, the latest first, before the record `?6` of the revision `?5`: at which revision
    /// each came into sight, got a granted field or another value of one, and lost one.
    LatestChange Shape = latest_change!();
    /// The last revision after `?4` at which a record went out of the grant's sight.
    LatestRemoval Shape = latest_removal!();
    /// The revision with the name `?4`, and the one with the number `?5`.
    Marks Shape = concat!(
        "SELECT m.revision, m.mark ", under_grant!(),
        "JOIN mark m ON m.scope = s.id AND (m.mark = ?4 OR m.revision = ?5) ", grant_counts!(), "AND s.id = ?3");

    /// As [`Statement::ListNewest`], of the records whose granted fields have all the words `?8` to `?15` and none that
    /// `?16` looks for.
    Search Shape = search!("JOIN record r ON +r.scope");
    /// The same of the records that have a granted text in chunks, which may have the words of a phrase in several of them.
    SearchLong Shape = search!(with_long_text!());

    /// Where a record's granted fields have the words that `?5` looks for: which row, and where its chunk starts, after
    /// the chunk at `?7` of the row `?6`.
    MatchUnits Shape = match_units!(
        // In this order: one walk through the index, and not a look-up in it for every chunk.
        "FROM unit_words w CROSS JOIN unit u ON u.id = w.rowid
           AND w.rowid BETWEEN (SELECT MIN(id) FROM unit WHERE rec = ?4) AND (SELECT MAX(id) FROM unit WHERE rec = ?4) ",
        "w.unit_words MATCH ?5");

    /// The granted texts of at most 32,768 chars that search looks into, with all their chunks, in the records `?4` to `?35`;
    /// a record with a longer one is not there, or has that one without a chunk.
    SearchedTexts Content = concat!(
        "SELECT r.id, f.id, f.pointer, f.inline, f.nul_as, t.char_start, t.text ", under_grant!(),
        "JOIN record r ON +r.scope = s.id AND r.id IN (", records_from_4!(), ") AND ", record_in_sight!(),
        "AND NOT EXISTS (SELECT 1 FROM unit lu JOIN field lf ON lf.id = lu.field
           WHERE lu.scope = s.id AND lu.rec = r.id AND lu.char_start > 0 AND lf.chars > 32768 AND ", unit_is_granted!("lu"), ")
         JOIN unit u ON u.rec = r.id AND ", unit_is_granted!("u"),
        "AND NOT EXISTS (SELECT 1 FROM unit b WHERE b.rec = u.rec AND b.field = u.field AND b.char_start < u.char_start)
         JOIN field f ON f.id = u.field AND f.top = u.top
         LEFT JOIN seg t ON t.field = f.id AND f.chars <= 32768 ",
        grant_counts!(), "AND s.id = ?3");

    /// The values after `?5` and before `?6` that the granted field `?4` has, in their order, each with how many records have it.
    ValueCounts Content = concat!(
        "SELECT v.value, CAST(COUNT(*) AS BIGINT) ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?4
         JOIN filter_value v ON v.scope = s.id AND v.top = gf.field AND v.value > ?5 AND v.value < ?6 AND ",
        value_in_sight!(), grant_counts!(), "AND s.id = ?3 GROUP BY v.value ORDER BY v.value LIMIT ?7");
    /// How many records there are.
    Count Shape = concat!(
        "SELECT CAST(CASE WHEN ", all_records!(), "THEN (SELECT COUNT(*) FROM record r WHERE r.scope = s.id)
           ELSE (SELECT COUNT(*) FROM record r WHERE r.scope = s.id AND ", record_in_sight!(), ") END AS BIGINT) ",
        under_grant!(), grant_counts!(), "AND s.id = ?3");
    /// The values of two granted fields, by key after `?4`.
    Values Content = concat!(
        pair_of_values!("r.scope", "?5", "?6"), grant_counts!(),
        "AND s.id = ?3 AND r.rid > ?4 ORDER BY r.rid LIMIT ?7");
    /// The same in the records `?5` to `?36`: the values of the fields `?4` and `?37`.
    ValuesOf Content = concat!(
        pair_of_values!("+r.scope", "?4", "?37"), grant_counts!(), "AND s.id = ?3 AND r.id IN (", records_from_5!(), ")");

    /// The values of a granted field in the records `?5` to `?36`, as filters compare them.
    FilterValues Content = concat!(
        "SELECT r.id, v.value ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?4
         JOIN record r ON +r.scope = s.id AND r.id IN (", records_from_5!(), ") AND ", record_in_sight!(),
        "JOIN filter_value v ON v.rec = r.id AND v.top = gf.field AND v.scope = s.id ",
        grant_counts!(), "AND s.id = ?3");

    /// Some of the records whose granted field `?4` has a value from `?5` to before `?6`.
    FilteredRecords Content = concat!(
        "SELECT r.id, r.rid, ", known_time!(), ", r.emitted ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?4
         JOIN filter_value v ON v.scope = s.id AND v.top = gf.field AND v.value >= ?5 AND v.value < ?6
         JOIN record r ON r.id = v.rec AND r.scope = s.id AND ", record_in_sight!(),
        grant_counts!(), "AND s.id = ?3 LIMIT ?7");

    /// The bytes of a binary field: parts that start after `?7` and before `?8`.
    BlobParts Content = concat!(
        "SELECT p.byte_start, p.data ", under_grant!(),
        "JOIN grant_field gf ON gf.grant_id = g.id AND gf.scope = s.id AND gf.field = ?5
         JOIN record r ON r.scope = s.id AND r.id = ?4 AND ", record_in_sight!(),
        "JOIN field f ON f.rec = r.id AND f.top = gf.field AND f.pointer = ?6 AND f.sha256 = ?9
         JOIN blob_part p ON p.sha256 = f.sha256 AND p.byte_start > ?7 AND p.byte_start < ?8 ",
        grant_counts!(), "AND s.id = ?3 ORDER BY p.byte_start");

    /// The keys that seal cursors, newest first.
    SealingKeys Books = "SELECT id, secret FROM sealing_key ORDER BY id DESC LIMIT 2";

    /// Every connection's streams.
    Scopes Books = "SELECT s.id, s.connection, s.stream, c.connector, c.label, s.manifest
        FROM scope s JOIN connection c ON c.id = s.connection ORDER BY s.connection, s.stream";
    /// The fields that a stream has.
    ScopeFields Books = "SELECT field, kinds FROM scope_field WHERE scope = ?1 ORDER BY field";
    /// All grants.
    Grants Books = "SELECT id, client, subject, purpose, access_mode, issued_at, expires_at, revoked_at, purpose_code,
          retention, source, consumed_at
        FROM grants ORDER BY issued_at, id";
    /// What the grants cover.
    GrantScopes Books = "SELECT gs.grant_id, s.id, s.stream, s.connection, c.label, s.manifest, gs.since, gs.until, gs.listed
        FROM grant_scope gs JOIN scope s ON s.id = gs.scope JOIN connection c ON c.id = s.connection
        ORDER BY gs.grant_id, s.stream, s.connection";
    /// Which fields the grants name.
    GrantFields Books = "SELECT grant_id, scope, field FROM grant_field ORDER BY grant_id, scope, field";
    /// Which records the grants list.
    GrantResources Books = "SELECT grant_id, scope, rid FROM grant_resource ORDER BY grant_id, scope, rid";
    /// All packages.
    Packages Books = "SELECT id, client, issued_at, expires_at, revoked_at FROM package ORDER BY issued_at, id";
    /// Which grants the packages hold.
    PackageMembers Books = "SELECT package_id, grant_id FROM package_grant ORDER BY package_id, grant_id";
    /// All tokens, as far as they are kept.
    Tokens Books = "SELECT sha256, kind, grant_id, package_id, label, created_at, expires_at, revoked_at FROM token";
    /// How many records a connection's stream has.
    CountRecords Books = "SELECT CAST(COUNT(*) AS BIGINT) FROM record WHERE scope = ?1";

    /// A page of the ledger, the newest entries first: those that are meant and stand before the entry `?8` of `?7`.
    ListDisclosures Books = concat!(
        "SELECT id, at, grant_id, client, tool, connection, stream, rid, field, span_unit, span_start, span_end, bytes, tier
         FROM disclosure ", meant!(), "AND at <= ?7 AND (at < ?7 OR id < ?8) ORDER BY at DESC, id DESC LIMIT ?9");
    /// How many entries are meant, and how much they say.
    CountDisclosures Books = concat!(
        "SELECT CAST(COUNT(*) AS BIGINT), CAST(COALESCE(SUM(bytes), 0) AS BIGINT), MIN(at), MAX(at) FROM disclosure ",
        meant!());
    /// What is left of removed entries from `?1` to before `?2`.
    Tombstones Books = "SELECT erased_at, reason, entries, bytes, first_at, last_at FROM disclosure_tombstone
        WHERE last_at >= ?1 AND first_at < ?2 ORDER BY last_at DESC, id";

    /// Adds an entry to the ledger.
    AddDisclosure Nothing = add_disclosure!("VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)");
    /// Marks a chunk of the entries that are meant, for removal.
    MarkDisclosures Nothing = concat!(
        "UPDATE disclosure SET erased = ?7 WHERE id IN (SELECT id FROM disclosure ", meant!(),
        "AND erased IS NULL ORDER BY at, id LIMIT ?8)");
    /// Counts what is marked into its tombstone.
    BuryDisclosures Nothing = "INSERT INTO disclosure_tombstone (id, erased_at, reason, entries, bytes, first_at, last_at)
        SELECT CAST(?1 AS BIGINT), CAST(?2 AS BIGINT), CAST(?3 AS BIGINT), CAST(COUNT(*) AS BIGINT),
               CAST(SUM(bytes) AS BIGINT), MIN(at), MAX(at)
        FROM disclosure WHERE erased = ?1 HAVING COUNT(*) > 0
        ON CONFLICT (id) DO UPDATE SET
          erased_at = excluded.erased_at, entries = disclosure_tombstone.entries + excluded.entries,
          bytes = disclosure_tombstone.bytes + excluded.bytes,
          first_at = CASE WHEN excluded.first_at < disclosure_tombstone.first_at
                          THEN excluded.first_at ELSE disclosure_tombstone.first_at END,
          last_at = CASE WHEN excluded.last_at > disclosure_tombstone.last_at
                         THEN excluded.last_at ELSE disclosure_tombstone.last_at END";
    /// Removes what is marked.
    DeleteDisclosures Nothing = "DELETE FROM disclosure WHERE erased = ?1";

    /// Makes a connection known.
    AddConnection Nothing = "INSERT INTO connection (id, connector, label, created_at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (id) DO UPDATE SET
          connector = COALESCE(excluded.connector, connection.connector), label = COALESCE(excluded.label, connection.label)";
    /// Gives a connection another name for people.
    RenameConnection Nothing = "UPDATE connection SET label = ?2 WHERE id = ?1";
    /// Makes a connection's stream known.
    AddScope Nothing = "INSERT INTO scope (connection, stream, manifest, revision, cursor_field) VALUES (?1, ?2, ?3, 0, ?4)
        ON CONFLICT (connection, stream) DO UPDATE SET
          cursor_field = CASE WHEN excluded.manifest IS NULL THEN scope.cursor_field ELSE excluded.cursor_field END,
          manifest = COALESCE(excluded.manifest, scope.manifest)";
    /// Forgets what orders a stream's records, and what they are compared by, because another field does from now on.
    ForgetOrder Nothing = "UPDATE record SET time = emitted, sha256 = ?2 WHERE scope = ?1";
    /// Forgets the consent times of a stream's records, and what they are compared by, because another field has them now.
    ForgetConsent Nothing = "UPDATE record SET consent_time = NULL, sha256 = ?2 WHERE scope = ?1";
    /// Forgets the records that went out of sight before the moment `?2`. Where one has moved and is still there, it stays
    /// known where it was before: else it would look as if it had come into sight of those who saw it all along.
    ForgetFormerRecords Nothing = "DELETE FROM former_record WHERE scope = ?1
        AND ended <= (SELECT COALESCE(MAX(revision), 0) FROM mark WHERE scope = ?1 AND at < ?2)
        AND NOT EXISTS (SELECT 1 FROM record r
          WHERE r.scope = former_record.scope AND r.rid = former_record.rid AND r.period = former_record.ended)";
    /// Forgets the fields that records lost before the moment `?2`.
    ForgetFormerFields Nothing = "DELETE FROM former_field WHERE rec IN (SELECT id FROM record WHERE scope = ?1)
        AND revision <= (SELECT COALESCE(MAX(revision), 0) FROM mark WHERE scope = ?1 AND at < ?2)";
    /// Makes a field of a stream known.
    AddScopeField Nothing = "INSERT INTO scope_field (scope, field, kinds) VALUES (?1, ?2, ?3)
        ON CONFLICT (scope, field) DO UPDATE SET kinds = scope_field.kinds | excluded.kinds";
    /// Makes a grant.
    AddGrant Nothing = "INSERT INTO grants (id, client, subject, purpose, access_mode, issued_at, expires_at, purpose_code,
          retention, source)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    /// Adds a connection's stream to a grant.
    AddGrantScope Nothing = "INSERT INTO grant_scope (grant_id, scope, since, until, listed) VALUES (?1, ?2, ?3, ?4, ?5)";
    /// Adds a field to a grant.
    AddGrantField Nothing = "INSERT INTO grant_field (grant_id, scope, field) VALUES (?1, ?2, ?3)";
    /// Adds a record to a grant's list.
    AddGrantResource Nothing = "INSERT INTO grant_resource (grant_id, scope, rid) VALUES (?1, ?2, ?3)";
    /// Revokes a grant, once.
    RevokeGrant Nothing = "UPDATE grants SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
    /// Makes a package.
    AddPackage Nothing = "INSERT INTO package (id, client, issued_at, expires_at) VALUES (?1, ?2, ?3, ?4)";
    /// Adds a grant to a package.
    AddPackageGrant Nothing = "INSERT INTO package_grant (package_id, grant_id) VALUES (?1, ?2)";
    /// Revokes a package, once.
    RevokePackage Nothing = "UPDATE package SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
    /// Makes a key to seal cursors with.
    AddSealingKey Nothing = "INSERT INTO sealing_key (secret, created_at) VALUES (?1, ?2)";
    /// Forgets the keys whose cursors no longer open.
    ForgetSealingKeys Nothing = "DELETE FROM sealing_key
        WHERE id NOT IN (SELECT id FROM sealing_key ORDER BY id DESC LIMIT 2)";
    /// Makes a token for a package or the owner.
    AddToken Nothing = "INSERT INTO token (sha256, kind, package_id, label, created_at, expires_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    /// Notes that a single-use grant has had its token.
    ConsumeGrant Nothing = "UPDATE grants SET consumed_at = COALESCE(consumed_at, ?2)
        WHERE id = ?1 AND access_mode = 'single_use'";
    /// Makes a token for a grant, unless it is a single-use one that has had its token.
    IssueToken Nothing = "INSERT INTO token (sha256, kind, grant_id, created_at, expires_at)
        SELECT ?1, ?2, g.id, ?4, ?5 FROM grants g
        WHERE g.id = ?3
        AND (g.access_mode <> 'single_use' OR NOT EXISTS (SELECT 1 FROM token t WHERE t.grant_id = g.id))";
    /// Lets the tokens of a grant or a package end at a moment, if the one with the digest `?2` was made.
    EndTokens Nothing = "UPDATE token SET expires_at = ?3
        WHERE (grant_id = ?1 OR package_id = ?1) AND sha256 <> ?2 AND (expires_at IS NULL OR expires_at > ?3)
        AND EXISTS (SELECT 1 FROM token made WHERE made.sha256 = ?2)";
    /// Ends a token, once.
    RevokeToken Nothing = "UPDATE token SET revoked_at = ?2 WHERE sha256 = ?1 AND revoked_at IS NULL";
}

impl Statement {
    /// Its text in Postgres's spelling. Only the look-up of words, and the entries of the ledger, which come as arrays,
    /// differ in more than the spelling of parameters.
    #[must_use]
    pub fn postgres(self) -> String {
        let sql = match self {
            Self::Search => search_postgres!(
                "LEAST(16 * CAST(?7 AS BIGINT), 4096)",
                "",
                "",
                "",
                "0"
            ),
            // Few records have a long text, so more have to be looked at, which costs less.
            Self::SearchLong => search_postgres!(
                "LEAST(64 * CAST(?7 AS BIGINT), 8192)",
                has_long_text!("n.id"),
                has_long_text!("f.rec"),
                marked_long!(),
                "512"
            ),
            Self::MatchUnits => {
                match_units!("FROM unit u ", "u.words @@ CAST(CAST(?5 AS TEXT) AS TSQUERY)")
            }
            Self::AddDisclosure => add_disclosure!(
                "SELECT CAST(?1 AS BIGINT), n.grant_id, n.client, CAST(?4 AS TEXT), n.connection, n.stream, n.rid, n.field,
                        n.span_unit, n.span_start, n.span_end, n.bytes, n.tier
                 FROM unnest(CAST(?2 AS TEXT[]), CAST(?3 AS TEXT[]), CAST(?5 AS TEXT[]), CAST(?6 AS TEXT[]),
                             CAST(?7 AS TEXT[]), CAST(?8 AS TEXT[]), CAST(?9 AS BIGINT[]), CAST(?10 AS BIGINT[]),
                             CAST(?11 AS BIGINT[]), CAST(?12 AS BIGINT[]), CAST(?13 AS TEXT[]))
                   AS n (grant_id, client, connection, stream, rid, field, span_unit, span_start, span_end, bytes, tier)"
            ),
            other => other.sql(),
        };
        // The sign that keeps SQLite off an index makes Postgres guess how many records there are.
        sql.replace('?', "$").replace("+r.scope", "r.scope")
    }
}
