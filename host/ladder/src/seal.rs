//! Seals and opens the cursors of one field for one caller.

use stepwell_contract::cursor::{CursorBinding, FieldVersion, Keyring, Position};
use stepwell_contract::{Chars, FieldPath, Refusal};
use stepwell_source::shape::{Digest, RecordIdentity};
use stepwell_source::{Caller, time};

pub(crate) struct Seal<'a> {
    keys: &'a Keyring,
    grant: &'a str,
    record: String,
    pointer: String,
    version: FieldVersion,
    now_unix: u64,
}

impl<'a> Seal<'a> {
    pub(crate) fn new(
        keys: &'a Keyring,
        caller: &'a Caller,
        record: &RecordIdentity,
        path: &FieldPath,
        version: FieldVersion,
        now_unix: u64,
    ) -> Self {
        Self {
            keys,
            grant: caller.grant(),
            record: record.id().to_string(),
            pointer: path.pointer(),
            version,
            now_unix,
        }
    }

    fn binding(&self) -> CursorBinding<'_> {
        CursorBinding { grant: self.grant, record: &self.record, field: &self.pointer }
    }

    /// Opens a cursor and checks that the field is still the one that it was made for.
    pub(crate) fn open(&self, cursor: &str) -> Result<Position, Refusal> {
        let state = self.keys.open(&self.binding(), cursor, self.now_unix)?;
        state.check_fresh(&self.version)?;
        Ok(state.position)
    }

    pub(crate) fn seal(&self, position: &Position) -> String {
        self.keys.seal(&self.binding(), position, &self.version, self.now_unix)
    }

    /// A cursor to the window that starts somewhere.
    pub(crate) fn window(&self, span_start: Chars, limit: Chars) -> String {
        self.seal(&Position::Window { span_start, limit })
    }
}

/// What a field is known by: its digest, or where there is none its length.
pub(crate) fn version(digest: Option<Digest>, chars: Option<Chars>) -> FieldVersion {
    digest.map_or(FieldVersion::Size(chars.unwrap_or_default()), |digest| FieldVersion::Digest(digest.0))
}

/// The clock, in the unit that cursors expire by.
pub(crate) fn now_unix() -> u64 {
    time::now().max(0).unsigned_abs() / 1000
}
