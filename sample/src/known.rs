//! What tests and the demonstration may rely on.
//!
//! Each of these is checked against the generated data, so a change to a story cannot silently take the ground from
//! under a test elsewhere.

use crate::Connection;
use serde_json::Value;

/// The private mail account.
pub const HOME_MAIL: &str = "cin_home_mail";
/// The mail account at work.
pub const WORK_MAIL: &str = "cin_work_mail";
/// The export of a chat program.
pub const CHAT_EXPORT: &str = "cin_chat_export";

/// The stream that both mail accounts have.
pub const MESSAGES: &str = "messages";
/// The chat export's rooms.
pub const CONVERSATIONS: &str = "conversations";
/// The chat export's messages.
pub const CHAT_MESSAGES: &str = "chat_messages";

/// Where a value stands: one top-level field of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The connection's id.
    pub connection: &'static str,
    /// The stream's name.
    pub stream: &'static str,
    /// The record's key.
    pub key: &'static str,
    /// The field's name.
    pub field: &'static str,
}

impl Place {
    const fn home(key: &'static str, field: &'static str) -> Self {
        Self { connection: HOME_MAIL, stream: MESSAGES, key, field }
    }

    const fn work(key: &'static str, field: &'static str) -> Self {
        Self { connection: WORK_MAIL, stream: MESSAGES, key, field }
    }

    const fn chat(stream: &'static str, key: &'static str, field: &'static str) -> Self {
        Self { connection: CHAT_EXPORT, stream, key, field }
    }

    /// Spells the record's self-contained id: `{connection}/{stream}:{key}`.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}/{}:{}", self.connection, self.stream, self.key)
    }

    /// Looks the value up.
    #[must_use]
    pub fn find<'a>(&self, connections: &'a [Connection]) -> Option<&'a Value> {
        let connection = connections.iter().find(|c| c.id == self.connection)?;
        let stream = connection.streams.iter().find(|s| s.name == self.stream)?;
        stream.records.iter().find(|r| r.key == self.key)?.data.get(self.field)
    }
}

/// The reading circle's whole log: several megabytes of text in many scripts.
pub const LONG_TEXT: Place = Place::home("m-0504", "body");
/// Stands once in all the data, in the last fiftieth of [`LONG_TEXT`].
pub const UNIQUE_PHRASE: &str = "The Heron of ZÜRICH keeps the Ferry Key";
/// The same phrase as someone would type it; it matches only when case is folded beyond ASCII.
pub const UNIQUE_QUERY: &str = "the heron of zürich keeps the ferry key";

/// The surveyor's report, about 30,000 characters.
pub const MEDIUM_TEXT: Place = Place::home("m-0108", "body");

/// A JSON value of more than 8 KB.
pub const LARGE_JSON: Place = Place::work("w-0202", "headers");
/// The pointer from the record's root to the long string inside [`LARGE_JSON`].
pub const LARGE_JSON_POINTER: &str = "/headers/trace/log";

/// A small picture, `image/png`.
pub const SMALL_BLOB: Place = Place::home("m-0111", "attachment");
/// The invoice, `application/pdf`.
pub const INVOICE_BLOB: Place = Place::work("w-0201", "attachment");
/// A month of readings, `text/csv`, about 200 KB.
pub const LARGE_BLOB: Place = Place::work("w-0107", "attachment");
/// A page with a script in it under a file name that reads differently from how it is stored.
pub const HOSTILE_BLOB: Place = Place::home("m-0909", "attachment");
/// All the blobs.
pub const BLOBS: &[Place] = &[SMALL_BLOB, INVOICE_BLOB, LARGE_BLOB, HOSTILE_BLOB];

/// Keys that both mail accounts use, each for a message of its own.
pub const SHARED_KEYS: &[&str] = &["m-0103", "m-0205", "m-0301", "m-0601"];

/// The roofer's quote; the work account has a message of the same key about something else.
pub const ROOF_QUOTE: Place = Place::home("m-0103", "body");
/// What the roofer asked for at first, as [`ROOF_QUOTE`] spells it.
pub const ROOF_QUOTE_EUR: &str = "14,860.00";
/// The message with the lost invoice: not in the account where one would look.
pub const INVOICE: Place = Place::work("w-0201", "body");
/// The number on the invoice.
pub const INVOICE_NUMBER: &str = "PD-2291";
/// What was left to pay.
pub const INVOICE_EUR: &str = "12,240.00";

/// Legal keys that are easy to mishandle: spaces, colons, other scripts, quotes, a bidi override, percent signs.
pub const ODD_KEYS: &[&str] =
    &["re: büro: schlüssel & 猫 №2", "he said \"next:\" {id}", "odd\u{202e}yek", "%2F%2e%2e?x=1#frag"];

/// Keys of home-mail messages whose text imitates instructions, control lines or terminals. The odd keys are hostile too.
pub const HOSTILE_KEYS: &[&str] = &[
    "m-0901", "m-0902", "m-0903", "m-0904", "m-0905", "m-0906", "m-0907", "m-0908", "m-0909", "m-0910",
    "m-0911",
];

/// A string that stands in one field of one record and nowhere else.
#[derive(Clone, Copy, Debug)]
pub struct Canary {
    /// Where it stands.
    pub place: Place,
    /// The string.
    pub text: &'static str,
}

/// If a caller without a grant for the place ever sees the text, something leaks.
pub const CANARIES: &[Canary] = &[
    Canary { place: Place::home("m-0607", "body"), text: "wren-cobalt-5518" },
    Canary { place: Place::home("m-0401", "body_html"), text: "otter-saffron-2094" },
    Canary { place: Place::home("m-0203", "headers"), text: "pike-umber-7731" },
    Canary { place: Place::home("m-0604", "subject"), text: "lark-viridian-3306" },
    Canary { place: Place::work("w-0109", "body"), text: "crane-madder-8842" },
    Canary { place: Place::work("m-0103", "body"), text: "stoat-celadon-1175" },
    Canary { place: Place::chat(CHAT_MESSAGES, "tomas-07", "text"), text: "finch-ochre-6260" },
    Canary { place: Place::chat(CONVERSATIONS, "circle", "topic"), text: "vole-indigo-4929" },
];
