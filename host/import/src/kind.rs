//! What can be imported.

use std::fmt;
use std::str::FromStr;

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
