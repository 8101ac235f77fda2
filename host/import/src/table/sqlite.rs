//! `sqlite`: the tables of a database. It is opened so that nothing of it can change.

use super::Tally;
use super::columns::{Columns, Untimed, row_key, stream_name};
use crate::Options;
use crate::draft::Fields;
use crate::error::ImportError;
use crate::input;
use crate::intake::{Intake, Stopped};
use crate::key;
use crate::kind::Kind;
use crate::limits::{COLUMNS, ROW_MAX, SAMPLE_ROWS};
use crate::skip::{Place, Reason};
use crate::text;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Number, Value, json};
use std::path::{Path, PathBuf};

pub(crate) fn import(
    paths: &[PathBuf],
    options: &Options,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    for path in paths {
        let database = open(path)?;
        let wrong = |error: rusqlite::Error| ImportError::not(Kind::Sqlite, path, error.to_string());
        let mut tables = tables(&database).map_err(wrong)?;
        if let Some(only) = &options.stream {
            tables.retain(|table| table == only);
            if tables.is_empty() {
                return Err(ImportError::Option(format!("--stream names no table of {}", path.display())));
            }
        }
        let tables: Vec<Table> = tables
            .into_iter()
            .map(|name| Table::look(&database, name))
            .collect::<Result<_, _>>()
            .map_err(wrong)?;
        for (option, column) in [("--key", &options.key), ("--time", &options.time)] {
            // Some tables may well do without, but not all.
            if let Some(column) = column
                && !tables.iter().any(|table| table.columns.contains(column))
            {
                return Err(ImportError::Option(format!("{option} names no column of any table")));
            }
        }
        let mut streams: Vec<String> = Vec::new();
        for table in tables {
            let options = &table.options(options);
            // Two tables may differ in what no stream's name has.
            let mut stream = stream_name(&Options::default(), &table.name);
            if streams.contains(&stream) {
                stream = format!("{stream}_{}", streams.len() + 1);
            }
            streams.push(stream.clone());
            match table.import(&database, &stream, path, options, intake) {
                Ok(()) => {}
                Err(Halt::Import(error)) => return Err(error),
                Err(Halt::Sqlite(error)) => {
                    let place = Place::file(&format!("{}, table {}", input::name(path), table.name).into());
                    intake.skip(place, Reason::Malformed, format!("the rest of it was not read: {error}"))?;
                }
            }
        }
        intake.advance(path.metadata().map_or(0, |data| data.len()));
    }
    Ok(())
}

/// Why a table was not read to its end.
enum Halt {
    Import(ImportError),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Halt {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<ImportError> for Halt {
    fn from(error: ImportError) -> Self {
        Self::Import(error)
    }
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        Self::Import(stopped.into())
    }
}

/// Opens a database as something that nobody changes: no lock, no journal, no file beside it.
fn open(path: &Path) -> Result<Connection, ImportError> {
    drop(input::open(path)?);
    let not = |why: &str| ImportError::not(Kind::Sqlite, path, why);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).metadata().is_ok_and(|data| data.len() > 0) {
        return Err(not(
            "a program has it open, and its latest changes stand beside it; close that program first",
        ));
    }
    let name = path.to_str().ok_or_else(|| not("its name is no UTF-8; copy it to another"))?;
    let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(format!("file:{name}?immutable=1"), flags)
        .map_err(|error| not(&error.to_string()))?;
    // What a schema says must not run: it may be anybody's.
    let guarded = database
        .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON;");
    guarded.map_err(|error| not(&error.to_string()))?;
    Ok(database)
}

