//! The disclosure ledger: what was shown to whom, kept without any of it.
//!
//! An entry says who read which part of which record and how much that was. It never holds the text that was shown, the
//! phrase that was looked for or a cursor: a ledger of secrets would be one more place to lose them from.

use crate::shape::{RecordIdentity, RecordRef};
use crate::time::Millis;
use std::borrow::Cow;
use stepwell_contract::{Bytes, ConnectionId, RecordId, Span, StreamName};

/// Something that is about to be shown to a caller. Parts that are left out do not apply: a list of streams has no record,
/// a whole record no field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disclosure {
    /// The connection.
    pub connection: Option<ConnectionId>,
    /// The stream.
    pub stream: Option<StreamName>,
    /// The record's own key.
    pub record: Option<RecordId>,
    /// The field's path.
    pub field: Option<String>,
    /// Which part of the field.
    pub extent: Option<Extent>,
    /// How many bytes of it stand in the answer. What both channels of an answer repeat counts once.
    pub bytes: Bytes,
    /// The tier that was asked how to show it.
    pub tier: Option<Cow<'static, str>>,
}

/// A part of a field, in the unit that the field is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Code points of a text.
    Chars(Span),
    /// Bytes of a blob, from the first to the one after the last.
    Bytes(Bytes, Bytes),
}

impl Extent {
    /// The first place inside and the first one after.
    #[must_use]
    pub const fn bounds(self) -> (u64, u64) {
        match self {
            Self::Chars(span) => (span.start().get(), span.end().get()),
            Self::Bytes(start, end) => (start.get(), end.get()),
        }
    }

    /// What is counted.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Chars(_) => "chars",
            Self::Bytes(..) => "bytes",
        }
    }
}

impl Disclosure {
    /// A record as it is shown in a list or as a document.
    #[must_use]
    pub fn of_record(identity: &RecordIdentity, bytes: Bytes) -> Self {
        Self {
            connection: Some(identity.connection.clone()),
            stream: Some(identity.stream.clone()),
            record: Some(identity.record.clone()),
            bytes,
            ..Self::default()
        }
    }

    /// A part of one of a record's fields.
    #[must_use]
    pub fn of_part(
        identity: &RecordIdentity,
        field: impl Into<String>,
        extent: Extent,
        bytes: Bytes,
    ) -> Self {
        Self { field: Some(field.into()), extent: Some(extent), ..Self::of_record(identity, bytes) }
    }

    /// Names the tier that was asked how to show it.
    #[must_use]
    pub fn shaped_by(mut self, tier: Option<impl Into<Cow<'static, str>>>) -> Self {
        self.tier = tier.map(Into::into);
        self
    }
}

/// When an entry is on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durable {
    /// Before its answer leaves, so that it survives a loss of power.
    #[default]
    AtOnce,
    /// Within a second. Until then it survives the end of the program, however that ends, and no loss of power.
    Soon,
}

/// What is written down for one answer.
#[derive(Clone, Debug)]
pub(crate) struct NewEntries {
    pub(crate) durable: Durable,
    pub(crate) at: Millis,
    pub(crate) tool: String,
    pub(crate) disclosed: Vec<NewEntry>,
}

/// One thing that is shown, and under which grant.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) grant: String,
    pub(crate) client: String,
    pub(crate) what: Disclosure,
}

/// Which entries are meant. Everything that is left out means "any".
#[derive(Clone, Debug, Default)]
pub struct LedgerFilter {
    /// Read under this grant.
    pub grant: Option<String>,
    /// Of this record, in any connection if it names none.
    pub record: Option<RecordRef>,
    /// From this moment on.
    pub since: Option<Millis>,
    /// Before this moment.
    pub until: Option<Millis>,
}

/// An entry of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    pub(crate) id: i64,
    /// When.
    pub at: Millis,
    /// Under which grant.
    pub grant: String,
    /// The name of the client that the grant was made for.
    pub client: String,
    /// By which tool or method.
    pub tool: String,
    /// Of which connection.
    pub connection: Option<String>,
    /// Of which stream.
    pub stream: Option<String>,
    /// Of which record.
    pub record: Option<String>,
    /// Of which field.
    pub field: Option<String>,
    /// Which part of it.
    pub extent: Option<Extent>,
    /// How many bytes.
    pub bytes: u64,
    /// The tier that was asked how to show it.
    pub tier: Option<String>,
}

/// Where a page of the ledger ends and the next one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerPlace {
    pub(crate) at: Millis,
    pub(crate) id: i64,
}

impl From<&LedgerEntry> for LedgerPlace {
    fn from(entry: &LedgerEntry) -> Self {
        Self { at: entry.at, id: entry.id }
    }
}

/// What is left of entries that were removed: that there were some, and none of what they said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// When they were removed, or the last of them.
    pub erased_at: Millis,
    /// Why.
    pub reason: Erased,
    /// How many there were.
    pub entries: u64,
    /// How many bytes they had counted.
    pub bytes: u64,
    /// The moment of the oldest.
    pub first_at: Millis,
    /// The moment of the newest.
    pub last_at: Millis,
}

/// Why entries were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erased {
    /// They were older than the ledger is kept.
    ByAge,
    /// The owner asked for it.
    ByOwner,
}

impl Erased {
    /// The reason in one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ByAge => "age",
            Self::ByOwner => "owner",
        }
    }

    pub(crate) const fn code(self) -> i64 {
        match self {
            Self::ByAge => 0,
            Self::ByOwner => 1,
        }
    }

    pub(crate) const fn from_code(code: i64) -> Self {
        if code == 0 { Self::ByAge } else { Self::ByOwner }
    }
}

/// How much a part of the ledger says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerSum {
    /// How many entries.
    pub entries: u64,
    /// How many bytes they count.
    pub bytes: u64,
    /// The moments of the oldest and the newest.
    pub span: Option<(Millis, Millis)>,
}
