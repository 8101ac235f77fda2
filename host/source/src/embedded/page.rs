//! Pages over several connections: one order, one limit, and a bookmark that says where the page ended.

use crate::time::Millis;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::cmp::Ordering;
use stepwell_contract::{Code, Refusal};

/// Where a record stands in the one order of all records.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) time: Millis,
    pub(super) connection: String,
    pub(super) stream: String,
    pub(super) record: String,
}

/// A bookmark: the last place of a page, and what was asked, so that it cannot go on with another question.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bookmark {
    v: u8,
    asked: String,
    after: Place,
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

/// Makes a bookmark. It carries nothing that the page did not show, and every read checks the grant again.
pub(super) fn bookmark(asked: &str, after: &Place) -> String {
    let bookmark = Bookmark { v: 1, asked: asked.to_owned(), after: after.clone() };
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(&bookmark).unwrap_or_default())
}

/// Reads a bookmark of the same question.
pub(super) fn open(cursor: &str, asked: &str) -> Result<Place, Refusal> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok();
    let bookmark: Option<Bookmark> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match bookmark {
        Some(Bookmark { v: 1, asked: same, after }) if same == asked && !after.has_nul() => Ok(after),
        _ => {
            let message =
                "the cursor does not belong to this question; pass it with the same arguments as before";
            Err(Refusal::new(Code::InvalidCursor, message)
                .param("cursor")
                .hint("leave it out to start again"))
        }
    }
}

impl Place {
    fn has_nul(&self) -> bool {
        [&self.connection, &self.stream, &self.record].iter().any(|text| text.contains('\0'))
    }

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
        assert_eq!(open(&cursor, &mine).unwrap(), place());
        assert_eq!(open(&cursor, &asked(&["messages", "asc"])).unwrap_err().code, Code::InvalidCursor);
        for junk in ["", "e30", "x".repeat(9).as_str(), &cursor[1..]] {
            assert_eq!(open(junk, &mine).unwrap_err().code, Code::InvalidCursor);
        }
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
