//! What the columns of a table hold, learnt from its rows.

use super::Tally;
use crate::Options;
use crate::error::ImportError;
use crate::key;
use crate::limits::COLUMNS;
use crate::shape::{Field, FieldType, Shape};
use serde_json::Value;
use std::collections::HashMap;
use stepwell_source::time;

/// Columns that name a row, where there are such.
const KEYS: [&str; 4] = ["id", "key", "uuid", "guid"];
/// Columns that people read first, and those that hold what there is to read.
const TITLES: [&str; 5] = ["title", "subject", "name", "heading", "label"];
const BODIES: [&str; 8] = ["body", "text", "content", "message", "description", "notes", "note", "comment"];
/// Texts that are longer than this are no names of groups.
const GROUP_CHARS: usize = 64;

/// A column as far as it was looked at.
#[derive(Clone, Debug)]
struct Column {
    name: String,
    kind: Option<FieldType>,
    longest: usize,
    rows: usize,
}

/// The columns of a table.
#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    places: HashMap<String, usize>,
    rows: usize,
}

impl Columns {
    /// Looks at a row.
    pub(super) fn look<'a>(&mut self, row: impl IntoIterator<Item = (&'a str, &'a Value)>) {
        self.rows += 1;
        for (name, value) in row {
            let Some(index) = self.place(name) else { continue };
            let Some(kind) = kind(value) else { continue };
            let column = &mut self.columns[index];
            column.rows += 1;
            column.longest = column.longest.max(value.as_str().map_or(0, |text| text.chars().count()));
            column.kind = Some(column.kind.map_or(kind, |before| wider(before, kind)));
        }
    }

    /// Notes a column, though no row has a value there yet.
    pub(super) fn place(&mut self, name: &str) -> Option<usize> {
        if let Some(&index) = self.places.get(name) {
            return Some(index);
        }
        // What no field can be called is refused by the store, with the row that has it.
        if name.is_empty() || name.len() > 512 || name.contains('\0') || self.columns.len() == COLUMNS {
            return None;
        }
        self.columns.push(Column { name: name.to_owned(), kind: None, longest: 0, rows: 0 });
        self.places.insert(name.to_owned(), self.columns.len() - 1);
        Some(self.columns.len() - 1)
    }

    /// What a column was found to hold.
    pub(super) fn kind(&self, name: &str) -> Option<FieldType> {
        self.columns[*self.places.get(name)?].kind
    }

    /// Settles which column makes the key: the one that was named, else one that is called so and is in every row.
    pub(super) fn key(&self, options: &Options) -> Result<Option<String>, ImportError> {
        if let Some(name) = &options.key {
            return self.named("--key", name).map(Some);
        }
        let is_key = |column: &&Column| {
            let fits = KEYS.iter().any(|key| column.name.eq_ignore_ascii_case(key));
            fits && column.rows == self.rows
                && matches!(column.kind, Some(FieldType::Text | FieldType::Integer | FieldType::Any))
        };
        Ok(self.columns.iter().find(is_key).map(|column| column.name.clone()))
    }

    /// The columns that have nothing but dates.
    fn dates(&self) -> impl Iterator<Item = &str> {
        let is_date = |column: &&Column| column.kind == Some(FieldType::Time);
        self.columns.iter().filter(is_date).map(|column| column.name.as_str())
    }

    /// What is to be said if nobody named a column for the time, and there are some that could be meant.
    pub(super) fn unnamed_time(&self, options: &Options) -> Option<String> {
        let dates: Vec<&str> = self.dates().take(5).collect();
        (options.time.is_none() && !dates.is_empty()).then(|| {
            format!(
                "no column was named for the time, so grants with a time range leave these rows out; name one, such as --time {}",
                dates.join(", or ")
            )
        })
    }

    /// Whether there is such a column.
    pub(super) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    fn named(&self, option: &str, name: &str) -> Result<String, ImportError> {
        if self.has(name) {
            return Ok(name.to_owned());
        }
        let names: Vec<&str> = self.columns.iter().take(20).map(|column| column.name.as_str()).collect();
        Err(ImportError::Option(format!("{option} names no column; there are {}", names.join(", "))))
    }

    /// The stream's declaration.
    pub(super) fn shape(&self, stream: &str, about: &str, options: &Options) -> Result<Shape, ImportError> {
        let time = options.time.as_ref().map(|name| self.named("--time", name)).transpose()?;
        // For readers any date will do; what grants go by is never a guess.
        let read_first = time.clone().or_else(|| self.dates().next().map(str::to_owned));
        let first = |names: &[&str]| {
            let of = |name: &&str| {
                self.columns.iter().find(|column| column.is_text() && column.name.eq_ignore_ascii_case(name))
            };
            names.iter().find_map(of).map(|column| column.name.clone())
        };
        let (title, body) = (first(&TITLES), first(&BODIES));
        let field = |column: &Column| {
            let mut field = Field::new(column.name.clone(), column.kind.unwrap_or(FieldType::Any));
            let is = |name: &Option<String>| name.as_ref() == Some(&column.name);
            let roles = [(&title, "title"), (&body, "body"), (&read_first, "time")];
            if let Some((_, role)) = roles.into_iter().find(|(name, _)| is(name)) {
                field = field.role(role);
            }
            if column.is_text() {
                field = field.searched();
            }
            if column.longest <= GROUP_CHARS
                && matches!(column.kind, Some(FieldType::Text | FieldType::Boolean))
            {
                field = field.grouped();
            }
            field
        };
        let fields = self.columns.iter().map(field).collect();
        Ok(Shape {
            name: stream.to_owned().into(),
            label: stream.to_owned().into(),
            about: about.to_owned().into(),
            key: None,
            time: time.map(Into::into),
            fields,
            views: &[],
            relations: Vec::new(),
        })
    }
}

