//! Exports that come packed. Nothing is unpacked to a disk, and nothing unpacks to more than a file of its kind would.

use crate::error::ImportError;
use crate::intake::{Intake, Stopped};
use crate::limits::{ZIP_ENTRIES, ZIP_RATIO, ZIP_RATIO_FROM};
use crate::skip::{Place, Reason};
use crate::{input, text};
use flate2::bufread::DeflateDecoder;
use rawzip::{
    CompressionMethod, ErrorKind, FileReader, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, RECOMMENDED_BUFFER_SIZE,
    ZipArchive, ZipArchiveEntryWayfinder, ZipFileHeaderRecord,
};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// An open ZIP.
pub(crate) struct Archive {
    zip: ZipArchive<FileReader>,
    name: Arc<str>,
}

/// What stands in an archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    at: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
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
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let zip = ZipArchive::from_file(input::open(path)?, &mut buffer)
            .map_err(|error| ImportError::io(path)(io_error(error)))?;
        Ok(Some(Self { zip, name: input::name(path) }))
    }

    /// What is in it, by name. What cannot be read, or lies outside by its name, is left out.
    pub(crate) fn entries(&mut self, intake: &mut Intake<'_>) -> Result<Vec<Entry>, Stopped> {
        // Large enough for any entry that the format allows.
        let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let mut listed = self.zip.entries(&mut buffer);
        let (mut entries, mut seen) = (Vec::new(), 0);
        loop {
            let place = Place::part(&self.name, "entry", seen as u64 + 1);
            match listed.next_entry() {
                Err(error) => {
                    intake.skip(place, Reason::Malformed, io_error(error).to_string())?;
                    break;
                }
                Ok(None) => {
                    if (seen as u64) < self.zip.entries_hint() {
                        let detail = "it has fewer entries than it says";
                        intake.skip(Place::file(&self.name), Reason::Malformed, detail)?;
                    }
                    break;
                }
                Ok(Some(_)) if seen == ZIP_ENTRIES => {
                    let detail = format!("only the first {ZIP_ENTRIES} entries are looked at");
                    intake.skip(Place::file(&self.name), Reason::TooLarge, detail)?;
                    break;
                }
                Ok(Some(entry)) if entry.is_dir() => {}
                Ok(Some(entry)) => match look(&entry) {
                    Ok(entry) => entries.push(entry),
                    Err((reason, detail)) => intake.skip(place, reason, detail)?,
                },
            }
            seen += 1;
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Reads an entry as it unpacks, and checks at its end that it is what was packed.
    pub(crate) fn read(&self, entry: &Entry) -> io::Result<BufReader<impl Read>> {
        let found = self.zip.get_entry(entry.at).map_err(io_error)?;
        let (from, to) = found.compressed_data_range();
        let packed = BufReader::with_capacity(1 << 16, found.reader());
        let file = found.verifying_reader(unpack(entry.method, packed)?);
        let watched = Watched { file, packed: to.saturating_sub(from), unpacked: 0 };
        Ok(BufReader::with_capacity(1 << 16, watched))
    }

    /// What reports call an entry.
    pub(crate) fn label(&self, entry: &Entry) -> Arc<str> {
        format!("{}:{}", self.name, entry.name).into()
    }
}

/// What is said about an entry, if it may be read at all.
fn look(entry: &ZipFileHeaderRecord<'_>) -> Result<Entry, (Reason, &'static str)> {
    if entry.mode().is_symlink() {
        return Err((Reason::Link, "links are not followed"));
    }
    if entry.flags().is_encrypted() {
        return Err((Reason::Encrypted, "it needs a password"));
    }
    let name = text::decode(entry.file_path().as_bytes()).replace('\\', "/");
    let leads_out = name.starts_with('/') || name.split('/').any(|part| part == ".." || part.ends_with(':'));
    if leads_out || name.contains('\0') {
        return Err((Reason::UnsafeName, "its name leads out of the archive"));
    }
    Ok(Entry { at: entry.wayfinder(), method: entry.compression_method(), name })
}

/// Unpacks what was packed in one of the two ways that exports and documents use.
pub(crate) fn unpack<'a>(
    method: CompressionMethod,
    packed: impl BufRead + 'a,
) -> io::Result<Box<dyn Read + 'a>> {
    match method {
        CompressionMethod::STORE => Ok(Box::new(packed)),
        CompressionMethod::DEFLATE => Ok(Box::new(DeflateDecoder::new(packed))),
        other => Err(io::Error::new(io::ErrorKind::Unsupported, format!("it is packed by {other}"))),
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

fn io_error(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::IO(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, format!("the ZIP is broken: {other}")),
    }
}
