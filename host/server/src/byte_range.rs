//! Which part of a file a request wants, and whether it has the file already.

use axum::http::HeaderMap;
use axum::http::header::{HeaderName, IF_NONE_MATCH, IF_RANGE, RANGE};
use stepwell_contract::Bytes;

/// What a request wants of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of it.
    Whole,
    /// From a byte to before another.
    Part(Bytes, Bytes),
    /// A part that the file does not have.
    Beyond,
    /// Nothing: it has it.
    Nothing,
}

impl Wanted {
    /// Reads the headers. A range that is none, or several ranges at once, mean the whole, as the standard allows.
    pub(crate) fn of(headers: &HeaderMap, total: Bytes, etag: &str) -> Self {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let weak = |tag: &str| tag.trim().trim_start_matches("W/") == etag;
        if text(IF_NONE_MATCH).is_some_and(|tags| tags.trim() == "*" || tags.split(',').any(weak)) {
            return Self::Nothing;
        }
        // A part of another version is worth nothing. A date is no proof of a version.
        if text(IF_RANGE).is_some_and(|tag| tag.trim() != etag) {
            return Self::Whole;
        }
        text(RANGE).and_then(|range| part(range, total)).unwrap_or(Self::Whole)
    }
}

fn part(range: &str, total: Bytes) -> Option<Wanted> {
    let (unit, range) = range.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let (first, last) = range.trim().split_once('-')?;
    let (first, last) = (number(first)?, number(last)?);
    let (start, end) = match (first, last) {
        (None, None) => return None,
        (None, Some(count)) => (total.saturating_sub(Bytes(count)), total),
        (Some(first), None) => (Bytes(first), total),
        (Some(first), Some(last)) if last < first => return None,
        (Some(first), Some(last)) => (Bytes(first), Bytes(last).saturating_add(Bytes(1)).min(total)),
    };
    Some(if start < end { Wanted::Part(start, end) } else { Wanted::Beyond })
}

/// A number that may be left out; `None` if it is no number. More digits than a machine number has are very many.
fn number(text: &str) -> Option<Option<u64>> {
    match text.trim() {
        "" => Some(None),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(Some(digits.parse().unwrap_or(u64::MAX)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "\"sha256:ab\"";

    fn wanted(headers: &[(HeaderName, &str)]) -> Wanted {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        Wanted::of(&headers, Bytes(100), TAG)
    }

    #[test]
    fn one_range_is_one_part() {
        for (range, meant) in [
            ("bytes=0-9", Wanted::Part(Bytes(0), Bytes(10))),
            ("bytes=90-", Wanted::Part(Bytes(90), Bytes(100))),
            ("bytes=-5", Wanted::Part(Bytes(95), Bytes(100))),
            ("bytes=-500", Wanted::Part(Bytes(0), Bytes(100))),
            ("Bytes=99-18446744073709551615", Wanted::Part(Bytes(99), Bytes(100))),
            ("bytes=100-", Wanted::Beyond),
            ("bytes=-0", Wanted::Beyond),
            ("bytes=99999999999999999999999-", Wanted::Beyond),
        ] {
            assert_eq!(wanted(&[(RANGE, range)]), meant, "{range}");
        }
        for no_range in [
            "bytes=",
            "bytes=-",
            "bytes=5-4",
            "bytes=a-b",
            "lines=1-2",
            "bytes 1-2",
            "bytes=0-1,3-4",
            "bytes=+1-2",
        ] {
            assert_eq!(wanted(&[(RANGE, no_range)]), Wanted::Whole, "{no_range}");
        }
    }

    #[test]
    fn a_version_that_is_known_is_not_sent_again() {
        for tags in [TAG, "*", "\"x\", W/\"sha256:ab\""] {
            assert_eq!(wanted(&[(IF_NONE_MATCH, tags), (RANGE, "bytes=0-1")]), Wanted::Nothing, "{tags}");
        }
        assert_eq!(wanted(&[(IF_NONE_MATCH, "\"x\"")]), Wanted::Whole);
        assert_eq!(wanted(&[(IF_RANGE, TAG), (RANGE, "bytes=0-1")]), Wanted::Part(Bytes(0), Bytes(2)));
        for other in ["\"x\"", "W/\"sha256:ab\"", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            assert_eq!(wanted(&[(IF_RANGE, other), (RANGE, "bytes=0-1")]), Wanted::Whole, "{other}");
        }
        let empty =
            Wanted::of(&[(RANGE, "bytes=0-".parse().unwrap())].into_iter().collect(), Bytes::ZERO, TAG);
        assert_eq!(empty, Wanted::Beyond);
    }
}