impl Column {
    fn is_text(&self) -> bool {
        self.kind == Some(FieldType::Text)
    }
}

/// The kind of a value; none for one that says nothing.
fn kind(value: &Value) -> Option<FieldType> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => FieldType::Boolean,
        Value::Number(number) if number.is_f64() => FieldType::Number,
        Value::Number(_) => FieldType::Integer,
        Value::String(text) if is_time(text) => FieldType::Time,
        Value::String(_) => FieldType::Text,
        Value::Array(_) => FieldType::List,
        Value::Object(_) => FieldType::Object,
    })
}

fn is_time(text: &str) -> bool {
    text.len() >= "2026-01-01".len()
        && text.starts_with(|c: char| c.is_ascii_digit())
        && time::parse(text).is_some()
}

/// A kind that holds both.
fn wider(one: FieldType, other: FieldType) -> FieldType {
    match (one, other) {
        _ if one == other => one,
        (FieldType::Integer, FieldType::Number) | (FieldType::Number, FieldType::Integer) => {
            FieldType::Number
        }
        (FieldType::Time, FieldType::Text) | (FieldType::Text, FieldType::Time) => FieldType::Text,
        _ => FieldType::Any,
    }
}

/// The key of a row: of its key column, or of all that it says.
pub(super) fn row_key(named: Option<&Value>, row: &[u8], tally: &mut Tally) -> String {
    match named {
        Some(Value::String(text)) if !text.is_empty() => key::of(text),
        Some(Value::Number(number)) => key::of(&number.to_string()),
        _ => match tally.count(row) {
            1 => key::unnamed("row", row),
            again => key::part(&key::unnamed("row", row), again),
        },
    }
}

/// Counts the rows whose time nobody can read.
#[derive(Debug)]
pub(super) struct Untimed<'a> {
    column: Option<&'a str>,
    rows: u64,
    untimed: u64,
}

impl<'a> Untimed<'a> {
    pub(super) fn new(options: &'a Options) -> Self {
        Self { column: options.time.as_deref(), rows: 0, untimed: 0 }
    }

    /// The column that says when, if one was named.
    pub(super) fn column(&self) -> Option<&'a str> {
        self.column
    }

    /// Looks at the value of that column, as JSON.
    pub(super) fn look(&mut self, value: Option<&str>) {
        self.rows += 1;
        self.untimed += u64::from(self.column.is_some() && value.and_then(time::of_json).is_none());
    }

    /// What is to be said about them.
    pub(super) fn told(&self) -> Option<String> {
        let column = self.column.filter(|_| self.untimed > 0)?;
        Some(format!(
            "no time for {} of {} rows: what {column} has there is none; write it as 2026-03-01, 2026-03-01T09:00:00Z or seconds since 1970",
            self.untimed, self.rows
        ))
    }
}

/// The stream's name: the one that was chosen, or the file's.
pub(super) fn stream_name(options: &Options, from: &str) -> String {
    let name = options.stream.as_deref().unwrap_or(from);
    match key::slug(name) {
        slug if slug.is_empty() => "rows".to_owned(),
        slug => slug,
    }
}
