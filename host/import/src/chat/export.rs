//! An export as it was downloaded: a ZIP, the folder that it was unpacked to, or one file of it.

use crate::archive::{self, Archive, Entry};
use crate::error::ImportError;
use crate::input::{self, Folder, Found};
use crate::intake::{Intake, Stopped};
use crate::json::{self, Pull, PullError, Raw};
use crate::kind::Kind;
use crate::limits::{FILE_MAX, ITEM_MAX};
use crate::skip::{Place, Reason};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of an export.
pub(super) struct Export {
    root: Root,
}

enum Root {
    Zip(Archive, Vec<Entry>),
    Files(Vec<(String, PathBuf)>),
}

/// One file of an export.
#[derive(Clone, Debug)]
pub(super) struct Part {
    index: usize,
    /// Its name, with the folders that it lies in.
    pub(super) name: String,
    /// What reports call it.
    pub(super) label: Arc<str>,
}

impl Part {
    /// The name without folders.
    pub(super) fn base(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// Why a file was not read to its end.
pub(super) enum Halt {
    Broken(PullError),
    Stopped(Stopped),
}

impl From<PullError> for Halt {
    fn from(error: PullError) -> Self {
        Self::Broken(error)
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.into())
    }
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl Export {
    pub(super) fn open(path: &Path, intake: &mut Intake<'_>) -> Result<Self, ImportError> {
        if path.is_dir() {
            let mut files = Vec::new();
            for found in Folder::new(path) {
                match found {
                    Found::File(file) => {
                        let name =
                            file.strip_prefix(path).unwrap_or(&file).to_string_lossy().replace('\\', "/");
                        files.push((name, file));
                    }
                    Found::Link(file) => intake.skip(
                        Place::file(&input::name(&file)),
                        Reason::Link,
                        "links are not followed",
                    )?,
                    Found::Closed(file) => {
                        intake.skip(
                            Place::file(&input::name(&file)),
                            Reason::Unreadable,
                            "it cannot be listed",
                        )?;
                    }
                }
            }
            return Ok(Self { root: Root::Files(files) });
        }
        match Archive::open(path)? {
            Some(mut archive) => {
                let entries = archive.entries(intake)?;
                Ok(Self { root: Root::Zip(archive, entries) })
            }
            None => Ok(Self { root: Root::Files(vec![(input::name(path).to_string(), path.to_owned())]) }),
        }
    }

    /// Its files, in the order of their names.
    pub(super) fn parts(&self) -> Vec<Part> {
        match &self.root {
            Root::Zip(archive, entries) => {
                let part = |(index, entry): (usize, &Entry)| Part {
                    index,
                    name: entry.name.clone(),
                    label: archive.label(entry),
                };
                entries.iter().enumerate().map(part).collect()
            }
            Root::Files(files) => {
                let part = |(index, (name, _)): (usize, &(String, PathBuf))| Part {
                    index,
                    name: name.clone(),
                    label: name.as_str().into(),
                };
                files.iter().enumerate().map(part).collect()
            }
        }
    }

    /// The files that an importer looks for. A file that was named itself is taken whatever it is called.
    pub(super) fn wanted(
        &self,
        kind: Kind,
        path: &Path,
        what: &str,
        is: impl Fn(&Part) -> bool,
    ) -> Result<Vec<Part>, ImportError> {
        let parts = self.parts();
        if matches!(&self.root, Root::Files(files) if files.len() == 1 && files[0].1 == path) {
            return Ok(parts);
        }
        let wanted: Vec<Part> = parts.into_iter().filter(is).collect();
        if wanted.is_empty() {
            Err(ImportError::not(kind, path, format!("it has no {what}")))
        } else {
            Ok(wanted)
        }
    }

    fn reader(&mut self, part: &Part) -> io::Result<Box<dyn BufRead + '_>> {
        match &mut self.root {
            Root::Zip(archive, entries) => Ok(Box::new(archive.read(&entries[part.index])?)),
            Root::Files(files) => {
                Ok(Box::new(BufReader::with_capacity(1 << 16, std::fs::File::open(&files[part.index].1)?)))
            }
        }
    }

    /// Reads a file. What stops it there is reported, and what was read stays.
    pub(super) fn read(
        &mut self,
        part: &Part,
        intake: &mut Intake<'_>,
        read: impl FnOnce(&mut dyn BufRead, &mut Intake<'_>) -> Result<(), Halt>,
    ) -> Result<(), Stopped> {
        let outcome = self.reader(part).map_err(Halt::from).and_then(|mut reader| read(&mut reader, intake));
        let error = match outcome {
            Ok(()) => return Ok(()),
            Err(Halt::Stopped(stopped)) => return Err(stopped),
            Err(Halt::Broken(error)) => error,
        };
        let reason = match &error {
            PullError::Truncated => Reason::Truncated,
            PullError::Syntax(_) => Reason::Malformed,
            PullError::Io(error) => archive::reason(error),
        };
        intake.skip(Place::file(&part.label), reason, format!("the rest of it was not read: {error}"))
    }

    /// Reads a file as JSON.
    pub(super) fn json(
        &mut self,
        part: &Part,
        intake: &mut Intake<'_>,
        read: impl FnOnce(&mut Pull<&mut dyn BufRead>, &mut Intake<'_>) -> Result<(), Halt>,
    ) -> Result<(), Stopped> {
        self.read(part, intake, |input, intake| read(&mut Pull::new(input), intake))
    }

    /// Reads a small JSON file whole; nothing if it is not there or broken, which is reported.
    pub(super) fn value(&mut self, part: &Part, intake: &mut Intake<'_>) -> Result<Value, Stopped> {
        let mut value = Value::Null;
        self.read(part, intake, |input, _| {
            let mut raw = Vec::new();
            input.take(FILE_MAX).read_to_end(&mut raw)?;
            value = json::parse(&raw).map_err(|error| match error.is_eof() {
                true => PullError::Truncated,
                false => PullError::Syntax(0),
            })?;
            Ok(())
        })?;
        Ok(value)
    }
}

/// Reads a list, one item in memory at a time. An item that is broken or too large is left out, and the next is read.
pub(super) fn each<R: BufRead>(
    pull: &mut Pull<R>,
    (file, unit): (&Arc<str>, &'static str),
    number: &mut u64,
    intake: &mut Intake<'_>,
    mut item: impl FnMut(&Value, Place, &mut Intake<'_>) -> Result<(), Stopped>,
) -> Result<(), Halt> {
    let mut at = pull.at();
    pull.items::<Halt>(|pull| {
        *number += 1;
        let place = Place::part(file, unit, *number);
        match pull.value(ITEM_MAX)? {
            Raw::TooLarge => intake.skip(place, Reason::TooLarge, format!("longer than {ITEM_MAX} bytes"))?,
            Raw::Value(raw) => match json::parse(&raw) {
                Ok(value) => item(&value, place, intake)?,
                Err(error) => {
                    intake.skip(
                        place,
                        Reason::Malformed,
                        format!("no JSON near column {}", error.column()),
                    )?;
                }
            },
        }
        intake.advance(pull.at() - at);
        at = pull.at();
        Ok(())
    })
}
