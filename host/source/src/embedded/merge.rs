//! What a new version of a record changes, field by field: the same for both engines.

use crate::error::Failure;
use crate::prepare::PreparedRecord;
use crate::shape::Digest;
use std::collections::HashMap;

/// A top-level field as it is stored.
#[derive(Debug)]
pub(crate) struct EarlierField {
    pub(crate) top: String,
    pub(crate) kind: i64,
    pub(crate) digest: Digest,
    pub(crate) mime: Option<String>,
    pub(crate) file_name: Option<String>,
    /// Since which revision it has been so.
    pub(crate) revision: i64,
}

/// What a new version changes.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// The fields that stay as they were, each with the revision since which it has been so.
    kept: HashMap<String, i64>,
    /// The fields that go.
    pub(crate) gone: Vec<String>,
    /// Whether any field comes, goes or changes.
    pub(crate) any: bool,
}

impl Difference {
    /// Compares a record with the fields that it had.
    pub(crate) fn of(earlier: Vec<EarlierField>, record: &PreparedRecord) -> Self {
        let mut earlier: HashMap<String, EarlierField> =
            earlier.into_iter().map(|field| (field.top.clone(), field)).collect();
        let mut difference = Self::default();
        for field in record.fields.iter().filter(|field| !field.nested) {
            let is_same = |old: &EarlierField| {
                (old.kind, old.digest) == (field.kind.code(), field.digest)
                    && (&old.mime, &old.file_name) == (&field.mime, &field.file_name)
            };
            match earlier.remove(&field.top) {
                Some(old) if is_same(&old) => {
                    difference.kept.insert(old.top, old.revision);
                }
                _ => difference.any = true,
            }
        }
        difference.gone = earlier.into_keys().collect();
        difference.any |= !difference.gone.is_empty();
        difference
    }

    /// Since which revision a field has been as it is, if the version is stored as this revision.
    pub(crate) fn revision_of(&self, top: &str, revision: i64) -> i64 {
        self.kept.get(top).copied().unwrap_or(revision)
    }
}

/// A name of chance for a revision.
pub(crate) fn new_mark() -> Result<[u8; 16], Failure> {
    let mut mark = [0; 16];
    getrandom::fill(&mut mark)
        .map_err(|error| Failure::Store(format!("no random bits for a revision: {error}")))?;
    Ok(mark)
}
