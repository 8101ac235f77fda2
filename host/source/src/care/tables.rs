//! All tables and their columns, in one place. Whatever moves or measures a whole store goes by this list, and a test
//! holds it against the schema of both engines: a new table or column is one line here.

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A whole number.
    Int,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
}

use Kind::{Bytes, Int, Text};

/// What a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// Connections, streams and records.
    Records,
    /// The word index, which is made anew from the text wherever a store goes.
    Words,
    /// Grants, tokens, keys and the ledger.
    Books,
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) about: About,
    /// All columns, in the order of the schema.
    pub(crate) columns: &'static [(&'static str, Kind)],
    /// How many of the columns, from the first, tell its rows apart and order them.
    pub(crate) key: usize,
    /// How many rows are held at a time: few where they are long.
    pub(crate) page: i64,
}

const fn table(
    name: &'static str,
    about: About,
    key: usize,
    page: i64,
    columns: &'static [(&'static str, Kind)],
) -> Table {
    Table { name, about, columns, key, page }
}

/// The tables, those that others refer to first.
#[rustfmt::skip]
pub(crate) const TABLES: &[Table] = &[
    table("connection", About::Records, 1, 1_000, &[("id", Text), ("connector", Text), ("label", Text), ("created_at", Int)]),
    table("scope", About::Records, 1, 1_000, &[("id", Int), ("connection", Text), ("stream", Text), ("manifest", Text), ("revision", Int), ("cursor_field", Text)]),
    table("scope_field", About::Records, 2, 1_000, &[("scope", Int), ("field", Text), ("kinds", Int)]),
    table("record", About::Records, 1, 1_000, &[("id", Int), ("scope", Int), ("rid", Text), ("time", Int), ("consent_time", Int), ("sha256", Bytes), ("revision", Int), ("emitted", Int), ("period", Int)]),
    table("field", About::Records, 1, 250, &[("id", Int), ("rec", Int), ("top", Text), ("pointer", Text), ("nested", Int), ("kind", Int), ("chars", Int), ("bytes", Int), ("sha256", Bytes), ("mime", Text), ("file_name", Text), ("nul_as", Int), ("part_start", Int), ("inline", Text), ("revision", Int)]),
    table("seg", About::Records, 2, 250, &[("field", Int), ("char_start", Int), ("chars", Int), ("text", Text)]),
    table("filter_value", About::Records, 4, 1_000, &[("scope", Int), ("top", Text), ("value", Bytes), ("rec", Int)]),
    table("former_record", About::Records, 3, 1_000, &[("scope", Int), ("rid", Text), ("ended", Int), ("began", Int), ("consent_time", Int)]),
    table("former_field", About::Records, 2, 1_000, &[("rec", Int), ("top", Text), ("revision", Int)]),
    table("mark", About::Records, 2, 1_000, &[("scope", Int), ("revision", Int), ("at", Int), ("mark", Bytes)]),
    table("blob", About::Records, 1, 1_000, &[("sha256", Bytes), ("bytes", Int)]),
    table("blob_part", About::Records, 2, 50, &[("sha256", Bytes), ("byte_start", Int), ("data", Bytes)]),
    table("unit", About::Words, 1, 250, &[("id", Int), ("scope", Int), ("rec", Int), ("field", Int), ("char_start", Int), ("top", Text)]),
    table("sealing_key", About::Books, 1, 1_000, &[("id", Int), ("secret", Bytes), ("created_at", Int)]),
    table("grants", About::Books, 1, 1_000, &[("id", Text), ("client", Text), ("subject", Text), ("purpose", Text), ("access_mode", Text), ("issued_at", Int), ("expires_at", Int), ("revoked_at", Int), ("purpose_code", Text), ("retention", Text), ("source", Text), ("consumed_at", Int)]),
    table("grant_scope", About::Books, 2, 1_000, &[("grant_id", Text), ("scope", Int), ("since", Int), ("until", Int), ("listed", Int)]),
    table("grant_field", About::Books, 3, 1_000, &[("grant_id", Text), ("scope", Int), ("field", Text)]),
    table("grant_resource", About::Books, 3, 1_000, &[("grant_id", Text), ("scope", Int), ("rid", Text)]),
    table("package", About::Books, 1, 1_000, &[("id", Text), ("client", Text), ("issued_at", Int), ("expires_at", Int), ("revoked_at", Int)]),
    table("package_grant", About::Books, 2, 1_000, &[("package_id", Text), ("grant_id", Text)]),
    table("token", About::Books, 1, 1_000, &[("sha256", Bytes), ("kind", Int), ("grant_id", Text), ("created_at", Int), ("expires_at", Int), ("revoked_at", Int), ("package_id", Text), ("label", Text)]),
    table("disclosure", About::Books, 1, 1_000, &[("id", Int), ("at", Int), ("grant_id", Text), ("client", Text), ("tool", Text), ("connection", Text), ("stream", Text), ("rid", Text), ("field", Text), ("span_unit", Int), ("span_start", Int), ("span_end", Int), ("bytes", Int), ("tier", Text), ("erased", Int)]),
    table("disclosure_tombstone", About::Books, 1, 1_000, &[("id", Int), ("erased_at", Int), ("reason", Int), ("entries", Int), ("bytes", Int), ("first_at", Int), ("last_at", Int)]),
];

