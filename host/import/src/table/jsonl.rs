//! `jsonl`: a JSON object a line, taken as it stands.

use super::Tally;
use super::columns::{Columns, Untimed, row_key, stream_name};
use crate::Options;
use crate::error::ImportError;
use crate::input;
use crate::intake::Intake;
use crate::limits::{ROW_MAX, SAMPLE_ROWS};
use crate::skip::{Place, Reason};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

pub(crate) fn import(
    paths: &[PathBuf],
    options: &Options,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    paths.iter().try_for_each(|path| table(path, options, intake))
}

fn table(path: &Path, options: &Options, intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let mut columns = Columns::default();
    let mut left = SAMPLE_ROWS;
    let mut sample = Lines::open(path)?;
    while let Some(line) = sample.next().map_err(ImportError::io(path))?.filter(|_| left > 0) {
        left -= 1;
        if let Some(Ok(row)) = line.map(serde_json::from_slice::<Map<String, Value>>) {
            columns.look(row.iter().map(|(name, value)| (name.as_str(), value)));
        }
    }
    let name = stream_name(options, &input::stem(path));
    let shape = columns.shape(&name, &format!("Rows of {}.", input::name(path)), options)?;
    let key = columns.key(options)?;
    let stream = intake.stream(&shape)?;
    let (file, mut tally, mut untimed) = (input::name(path), Tally::default(), Untimed::new(options));
    if let Some(detail) = columns.unnamed_time(options) {
        intake.skip(Place::file(&file), Reason::NoTime, detail)?;
    }
    let mut lines = Lines::open(path)?;
    for number in 1.. {
        let Some(line) = lines.next().map_err(ImportError::io(path))? else { break };
        let place = Place::part(&file, "line", number);
        match line {
            None => intake.skip(place, Reason::TooLarge, format!("longer than {ROW_MAX} bytes"))?,
            Some(b"") => {}
            Some(line) => match row(line, key.as_deref(), &mut tally, &mut untimed) {
                Ok((key, data)) => intake.put_raw(stream, &key, data, place)?,
                Err(detail) => intake.skip(place, Reason::Malformed, detail)?,
            },
        }
        intake.advance(lines.bytes);
    }
    if let Some(detail) = untimed.told() {
        intake.skip(Place::file(&file), Reason::NoTime, detail)?;
    }
    Ok(())
}

/// A line as a record.
fn row(
    line: &[u8],
    key: Option<&str>,
    tally: &mut Tally,
    untimed: &mut Untimed<'_>,
) -> Result<(String, Box<RawValue>), &'static str> {
    let text = std::str::from_utf8(line).map_err(|_| "it is no UTF-8")?;
    if !text.starts_with('{') {
        return Err("it is no JSON object");
    }
    // Values stay as they are written; only the key and the time are looked at.
    let data: Box<RawValue> = serde_json::from_str(text).map_err(|_| "it is no JSON object")?;
    let mut members: BTreeMap<String, &RawValue> = BTreeMap::new();
    if key.is_some() || untimed.column().is_some() {
        members = serde_json::from_str(data.get()).map_err(|_| "it is no JSON object")?;
    }
    untimed.look(untimed.column().and_then(|time| members.get(time)).map(|raw| raw.get()));
    let named = key.and_then(|key| serde_json::from_str::<Value>(members.get(key)?.get()).ok());
    Ok((row_key(named.as_ref(), line, tally), data))
}

/// The lines of a file.
struct Lines {
    input: BufReader<std::fs::File>,
    line: Vec<u8>,
    is_first: bool,
    /// How long the last line was.
    bytes: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, ImportError> {
        let input = BufReader::with_capacity(1 << 18, input::open(path)?);
        Ok(Self { input, line: Vec::new(), is_first: true, bytes: 0 })
    }

    /// The next line, without white space around it; none inside if it is too long.
    fn next(&mut self) -> io::Result<Option<Option<&[u8]>>> {
        self.line.clear();
        self.bytes = self.input.by_ref().take(ROW_MAX as u64 + 1).read_until(b'\n', &mut self.line)? as u64;
        if self.bytes == 0 {
            return Ok(None);
        }
        let is_first = std::mem::replace(&mut self.is_first, false);
        if self.line.len() > ROW_MAX && !self.line.ends_with(b"\n") {
            self.bytes += self.input.skip_until(b'\n')? as u64;
            return Ok(Some(None));
        }
        let line = self.line.strip_prefix(b"\xef\xbb\xbf").filter(|_| is_first).unwrap_or(&self.line);
        Ok(Some(Some(line.trim_ascii())))
    }
}
