//! Safe names: what may stand in a segment of an id.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Says which part of the safe-name rule a segment broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsafeName {
    /// Nothing between the separators.
    #[error("must not be empty")]
    Empty,
    /// `/` separates the connection from the rest of an id, so no segment may contain one.
    #[error("must not contain \"/\"")]
    Slash,
    /// A backslash is a path separator to some of the systems that an id passes through.
    #[error("must not contain \"\\\"")]
    Backslash,
    /// A step up in a path.
    #[error("must not contain \"..\"")]
    DotDot,
    /// The current folder of a path.
    #[error("must not be \".\"")]
    Dot,
}

/// Checks the one rule that every segment of an id obeys; anything else is legal and round-trips.
pub fn check(name: &str) -> Result<(), UnsafeName> {
    match name {
        "" => Err(UnsafeName::Empty),
        "." => Err(UnsafeName::Dot),
        _ if name.contains('/') => Err(UnsafeName::Slash),
        _ if name.contains('\\') => Err(UnsafeName::Backslash),
        _ if name.contains("..") => Err(UnsafeName::DotDot),
        _ => Ok(()),
    }
}

macro_rules! safe_name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Accepts a name that obeys the safe-name rule.
            pub fn new(name: impl Into<String>) -> Result<Self, UnsafeName> {
                let name = name.into();
                check(&name)?;
                Ok(Self(name))
            }

            /// The name as it was given, to the letter.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = UnsafeName;
            fn try_from(name: String) -> Result<Self, UnsafeName> {
                Self::new(name)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnsafeName;
            fn from_str(name: &str) -> Result<Self, UnsafeName> {
                Self::new(name)
            }
        }
    };
}

safe_name! {
    /// One account or export that data came from.
    ConnectionId
}
safe_name! {
    /// A kind of record within a connection, such as `messages`.
    StreamName
}
safe_name! {
    /// A record's own key within its stream.
    RecordId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_could_be_a_path_and_nothing_else() {
        for (name, broken) in [
            ("", UnsafeName::Empty),
            (".", UnsafeName::Dot),
            ("a/b", UnsafeName::Slash),
            ("a\\b", UnsafeName::Backslash),
            ("a..b", UnsafeName::DotDot),
            ("..", UnsafeName::DotDot),
        ] {
            assert_eq!(RecordId::new(name), Err(broken), "{name:?}");
        }
        for name in [" a ", "a:b", "a.b", "%2F", "\u{202e}x", "日本", "a\nb", "?#&="] {
            assert_eq!(RecordId::new(name).map(String::from).as_deref(), Ok(name));
        }
    }
}