/// The tables that hold rows themselves.
fn tables(database: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
               AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
    database.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

struct Table {
    name: String,
    columns: Vec<String>,
    /// The columns of its primary key, in their order; none if it has a hidden one.
    keys: Vec<usize>,
}

impl Table {
    fn look(database: &Connection, name: String) -> rusqlite::Result<Self> {
        let mut columns = Vec::new();
        let mut keys: Vec<(i64, usize)> = Vec::new();
        let mut statement = database.prepare("SELECT name, pk FROM pragma_table_info(?1)")?;
        let mut rows = statement.query([&name])?;
        while let Some(row) = rows.next()? {
            let place: i64 = row.get(1)?;
            if place > 0 {
                keys.push((place, columns.len()));
            }
            columns.push(row.get(0)?);
        }
        columns.truncate(COLUMNS);
        keys.sort_unstable();
        let keys =
            keys.into_iter().map(|(_, column)| column).filter(|column| *column < columns.len()).collect();
        Ok(Self { name, columns, keys })
    }

    /// The options that this table has columns for.
    fn options(&self, options: &Options) -> Options {
        let here = |column: &Option<String>| column.clone().filter(|column| self.columns.contains(column));
        Options { key: here(&options.key), time: here(&options.time), ..options.clone() }
    }

    /// The rows, with the hidden key last if the table has no other. The names come from the database, so they are quoted.
    fn select(&self) -> String {
        let mut columns: Vec<String> = self.columns.iter().map(|column| quoted(column)).collect();
        if self.keys.is_empty() {
            columns.push("rowid".to_owned());
        }
        format!("SELECT {} FROM {}", columns.join(", "), quoted(&self.name))
    }

    fn import(
        &self,
        database: &Connection,
        stream: &str,
        path: &Path,
        options: &Options,
        intake: &mut Intake<'_>,
    ) -> Result<(), Halt> {
        let mut statement = database.prepare(&self.select())?;
        let mut columns = Columns::default();
        for column in &self.columns {
            columns.place(column);
        }
        let mut rows = statement.query([])?;
        for _ in 0..SAMPLE_ROWS {
            let Some(row) = rows.next()? else { break };
            let cells: Vec<Value> = (0..self.columns.len())
                .map(|index| row.get_ref(index).map(sampled))
                .collect::<Result<_, _>>()?;
            columns.look(self.columns.iter().map(String::as_str).zip(&cells));
        }
        drop(rows);
        let label = input::name(path);
        let shape =
            columns.shape(stream, &format!("Rows of the table {} of {label}.", self.name), options)?;
        let chosen = options.key.is_some().then(|| columns.key(options)).transpose()?.flatten();
        let stream = intake.stream(&shape)?;
        let file = format!("{label}, table {}", self.name).into();
        let (mut tally, mut untimed) = (Tally::default(), Untimed::new(options));
        if let Some(detail) = columns.unnamed_time(options) {
            intake.skip(Place::file(&file), Reason::NoTime, detail)?;
        }
        let place_of =
            |column: Option<&str>| self.columns.iter().position(|name| Some(name.as_str()) == column);
        let (key_at, time_at) = (place_of(chosen.as_deref()), place_of(untimed.column()));
        let mut rows = statement.query([])?;
        let mut number = 0;
        while let Some(row) = rows.next()? {
            number += 1;
            let place = Place::part(&file, "row", number);
            if self.size(row)? > ROW_MAX {
                intake.skip(place, Reason::TooLarge, format!("longer than {ROW_MAX} bytes"))?;
                continue;
            }
            let mut fields = Fields::default();
            for (index, name) in self.columns.iter().enumerate() {
                match row.get_ref(index)? {
                    ValueRef::Blob(bytes) => fields.set_bytes(name, "application/octet-stream", None, bytes),
                    value => fields.set(name, cell(value)),
                }
            }
            let Some(data) = fields.raw() else { continue };
            if let Some(at) = time_at {
                untimed.look(Some(&cell(row.get_ref(at)?).to_string()));
            }
            let row_key = match key_at {
                Some(at) => {
                    let named = cell(row.get_ref(at)?);
                    row_key(Some(&named), data.get().as_bytes(), &mut tally)
                }
                None => self.key(row)?,
            };
            intake.put_raw(stream, &row_key, data, place)?;
        }
        if let Some(detail) = untimed.told() {
            intake.skip(Place::file(&file), Reason::NoTime, detail)?;
        }
        Ok(())
    }

    /// The key of a row: its primary key.
    fn key(&self, row: &Row<'_>) -> rusqlite::Result<String> {
        let spelled = |index: usize| {
            row.get_ref(index).map(|value| match cell(value) {
                Value::String(text) => text,
                Value::Null => format!("{:?}", value),
                other => other.to_string(),
            })
        };
        match self.keys.as_slice() {
            [] => spelled(self.columns.len()).map(|rowid| key::of(&rowid)),
            [one] => spelled(*one).map(|text| key::of(&text)),
            // As JSON, so that no two keys are spelled alike.
            several => {
                let parts: Vec<String> =
                    several.iter().map(|&index| spelled(index)).collect::<Result<_, _>>()?;
                let readable = parts.join(",");
                Ok(key::with_digest(&readable, json!(parts).to_string().as_bytes()))
            }
        }
    }

    fn size(&self, row: &Row<'_>) -> rusqlite::Result<usize> {
        let mut size = 0;
        for index in 0..self.columns.len() {
            size += match row.get_ref(index)? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
                _ => 8,
            };
        }
        Ok(size)
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        ValueRef::Text(bytes) => text::decode(bytes).into(),
    }
}

/// A cell as the type of its column is learnt from it.
fn sampled(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Blob(_) => Value::Object(Map::new()),
        value => cell(value),
    }
}
