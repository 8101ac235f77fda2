//! Exports that come packed. Nothing is unpacked to a disk, and nothing unpacks to more than a file of its kind would.

use crate::error::ImportError;
use crate::input;
use crate::intake::{Intake, Stopped};
use crate::limits::{ZIP_ENTRIES, ZIP_RATIO, ZIP_RATIO_FROM};
use crate::skip::{Place, Reason};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use zip::ZipArchive;
use zip::result::ZipError;

/// An open ZIP.
pub(crate) struct Archive {
    zip: ZipArchive<BufReader<File>>,
    name: Arc<str>,
}

/// What stands in an archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    index: usize,
    /// Its name, with the folders that it lies in.
    pub(crate) name: String,
}

impl Archive {
    /// Opens a file if it is a ZIP.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, ImportError> {
        let mut file = input::open(path)?;
        let mut magic = [0; 4];
        let is_zip = file.read_exact(&mut magic).is_ok() && matches!(&magic, b"PK\x03\x04" | b"PK\x05\x06");
        if !is_zip {
            return Ok(None);
        }
        let file = BufReader::with_capacity(1 << 16, input::open(path)?);
        let zip = ZipArchive::new(file).map_err(|error| ImportError::io(path)(io_error(error)))?;
        Ok(Some(Self { zip, name: input::name(path) }))
    }

    /// What is in it, by name. What cannot be read, or lies outside by its name, is left out.
    pub(crate) fn entries(&mut self, intake: &mut Intake<'_>) -> Result<Vec<Entry>, Stopped> {
        let mut entries = Vec::new();
        for index in 0..self.zip.len().min(ZIP_ENTRIES) {
            let place = Place::part(&self.name, "entry", index as u64 + 1);
            match self.zip.by_index_raw(index) {
                Err(error) => intake.skip(place, Reason::Malformed, io_error(error).to_string())?,
                Ok(entry) if entry.is_dir() => {}
                Ok(entry) if entry.is_symlink() => {
                    intake.skip(place, Reason::Link, "links are not followed")?
                }
                Ok(entry) if entry.encrypted() => {
                    intake.skip(place, Reason::Encrypted, "it needs a password")?
                }
                Ok(entry) => match (entry.enclosed_name(), entry.name()) {
                    (Some(_), Ok(name)) if !name.contains('\0') && !name.starts_with('/') => {
                        entries.push(Entry { index, name: name.replace('\\', "/") });
                    }
                    _ => intake.skip(place, Reason::UnsafeName, "its name leads out of the archive")?,
                },
            }
        }
        if self.zip.len() > ZIP_ENTRIES {
            let detail = format!("only the first {ZIP_ENTRIES} entries are looked at");
            intake.skip(Place::file(&self.name), Reason::TooLarge, detail)?;
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Reads an entry as it unpacks.
    pub(crate) fn read(&mut self, entry: &Entry) -> io::Result<BufReader<impl Read>> {
        let file = self.zip.by_index(entry.index).map_err(io_error)?;
        let packed = file.compressed_size();
        Ok(BufReader::with_capacity(1 << 16, Watched { file, packed, unpacked: 0 }))
    }

    /// What reports call an entry.
    pub(crate) fn label(&self, entry: &Entry) -> Arc<str> {
        format!("{}:{}", self.name, entry.name).into()
    }
}

/// Stops what grows as no honest file does. The sizes that an archive states are its own word and count for nothing.
struct Watched<R> {
    file: R,
    packed: u64,
    unpacked: u64,
}

/// An entry unpacks to more than it should.
#[derive(Debug, thiserror::Error)]
#[error("it unpacks to more than {ZIP_RATIO} times its size")]
pub(crate) struct Bomb;

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.unpacked += read as u64;
        if self.unpacked > ZIP_RATIO_FROM && self.unpacked / ZIP_RATIO > self.packed {
            return Err(io::Error::other(Bomb));
        }
        Ok(read)
    }
}

/// Why a read from an archive failed, as a reason.
pub(crate) fn reason(error: &io::Error) -> Reason {
    let is_bomb = error.get_ref().is_some_and(|inner| inner.is::<Bomb>());
    match error.kind() {
        _ if is_bomb => Reason::ZipBomb,
        io::ErrorKind::UnexpectedEof => Reason::Truncated,
        _ => Reason::Malformed,
    }
}

fn io_error(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, format!("the ZIP is broken: {other}")),
    }
}
