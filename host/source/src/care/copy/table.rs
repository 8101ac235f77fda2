//! Writes rows of any table.

use crate::care::session::Session;
use crate::care::tables::{About, COUNTERS, Kind, Table};
use crate::embedded::row::Cell;
use crate::error::Failure;
use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};
use tokio_postgres::types::ToSql as PostgresSql;

/// Writes a page of rows in one transaction.
pub(super) async fn insert(
    target: &Session,
    table: &'static Table,
    page: Vec<Vec<Cell>>,
) -> Result<(), Failure> {
    match target {
        Session::Sqlite(_) => {
            target.on_sqlite(move |connection| insert_on_sqlite(connection, table, &page)).await
        }
        Session::Postgres(client) => {
            let columns = Columns::of(table, page);
            let prepared = client.prepare_cached(&insert_on_postgres(table)).await?;
            client.execute(&prepared, &columns.bound()).await?;
            Ok(())
        }
    }
}

fn insert_on_sqlite(
    connection: &mut rusqlite::Connection,
    table: &'static Table,
    page: &[Vec<Cell>],
) -> Result<(), Failure> {
    let width = table.columns.len();
    let places: Vec<String> = (1..=width).map(|place| format!("?{place}")).collect();
    let sql = format!("INSERT INTO {} ({}) VALUES ({})", table.name, table.all_names(), places.join(", "));
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare_cached(&sql)?;
        let mut words =
            transaction.prepare_cached("INSERT INTO unit_words (rowid, words) VALUES (?1, ?2)")?;
        for row in page {
            insert.execute(rusqlite::params_from_iter(&row[..width]))?;
            if table.about == About::Words {
                words.execute(rusqlite::params_from_iter([&row[0], &row[width]]))?;
            }
        }
    }
    Ok(transaction.commit()?)
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Int(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

/// One statement for a page: its columns travel as arrays.
fn insert_on_postgres(table: &Table) -> String {
    let array = |kind: Kind| match kind {
        Kind::Int => "bigint[]",
        Kind::Text => "text[]",
        Kind::Bytes => "bytea[]",
    };
    let spell = |(index, (_, kind)): (usize, &(&str, Kind))| format!("${}::{}", index + 1, array(*kind));
    let arrays: Vec<String> = table.columns.iter().enumerate().map(spell).collect();
    let (name, columns, arrays) = (table.name, table.all_names(), arrays.join(", "));
    match table.about {
        About::Words => format!(
            "INSERT INTO {name} ({columns}, words) OVERRIDING SYSTEM VALUE
             SELECT {columns}, array_to_tsvector(string_to_array(w, ' '))
             FROM unnest({arrays}, ${}::text[]) AS n ({columns}, w)",
            table.columns.len() + 1
        ),
        _ => format!(
            "INSERT INTO {name} ({columns}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest({arrays}) AS n ({columns})"
        ),
    }
}

/// A page of rows, column by column.
struct Columns(Vec<Box<dyn PostgresSql + Sync + Send>>);

impl Columns {
    fn of(table: &Table, page: Vec<Vec<Cell>>) -> Self {
        let words = (table.about == About::Words).then_some(Kind::Text);
        let kinds: Vec<Kind> = table.columns.iter().map(|(_, kind)| *kind).chain(words).collect();
        let mut rows: Vec<_> = page.into_iter().map(Vec::into_iter).collect();
        let column = |kind: Kind| -> Box<dyn PostgresSql + Sync + Send> {
            let cells = rows.iter_mut().map(|row| row.next().unwrap_or(Cell::Null));
            match kind {
                Kind::Int => Box::new(
                    cells.map(|c| if let Cell::Int(v) = c { Some(v) } else { None }).collect::<Vec<_>>(),
                ),
                Kind::Text => Box::new(
                    cells.map(|c| if let Cell::Text(v) = c { Some(v) } else { None }).collect::<Vec<_>>(),
                ),
                Kind::Bytes => Box::new(
                    cells.map(|c| if let Cell::Bytes(v) = c { Some(v) } else { None }).collect::<Vec<_>>(),
                ),
            }
        };
        Self(kinds.into_iter().map(column).collect())
    }

    fn bound(&self) -> Vec<&(dyn PostgresSql + Sync)> {
        self.0.iter().map(|column| &**column as &(dyn PostgresSql + Sync)).collect()
    }
}

/// Lets each counter of the target go on after the highest number that is taken. SQLite has none.
pub(super) async fn set_counters(target: &Session) -> Result<(), Failure> {
    let Session::Postgres(_) = target else { return Ok(()) };
    for (table, counter) in COUNTERS {
        let set = format!("SELECT setval({counter}, COALESCE(MAX(id), 1), MAX(id) IS NOT NULL) FROM {table}");
        target.batch(&set).await?;
    }
    Ok(())
}
