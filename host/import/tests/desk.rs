//! Runs an import and keeps all that it hands over.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::path::EntryPath;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use stepwell_import::{Draft, Import, ImportError, Kind, Options, Sink, Skip, Stopped, Stream};
use stepwell_source::prepare::{Manifest, PreparedRecord, prepare};
use tempfile::TempDir;

/// What an import handed over.
#[derive(Default)]
pub(crate) struct Desk {
    pub(crate) streams: Vec<Stream>,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) skips: Vec<Skip>,
    pub(crate) bytes: u64,
}

impl Sink for Desk {
    fn stream(&mut self, stream: Stream) -> Result<(), Stopped> {
        self.streams.push(stream);
        Ok(())
    }

    fn record(&mut self, draft: Draft) -> Result<(), Stopped> {
        self.drafts.push(draft);
        Ok(())
    }

    fn left_out(&mut self, skip: Skip) -> Result<(), Stopped> {
        self.skips.push(skip);
        Ok(())
    }

    fn advance(&mut self, bytes: u64) {
        self.bytes += bytes;
    }
}

impl Desk {
    pub(crate) fn import(kind: Kind, path: &Path) -> Self {
        Self::with(kind, path, Options::default()).expect("an import")
    }

    pub(crate) fn with(kind: Kind, path: &Path, options: Options) -> Result<Self, ImportError> {
        let mut desk = Self::default();
        Import { kind, paths: vec![path.to_owned()], options, extractor: None }.run(&mut desk)?;
        desk.assert_storable();
        Ok(desk)
    }

    /// Every manifest is one, and every draft becomes a record by it.
    fn assert_storable(&self) {
        let manifests = self.streams.iter().map(|stream| {
            Manifest::parse(&stream.manifest.to_string(), &stream.name)
                .unwrap_or_else(|error| panic!("{error}"))
        });
        let manifests: Vec<Manifest> = manifests.collect();
        for draft in &self.drafts {
            let line = draft.line().expect("a line");
            let prepared: PreparedRecord = prepare(&line, &manifests[draft.stream.0])
                .unwrap_or_else(|rejection| panic!("{} {}: {rejection}", draft.place, draft.key));
            assert_eq!(prepared.key.as_str(), draft.key);
        }
    }

    /// The records of a stream, by their keys.
    pub(crate) fn of(&self, stream: &str) -> Vec<(&str, Value)> {
        let of = |draft: &&Draft| self.streams[draft.stream.0].name == stream;
        let data = |draft: &Draft| serde_json::from_str(draft.data.get()).expect("JSON");
        self.drafts.iter().filter(of).map(|draft| (draft.key.as_str(), data(draft))).collect()
    }

    /// The data of the record of a stream that there is one of.
    pub(crate) fn one(&self, stream: &str) -> Value {
        let mut all = self.of(stream);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0).1
    }

    pub(crate) fn reasons(&self) -> Vec<&'static str> {
        self.skips.iter().map(|skip| skip.reason.as_str()).collect()
    }

    /// All records as a golden file shows them: what they are and say, with bytes as a digest.
    pub(crate) fn golden(&self) -> String {
        let mut shown = String::new();
        for draft in &self.drafts {
            let mut data: Value = serde_json::from_str(draft.data.get()).expect("JSON");
            for (_, value) in data.as_object_mut().expect("an object") {
                if let Some(blob) = value.get_mut("$blob") {
                    let sha256 = Sha256::digest(blob["base64"].as_str().expect("base64"));
                    let sha256: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
                    blob["base64"] = json!(format!("(sha256 {})", &sha256[..16]));
                }
            }
            let name = &self.streams[draft.stream.0].name;
            let data = serde_json::to_string_pretty(&data).expect("JSON");
            shown.push_str(&format!("{name}:{} ({})\n{data}\n\n", draft.key, draft.place));
        }
        for skip in &self.skips {
            shown.push_str(&format!("left out: {skip}\n"));
        }
        shown
    }
}

/// A folder for the files of one test.
pub(crate) struct Room(TempDir);

impl Room {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders that it lies in.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// Packs files.
    pub(crate) fn zip(&self, name: &str, entries: &[(&str, &[u8])]) -> PathBuf {
        let path = self.path(name);
        let mut zip = ZipArchiveWriter::new(std::fs::File::create(&path).expect("a file"));
        for (name, content) in entries {
            let file = zip.new_file(EntryPath::verbatim(name.as_bytes()));
            let (mut entry, sums) =
                file.compression_method(CompressionMethod::DEFLATE).start().expect("an entry");
            let mut writer = sums.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
            writer.write_all(content).expect("bytes");
            let (encoder, sums) = writer.finish().expect("sums");
            encoder.finish().expect("an end");
            entry.finish(sums).expect("an entry");
        }
        zip.finish().expect("an archive");
        path
    }
}
