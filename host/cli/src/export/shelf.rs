//! The files that records refer to, each once, in the order in which they were met.

use super::names::Names;
use anyhow::Context as _;
use serde_json::{Value, json};
use std::collections::HashMap;
use stepwell_contract::Bytes;
use stepwell_source::RecordView;
use stepwell_source::shape::{Digest, FieldView, RecordIdentity};

/// Where files go inside an archive.
const FOLDER: &str = "files/";

/// A file, and one of the places that it can be read from. This is all that is held of it: its bytes are read when it is
/// written.
#[derive(Debug)]
pub(super) struct Shelved {
    pub(super) path: String,
    pub(super) digest: Digest,
    pub(super) bytes: Bytes,
    pub(super) mime: Option<String>,
    pub(super) record: RecordIdentity,
    pub(super) field: String,
}

/// The files so far.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    files: Vec<Shelved>,
    known: HashMap<Digest, usize>,
    names: Names,
}

impl Shelf {
    /// Puts a file aside unless it is there, and says in JSON what it is and where.
    pub(super) fn put(&mut self, view: &RecordView, field: &FieldView) -> anyhow::Result<Value> {
        let shape = &field.shape;
        let digest = shape.digest.context("the store does not know a file's digest: stepwell store check")?;
        let index = match self.known.get(&digest) {
            Some(index) => *index,
            None => {
                let wanted = shape.file_name.as_deref().unwrap_or("file");
                let path = self.names.tagged(FOLDER, wanted, &hex(&digest));
                self.files.push(Shelved {
                    path,
                    digest,
                    bytes: shape.bytes.unwrap_or_default(),
                    mime: shape.mime.clone(),
                    record: view.identity.clone(),
                    field: field.name.clone(),
                });
                self.known.insert(digest, self.files.len() - 1);
                self.files.len() - 1
            }
        };
        let mut said = json!({ "mime_type": shape.mime.as_deref().unwrap_or("application/octet-stream") });
        if let Some(name) = &shape.file_name {
            said["file_name"] = name.as_str().into();
        }
        let file = &self.files[index];
        said["size_bytes"] = file.bytes.get().into();
        said["sha256"] = hex(&digest).into();
        said["path"] = file.path.as_str().into();
        Ok(said)
    }

    pub(super) fn files(&self) -> &[Shelved] {
        &self.files
    }

    /// The bytes of all files.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes.get()).sum()
    }
}

/// A digest without its prefix.
pub(super) fn hex(digest: &Digest) -> String {
    digest.0.iter().map(|byte| format!("{byte:02x}")).collect()
}
