//! One entry of an archive while it is being written.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter, ZipDataWriter, ZipEntryWriter};
use std::io::{BufWriter, IntoInnerError, Write};

/// How much is handed to the compressor at once.
const BUFFER: usize = 64 * 1024;

/// How an entry is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Deflated,
    Stored,
}

/// What is packed already; trying again costs time and saves nothing.
const PACKED: &[&str] = &[
    "application/gzip",
    "application/vnd.openxmlformats",
    "application/x-7z",
    "application/zip",
    "audio/",
    "image/gif",
    "image/heic",
    "image/jpeg",
    "image/png",
    "image/webp",
    "video/",
];

impl Packing {
    /// What suits a kind of file.
    pub(super) fn of(mime: Option<&str>) -> Self {
        let mime = mime.unwrap_or_default().to_ascii_lowercase();
        if PACKED.iter().any(|kind| mime.starts_with(kind)) { Self::Stored } else { Self::Deflated }
    }
}

/// An entry that is being written. It must be closed: what is dropped is no entry.
pub(super) enum Entry<'a, W: Write> {
    Deflated(BufWriter<ZipDataWriter<DeflateEncoder<ZipEntryWriter<'a, W>>>>),
    Stored(BufWriter<ZipDataWriter<ZipEntryWriter<'a, W>>>),
}

impl<'a, W: Write> Entry<'a, W> {
    pub(super) fn open(
        archive: &'a mut ZipArchiveWriter<W>,
        path: &str,
        packing: Packing,
    ) -> anyhow::Result<Self> {
        let method = match packing {
            Packing::Deflated => CompressionMethod::DEFLATE,
            Packing::Stored => CompressionMethod::STORE,
        };
        let mut file = archive.new_file(path).compression_method(method);
        // The first moment that the format can say: when it was made is no part of what it holds.
        if let Some(at) = UtcDateTime::from_components(1980, 1, 1, 0, 0, 0, 0) {
            file = file.last_modified(at);
        }
        let (entry, config) = file.start()?;
        Ok(match packing {
            Packing::Deflated => {
                let encoder = DeflateEncoder::new(entry, Compression::default());
                Self::Deflated(BufWriter::with_capacity(BUFFER, config.wrap(encoder)))
            }
            Packing::Stored => Self::Stored(BufWriter::with_capacity(BUFFER, config.wrap(entry))),
        })
    }

    pub(super) fn close(self) -> anyhow::Result<()> {
        match self {
            Self::Deflated(data) => {
                let (encoder, end) = data.into_inner().map_err(IntoInnerError::into_error)?.finish()?;
                encoder.finish()?.finish(end)?;
            }
            Self::Stored(data) => {
                let (entry, end) = data.into_inner().map_err(IntoInnerError::into_error)?.finish()?;
                entry.finish(end)?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for Entry<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Deflated(data) => data.write(bytes),
            Self::Stored(data) => data.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Deflated(data) => data.flush(),
            Self::Stored(data) => data.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_not_packed_again() {
        assert_eq!(Packing::of(Some("image/PNG")), Packing::Stored);
        for loose in [Some("image/svg+xml"), Some("text/plain"), None] {
            assert_eq!(Packing::of(loose), Packing::Deflated);
        }
    }
}
