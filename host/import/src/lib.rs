//! Turns what people can download of their own data into records: mail archives, chat exports, tables, folders.
//!
//! An importer reads one thing at a time (a message, a conversation, a row), says which streams it fills, and hands over
//! drafts. What cannot be read is left out with a reason and a place, and the rest goes on. This crate writes to no store
//! and knows no protocol: a [`Sink`] takes what it finds. The same input gives the same drafts, so an import can be run
//! again.

mod archive;
mod chat;
mod draft;
mod error;
mod extract;
mod files;
mod input;
mod intake;
mod json;
mod key;
mod kind;
pub mod limits;
mod mail;
mod moment;
mod shape;
mod skip;
mod table;
mod text;

pub use chat::whatsapp::{DateOrder, UnknownDateOrder};
pub use draft::{Draft, Stream, StreamIndex};
pub use error::ImportError;
#[cfg(unix)]
pub use extract::text_host;
pub use extract::{Extractor, Format, NoText};
pub use intake::{Sink, Stopped};
pub use kind::Kind;
pub use shape::Shape;
pub use skip::{Place, Reason, Skip};

use intake::Intake;
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// What to import.
#[derive(Clone, Debug)]
pub struct Import {
    /// What kind of thing it is.
    pub kind: Kind,
    /// The files or folders.
    pub paths: Vec<PathBuf>,
    /// What the input does not say itself.
    pub options: Options,
    /// What takes the text out of DOCX and PDF; without it such files are stored without their text.
    pub extractor: Option<Extractor>,
}

/// What people call the connection of a file, if they do not say.
#[must_use]
pub fn label(path: &std::path::Path) -> String {
    input::stem(path)
}

/// What some kinds need to be told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The stream that a table fills, instead of one named after its file.
    pub stream: Option<String>,
    /// The column that makes the key of a table's records.
    pub key: Option<String>,
    /// The column that says when a table's record happened. It is what the time ranges of grants go by, so none is chosen
    /// if none is named.
    pub time: Option<String>,
    /// Where the clocks stood that an export shows times of without a zone. Without it, such times are none.
    pub zone: Option<TimeZone>,
    /// Whether an exported chat writes the day, the month or the year first, where its dates do not show it.
    pub date_order: Option<DateOrder>,
}

impl Import {
    /// How many bytes there are to read, where that can be told beforehand.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        input::size(&self.paths)
    }

    /// Reads everything and hands it to the sink.
    pub fn run(&self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let mut intake = Intake::new(sink);
        let (paths, options) = (self.paths.as_slice(), &self.options);
        let extractor = self.extractor.as_ref();
        match self.kind {
            Kind::Mbox => mail::mbox::import(paths, extractor, &mut intake),
            Kind::Maildir => mail::maildir::import(paths, extractor, &mut intake),
            Kind::Jsonl => table::jsonl::import(paths, options, &mut intake),
            Kind::Csv => table::csv::import(paths, options, &mut intake),
            Kind::Sqlite => table::sqlite::import(paths, options, &mut intake),
            Kind::Files => files::import(paths, extractor, &mut intake),
            Kind::Chatgpt => chat::chatgpt::import(paths, &mut intake),
            Kind::Claude => chat::claude::import(paths, &mut intake),
            Kind::Slack => chat::slack::import(paths, &mut intake),
            Kind::Whatsapp => chat::whatsapp::import(paths, options, &mut intake),
            Kind::Telegram => chat::telegram::import(paths, options.zone.as_ref(), &mut intake),
        }
    }
}
