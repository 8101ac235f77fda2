//! What was left out, where it stands, and why.

use std::fmt;
use std::sync::Arc;
use stepwell_source::prepare::RejectionCode;

/// Where in the input something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was named or as it is called inside its archive.
    pub file: Arc<str>,
    /// What is counted: `message`, `line`, `row`, `conversation`.
    pub unit: &'static str,
    /// Its number, from 1; none for the file as a whole.
    pub number: Option<u64>,
}

impl Place {
    /// The whole of a file.
    pub(crate) fn file(file: &Arc<str>) -> Self {
        Self { file: Arc::clone(file), unit: "file", number: None }
    }

    /// A numbered part of a file.
    pub(crate) fn part(file: &Arc<str>, unit: &'static str, number: u64) -> Self {
        Self { file: Arc::clone(file), unit, number: Some(number) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "{}, {} {number}", self.file, self.unit),
            None => write!(f, "{}", self.file),
        }
    }
}

/// Why something was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It is there already, to the letter.
    Duplicate,
    /// It is not of the form that its kind has.
    Malformed,
    /// The input ends in the middle of it.
    Truncated,
    /// It is larger than a limit.
    TooLarge,
    /// It unpacks to far more than a file of its kind would.
    ZipBomb,
    /// It is locked by a password.
    Encrypted,
    /// Its name leads out of the folder or archive that it stands in.
    UnsafeName,
    /// It is a link to somewhere else.
    Link,
    /// The system does not let it be read.
    Unreadable,
    /// It is no text.
    NotText,
    /// Its record is there, without the text that the file may have.
    NoText,
    /// Its records are there, without a time, which would have been a guess. Grants with a time range do not cover them.
    NoTime,
    /// The store takes no such record.
    Refused(RejectionCode),
}

impl Reason {
    /// Its name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
            Self::TooLarge => "too_large",
            Self::ZipBomb => "zip_bomb",
            Self::Encrypted => "encrypted",
            Self::UnsafeName => "unsafe_name",
            Self::Link => "link",
            Self::Unreadable => "unreadable",
            Self::NotText => "not_text",
            Self::NoText => "no_text",
            Self::NoTime => "no_time",
            Self::Refused(code) => code.as_str(),
        }
    }

    /// Whether a record is missing in the store because of it. A second copy is not.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        !matches!(self, Self::Duplicate | Self::NoText | Self::NoTime)
    }
}

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Where it stands.
    pub place: Place,
    /// Why.
    pub reason: Reason,
    /// More about it, without what it says.
    pub detail: String,
}

impl Skip {
    pub(crate) fn new(place: Place, reason: Reason, detail: impl Into<String>) -> Self {
        Self { place, reason, detail: detail.into() }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, reason, detail } = self;
        write!(f, "{place}: {}: {detail}", reason.as_str())
    }
}