/// What Postgres gives each table's numbers by. SQLite counts on from the highest by itself.
pub(crate) const COUNTERS: &[(&str, &str)] = &[
    ("sealing_key", "pg_get_serial_sequence('sealing_key', 'id')"),
    ("scope", "pg_get_serial_sequence('scope', 'id')"),
    ("record", "pg_get_serial_sequence('record', 'id')"),
    ("field", "'field_id'"),
    ("unit", "pg_get_serial_sequence('unit', 'id')"),
    ("disclosure", "pg_get_serial_sequence('disclosure', 'id')"),
];

/// Tables that an engine keeps for itself: not data, or made from data.
#[cfg(test)]
const OWN: &[&str] =
    &["meta", "unit_words", "unit_words_config", "unit_words_data", "unit_words_docsize", "unit_words_idx"];

/// The columns that are made from data.
#[cfg(test)]
const MADE: &[(&str, &str)] = &[("unit", "words")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind;
    use crate::care::session::Session;
    use crate::sqlite::Missing;
    use crate::url::SourceUrl;
    use stepwell_testkit::Postgres;

    /// Every column of every table, as `table.column`.
    fn listed() -> Vec<String> {
        let columns = |table: &'static Table| {
            table.columns.iter().map(move |(column, _)| format!("{}.{column}", table.name))
        };
        let mut listed: Vec<String> = TABLES.iter().flat_map(columns).collect();
        listed.sort();
        listed
    }

    async fn columns(session: &Session, sql: &str) -> Vec<String> {
        let mut found = Vec::new();
        for mut row in session.rows("schema", sql, bind![]).await.unwrap() {
            let (table, column) = (row.text().unwrap(), row.text().unwrap());
            if !OWN.contains(&table.as_str()) && !MADE.contains(&(table.as_str(), column.as_str())) {
                found.push(format!("{table}.{column}"));
            }
        }
        found.sort();
        found
    }

    const EXPECT: &str =
        "a table or column of the schema is missing in care/tables.rs, or the other way round";

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_list_has_all_tables_and_columns_of_both_engines() {
        let dir = tempfile::tempdir().unwrap();
        let sqlite = Session::file(&dir.path().join("store.db"), Missing::Create).await.unwrap();
        let sql = "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'";
        assert_eq!(columns(&sqlite, sql).await, listed(), "SQLite: {EXPECT}");
        let url = SourceUrl::Postgres(Postgres::shared().fresh_database());
        let postgres = Session::open(&url).await.unwrap();
        let sql = "SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.columns
                   WHERE table_schema = 'stepwell'";
        assert_eq!(columns(&postgres, sql).await, listed(), "Postgres: {EXPECT}");
        let sql = "SELECT COUNT(*) FROM pg_sequences WHERE schemaname = 'stepwell'";
        assert_eq!(
            postgres.number("counters", sql).await.unwrap(),
            COUNTERS.len() as u64,
            "a counter is missing"
        );
    }
}
