//! What a tier answers: plans, which the caller carries out.

use crate::shape::{Options, Slot};
use stepwell_contract::{Bytes, Chars, Span};

/// A part of a field, which the caller slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The field.
    pub path: String,
    /// The part of it.
    pub at: Span,
}

/// Text of a tier's own: bounded, on one line, without control and bidi characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The text.
    pub text: String,
    /// The passage it stands for.
    pub covers: Option<Passage>,
}

/// Something to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The record's own words.
    Verbatim(Passage),
    /// The tier's words, to be marked as derived.
    Derived(Derived),
}

/// A place to jump to inside a long field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The field.
    pub path: String,
    /// The code point to start reading at.
    pub at: Chars,
    /// What stands there.
    pub label: Shown,
}

/// The preview of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The record.
    pub slot: Slot,
    /// What to call it.
    pub title: Option<Shown>,
    /// What to show, the most telling first.
    pub lines: Vec<Shown>,
    /// Where to jump to.
    pub anchors: Vec<Anchor>,
}

/// Which window is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Read on from a place.
    Page {
        /// Where the window starts.
        offset: Chars,
        /// How much it holds at most.
        limit: Chars,
    },
    /// Read up to a place.
    Back {
        /// Where the window ends.
        end: Chars,
        /// How much it holds at most.
        limit: Chars,
    },
    /// Read around a match.
    Around {
        /// The match, which the window contains.
        hit: Span,
        /// How much it holds at most before the match.
        before: Chars,
        /// How much it holds at most after the match.
        after: Chars,
        /// How much it holds at most in all, or the match if that alone is longer.
        limit: Chars,
    },
}

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The record as a resource.
    WholeRecord,
    /// The first window of a readable field.
    Field(String),
    /// The bytes of a binary field.
    Blob(String),
}

/// A link to offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// What it leads to.
    pub target: Target,
    /// What a person reads on it.
    pub title: String,
    /// How much it matters, from 0 to 1.
    pub priority: f32,
}

/// A part of a record resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The field.
    pub path: String,
    /// The span of it; nothing for as much as fits.
    pub at: Option<Span>,
}

/// A blob without its content.
#[derive(Clone, Debug, PartialEq)]
pub struct BlobShape {
    /// The binary field.
    pub path: String,
    /// The declared MIME type.
    pub mime: Option<String>,
    /// Its size, where known.
    pub bytes: Option<Bytes>,
    /// The declared file name, exactly as the data has it.
    pub file_name: Option<String>,
    /// The first bytes.
    pub head: Vec<u8>,
    /// Further facts.
    pub options: Options,
}

/// How a blob may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In windows, and as a download.
    Window,
    /// As a download only.
    DownloadOnly,
    /// Not at all.
    Refuse,
}

/// How a blob is presented: a safe name and a MIME type from the allow-list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The name of the file.
    pub file_name: String,
    /// The MIME type.
    pub mime: String,
    /// How it may leave.
    pub mode: Mode,
    /// A remark for the reader.
    pub note: Option<String>,
}
