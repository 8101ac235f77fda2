//! What can be imported.

use crate::{input, key};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use stepwell_contract::ConnectionId;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal, $connector:literal;)*) => {
        /// A kind of thing that can be imported.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind { $($(#[doc = $doc])* $variant,)* }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name on the command line.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, for people.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),*).trim_ascii(),)* }
            }

            /// The connector that such connections have.
            #[must_use]
            pub const fn connector(self) -> &'static str {
                match self { $(Self::$variant => $connector,)* }
            }
        }
    };
}

kinds! {
    /// A mail archive in one file, as Gmail Takeout, Thunderbird and Apple Mail write it
    Mbox = "mbox", "mail";
    /// A folder of mail with cur/ and new/, and folders in it
    Maildir = "maildir", "mail";
    /// The data export of ChatGPT: the ZIP, or conversations.json
    Chatgpt = "chatgpt", "chatgpt";
    /// The data export of Claude: the ZIP, or conversations.json
    Claude = "claude", "claude";
    /// The export of a Slack workspace: the ZIP
    Slack = "slack", "slack";
    /// An exported WhatsApp chat: the ZIP, or its text file
    Whatsapp = "whatsapp", "whatsapp";
    /// An export of Telegram Desktop in JSON: result.json
    Telegram = "telegram", "telegram";
    /// A JSON object a line
    Jsonl = "jsonl", "table";
    /// A table in a text file, separated by commas, semicolons or tabs
    Csv = "csv", "table";
    /// The tables of a SQLite database, which is only read
    Sqlite = "sqlite", "table";
    /// A folder of text, Markdown and HTML
    Files = "files", "files";
}

impl Kind {
    /// The connection that an import goes into if nobody names one: the same for the same file. None if its name leaves
    /// nothing to make one of.
    #[must_use]
    pub fn connection(self, path: &Path) -> Option<ConnectionId> {
        let slug = key::slug(&input::stem(path));
        let name = if slug.is_empty() { format!("cin_{self}") } else { format!("cin_{self}_{slug}") };
        ConnectionId::new(name).ok()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The kind is none of those that there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such kind; choose one of {}", Kind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", "))]
pub struct UnknownKind;

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).ok_or(UnknownKind)
    }
}
