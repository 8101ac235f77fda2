//! The digest of a record: it changes exactly when something that is stored of the record changes.

use crate::shape::{Digest, FieldKind};
use crate::time::Millis;
use sha2::{Digest as _, Sha256};

/// A record's digest under way. Its top-level fields are added in the order of their names.
pub(crate) struct RecordDigest(Sha256);

impl RecordDigest {
    /// Starts with the record's own times.
    pub(crate) fn new(time: Option<Millis>, consent: Option<Millis>) -> Self {
        let mut digest = Self(Sha256::new());
        digest.put(format!("{time:?} {consent:?}").as_bytes());
        digest
    }

    /// Adds a field.
    pub(crate) fn field(
        &mut self,
        top: &str,
        kind: FieldKind,
        digest: &[u8],
        mime: Option<&str>,
        file_name: Option<&str>,
    ) {
        self.put(top.as_bytes());
        self.put(kind.as_str().as_bytes());
        self.put(digest);
        self.put(format!("{mime:?} {file_name:?}").as_bytes());
    }

    /// Ends it.
    pub(crate) fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }

    fn put(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }
}
