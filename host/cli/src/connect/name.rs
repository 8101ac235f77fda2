//! What the server is called in a client.

use std::str::FromStr;

/// The longest name. Clients put it before the name of every tool, and a tool's whole name has 64 bytes.
const LONGEST: usize = 32;

/// A name that every client takes as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerName(String);

/// Why a text is no such name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("write 1 to {LONGEST} letters, digits, \"-\" or \"_\", the first a letter, and no \"__\"")]
pub(super) struct BadName;

impl FromStr for ServerName {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
        // Clients part the name of a server from that of a tool by "__".
        if !is_plain || !begins || text.len() > LONGEST || text.contains("__") || text.ends_with('_') {
            return Err(BadName);
        }
        Ok(Self(text.to_owned()))
    }
}

impl ServerName {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_survives_what_clients_do_to_it() {
        for good in ["stepwell", "my-mail_2", "S", &"a".repeat(32)] {
            assert_eq!(good.parse::<ServerName>().unwrap().as_str(), good);
        }
        for bad in ["", "2mail", "a__b", "a_", "a.b", "a b", "é", "a\"b", &"a".repeat(33)] {
            assert_eq!(bad.parse::<ServerName>(), Err(BadName), "{bad}");
        }
    }
}
