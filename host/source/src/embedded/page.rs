//! Pages over several connections: one order, one limit, and a bookmark that says where the page ended.

use crate::time::Millis;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest as _, Sha256};
use std::cmp::Ordering;
use stepwell_contract::{Code, Refusal};

/// Where a record stands in the one order of all records.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) time: Millis,
    #[serde(deserialize_with = "without_nul")]
    pub(super) connection: String,
    #[serde(deserialize_with = "without_nul")]
    pub(super) stream: String,
    #[serde(deserialize_with = "without_nul")]
    pub(super) record: String,
}

/// A bookmark: the last place of a page, and what was asked, so that it cannot go on with another question.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bookmark<P> {
    v: u8,
    asked: String,
    after: P,
}

/// Sums up a question for its bookmark.
pub(super) fn asked(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    URL_SAFE_NO_PAD.encode(&hash.finalize()[..9])
}

/// Makes a bookmark. It carries nothing that the caller may not see, and every read checks the grant again.
pub(super) fn bookmark<P: Serialize + Clone>(asked: &str, after: &P) -> String {
    let bookmark = Bookmark { v: 1, asked: asked.to_owned(), after: after.clone() };
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(&bookmark).unwrap_or_default())
}

/// Reads a bookmark of the same question, whatever kind of place it holds.
pub(super) fn opened<P: DeserializeOwned>(cursor: &str, asked: &str) -> Option<P> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let bookmark: Bookmark<P> = serde_json::from_slice(&bytes).ok()?;
    (bookmark.v == 1 && bookmark.asked == asked).then_some(bookmark.after)
}

/// The same, or the refusal of a cursor that belongs to another question.
pub(super) fn open<P: DeserializeOwned>(cursor: &str, asked: &str) -> Result<P, Refusal> {
    opened(cursor, asked).ok_or_else(|| {
        let message =
            "the cursor does not belong to this question; pass it with the same arguments as before";
        Refusal::new(Code::InvalidCursor, message).param("cursor").hint("leave it out to start again")
    })
}

/// Reads a name that is bound to a statement. Postgres takes no NUL in a text, and no stored name has one.
pub(super) fn without_nul<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    if name.contains('\0') { Err(D::Error::custom("a NUL in a name")) } else { Ok(name) }
}

impl Place {
    /// Which records of this place's own moment come after it, for a connection's stream: `-1` none of them, `0` those
    /// beyond its record's key, `1` all of them.
    pub(super) fn same_moment(&self, connection: &str, stream: &str, descending: bool) -> i64 {
        let there = (connection, stream).cmp(&(self.connection.as_str(), self.stream.as_str()));
        match if descending { there.reverse() } else { there } {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place { time: 7, connection: "c".into(), stream: "s".into(), record: "r".into() }
    }

    #[test]
    fn a_bookmark_goes_on_with_its_own_question_only() {
        let mine = asked(&["messages", "desc"]);
        let cursor = bookmark(&mine, &place());
        assert_eq!(open::<Place>(&cursor, &mine).unwrap(), place());
        assert_eq!(
            open::<Place>(&cursor, &asked(&["messages", "asc"])).unwrap_err().code,
            Code::InvalidCursor
        );
        for junk in ["", "e30", "x".repeat(9).as_str(), &cursor[1..]] {
            assert_eq!(open::<Place>(junk, &mine).unwrap_err().code, Code::InvalidCursor);
        }
        let nul = bookmark(&mine, &Place { record: "a\0b".into(), ..place() });
        assert_eq!(open::<Place>(&nul, &mine).unwrap_err().code, Code::InvalidCursor);
    }

    #[test]
    fn says_which_records_of_the_same_moment_are_left() {
        assert_eq!(place().same_moment("c", "s", true), 0);
        assert_eq!(place().same_moment("b", "s", true), 1);
        assert_eq!(place().same_moment("d", "s", true), -1);
        assert_eq!(place().same_moment("d", "s", false), 1);
        assert_eq!(place().same_moment("c", "r", false), -1);
    }
}
