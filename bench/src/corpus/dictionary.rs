//! The Collaborative International Dictionary of English, as the package `dict-gcide` has it for a dictd server: a text,
//! and an index of head words with places in that text.

use super::library::Entry;
use super::package;
use std::fs;

const PACKAGE: &str = "dict-gcide";

/// Gets all entries, or says why not. A text that has several head words is an entry under each of them.
pub(super) fn entries() -> Result<Vec<Entry>, String> {
    let folder = package::files(PACKAGE, "usr/share/dictd")?;
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| format!("{name}: {error}"));
    let (index, text) = (read("gcide.index")?, read("gcide.dict")?);
    Ok(parse(&String::from_utf8_lossy(&index), &text))
}

fn parse(index: &str, text: &[u8]) -> Vec<Entry> {
    let entry = |line: &str| {
        let mut columns = line.split('\t');
        let (headword, start, length) = (columns.next()?, columns.next()?, columns.next()?);
        // What the dictionary says about itself.
        if headword.starts_with("00-") {
            return None;
        }
        let start = number(start)?;
        let text = text.get(start..start.checked_add(number(length)?)?)?;
        Some(Entry { headword: headword.to_owned(), text: String::from_utf8_lossy(text).into_owned() })
    };
    index.lines().filter_map(entry).collect()
}

/// Reads a number of base 64, the most significant digit first.
fn number(digits: &str) -> Option<usize> {
    digits.bytes().try_fold(0_usize, |sum, digit| {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        sum.checked_mul(64)?.checked_add(usize::from(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_names_places_in_the_text() {
        assert_eq!(
            ["A", "/", "BA", "5I", "x y"].map(number),
            [Some(0), Some(63), Some(64), Some(3_656), None]
        );
        let entries = parse(
            "00-database-info\tA\tB\nheron\tA\tF\nwader\tA\tF\nbeyond\tz\tz\nbroken",
            b"birds, and more",
        );
        let found: Vec<_> =
            entries.iter().map(|entry| (entry.headword.as_str(), entry.text.as_str())).collect();
        assert_eq!(found, [("heron", "birds"), ("wader", "birds")]);
    }
}
