//! `csv`: a table in a text file. The first row names the columns.

use super::Tally;
use super::columns::{Columns, Untimed, row_key, stream_name};
use crate::Options;
use crate::error::ImportError;
use crate::input;
use crate::intake::Intake;
use crate::kind::Kind;
use crate::limits::{COLUMNS, ROW_MAX, SAMPLE_ROWS};
use crate::shape::FieldType;
use crate::skip::{Place, Reason};
use crate::text;
use ::csv::{ByteRecord, Reader, ReaderBuilder};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

pub(crate) fn import(
    paths: &[PathBuf],
    options: &Options,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    paths.iter().try_for_each(|path| table(path, options, intake))
}

fn table(path: &Path, options: &Options, intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let mut sample = open(path)?;
    let names = names(&mut sample, path)?;
    let mut columns = Columns::default();
    for name in &names {
        columns.place(name);
    }
    let mut row = ByteRecord::new();
    for _ in 0..SAMPLE_ROWS {
        match sample.read_byte_record(&mut row) {
            Ok(true) => {}
            _ => break, // What is broken is reported when it is read.
        }
        let values: Vec<Value> = row.iter().map(|cell| value(&text::decode(cell))).collect();
        columns.look(names.iter().map(String::as_str).zip(&values));
    }
    let name = stream_name(options, &input::stem(path));
    let shape = columns.shape(&name, &format!("Rows of {}.", input::name(path)), options)?;
    let key = columns.key(options)?;
    let stream = intake.stream(&shape)?;
    let (file, mut tally, mut untimed) = (input::name(path), Tally::default(), Untimed::new(options));
    if let Some(detail) = columns.unnamed_time(options) {
        intake.skip(Place::file(&file), Reason::NoTime, detail)?;
    }
    let place_of = |column: Option<&str>| names.iter().position(|name| Some(name.as_str()) == column);
    let (key_at, time_at) = (place_of(key.as_deref()), place_of(untimed.column()));
    let mut rows = open(path)?;
    rows.read_byte_record(&mut row).map_err(|error| ImportError::io(path)(error.into()))?;
    let mut at = 0;
    for number in 1.. {
        let place = Place::part(&file, "row", number);
        match rows.read_byte_record(&mut row) {
            Ok(true) if row.as_slice().len() > ROW_MAX => {
                intake.skip(place, Reason::TooLarge, format!("longer than {ROW_MAX} bytes"))?;
            }
            Ok(true) if row.len() > names.len() => {
                let detail = format!("it has {} cells, and there are {} columns", row.len(), names.len());
                intake.skip(place, Reason::Malformed, detail)?;
            }
            Ok(true) => {
                let cells: Vec<String> = row.iter().map(text::decode).collect();
                let named = key_at.and_then(|at| cells.get(at)).map(|cell| Value::from(cell.as_str()));
                let row_key = row_key(named.as_ref(), row.as_slice(), &mut tally);
                let members = Members::of(&names, &cells, &columns);
                let time = time_at.and_then(|at| members.as_ref()?.get(&names[at]));
                untimed.look(time);
                match members.and_then(|members| to_raw_value(&members).ok()) {
                    Some(data) => intake.put_raw(stream, &row_key, data, place)?,
                    None => intake.skip(place, Reason::Malformed, "it is no record")?,
                }
            }
            Ok(false) => break,
            Err(error) => {
                let reason = if error.is_io_error() { Reason::Unreadable } else { Reason::Malformed };
                intake.skip(place, reason, error.to_string())?;
                if error.is_io_error() {
                    break;
                }
            }
        }
        let now = rows.position().byte();
        intake.advance(now - at);
        at = now;
    }
    if let Some(detail) = untimed.told() {
        intake.skip(Place::file(&file), Reason::NoTime, detail)?;
    }
    Ok(())
}

/// A row as the members of an object, in their order.
struct Members<'a>(Vec<(&'a String, Box<RawValue>)>);

impl<'a> Members<'a> {
    /// Spells the cells as JSON. A number stays as it is written, and what is empty is left away.
    fn of(names: &'a [String], cells: &[String], columns: &Columns) -> Option<Self> {
        let mut members = Vec::new();
        for (name, cell) in names.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            let is_plain = match columns.kind(name) {
                Some(FieldType::Integer | FieldType::Number) => is_number(cell),
                Some(FieldType::Boolean) => matches!(cell.as_str(), "true" | "false"),
                _ => false,
            };
            let value =
                if is_plain { RawValue::from_string(cell.clone()).ok()? } else { to_raw_value(cell).ok()? };
            members.push((name, value));
        }
        Some(Self(members))
    }

    fn get(&self, name: &String) -> Option<&str> {
        self.0.iter().find(|(of, _)| *of == name).map(|(_, value)| value.get())
    }
}

impl serde::Serialize for Members<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// What a cell looks like.
fn value(cell: &str) -> Value {
    match cell {
        "" => Value::Null,
        "true" | "false" => Value::Bool(cell == "true"),
        _ if is_number(cell) => serde_json::from_str(cell).unwrap_or_else(|_| cell.into()),
        _ => cell.into(),
    }
}

/// Whether a cell is a number as JSON writes it. `007` is a name, and `1e5` may be one.
fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    let is_digits =
        |text: &str| !text.is_empty() && text.len() < 300 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && (whole == "0" || !whole.starts_with('0')) && fraction.is_none_or(is_digits)
}

/// The names of the columns, each once.
fn names(reader: &mut Reader<std::fs::File>, path: &Path) -> Result<Vec<String>, ImportError> {
    let mut row = ByteRecord::new();
    match reader.read_byte_record(&mut row) {
        Ok(true) if row.len() <= COLUMNS => {}
        Ok(true) => {
            return Err(ImportError::not(Kind::Csv, path, format!("it has more than {COLUMNS} columns")));
        }
        Ok(false) => return Err(ImportError::not(Kind::Csv, path, "it is empty")),
        Err(error) => return Err(ImportError::io(path)(error.into())),
    }
    let mut names: Vec<String> = Vec::new();
    for (index, cell) in row.iter().enumerate() {
        let name = text::decode(cell).replace('\0', "");
        let name: String = name.trim().chars().take(128).collect();
        let name = if name.is_empty() { format!("column_{}", index + 1) } else { name };
        let taken = |name: &String| names.contains(name);
        let name = if taken(&name) { format!("{name}_{}", index + 1) } else { name };
        names.push(name);
    }
    Ok(names)
}

/// Opens a table, with the separator that its first row has most of.
fn open(path: &Path) -> Result<Reader<std::fs::File>, ImportError> {
    let mut file = input::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(64 * 1024).read_to_end(&mut head).map_err(ImportError::io(path))?;
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Err(ImportError::not(Kind::Csv, path, "it is UTF-16; save it as UTF-8"));
    }
    let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let first = head[mark..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let many = |separator: &u8| first.iter().filter(|byte| *byte == separator).count();
    // The first of those that are as frequent: a comma, if there is none at all.
    let separator = [b'|', b'\t', b';', b','].into_iter().max_by_key(many).unwrap_or(b',');
    file.seek(SeekFrom::Start(mark as u64)).map_err(ImportError::io(path))?;
    Ok(ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(file))
}
