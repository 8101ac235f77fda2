//! Field paths: a top-level key taken literally, or a JSON pointer into a nested value.

use std::fmt;

/// Names one value inside a record.
///
/// Kept as the list of keys from the record's root; the first of them is the top-level field, and that is what a grant
/// is about. The spelling that the client used is kept beside it, so that a result can echo it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldPath {
    spelled: String,
    keys: Vec<String>,
}

/// Says why a text is no field path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// Nothing was named.
    #[error("must not be empty")]
    Empty,
    /// `~` stands for itself only as `~0`; `~1` stands for a slash.
    #[error("has a \"~\" that is not followed by 0 or 1, as a JSON pointer requires")]
    Escape,
    /// Neither engine can hold a NUL in a name.
    #[error("must not contain a NUL character")]
    Nul,
    /// Deeper than any stored value can be.
    #[error("goes deeper than 128 levels")]
    TooDeep,
}

/// How deep a JSON value may nest; the ingest side refuses deeper ones.
pub const MAX_DEPTH: usize = 128;

impl FieldPath {
    /// Reads a path as a client spells it: with a leading `/` a JSON pointer (RFC 6901), else one literal key.
    pub fn parse(spelled: &str) -> Result<Self, BadPath> {
        if spelled.is_empty() {
            return Err(BadPath::Empty);
        }
        if spelled.contains('\0') {
            return Err(BadPath::Nul);
        }
        let keys = match spelled.strip_prefix('/') {
            None => vec![spelled.to_owned()],
            Some(pointer) => pointer.split('/').map(unescape).collect::<Result<_, _>>()?,
        };
        if keys.len() > MAX_DEPTH {
            return Err(BadPath::TooDeep);
        }
        Ok(Self { spelled: spelled.to_owned(), keys })
    }

    /// Names a top-level field by its key, whatever that key looks like.
    #[must_use]
    pub fn top_level(key: &str) -> Self {
        let pointer_like = key.is_empty() || key.starts_with('/');
        let spelled = if pointer_like { pointer([key]) } else { key.to_owned() };
        Self { spelled, keys: vec![key.to_owned()] }
    }

    /// The path as the client spelled it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.spelled
    }

    /// The top-level field, which is what the grant checks.
    #[must_use]
    pub fn top(&self) -> &str {
        &self.keys[0]
    }

    /// The keys below the top-level field.
    #[must_use]
    pub fn below_top(&self) -> &[String] {
        &self.keys[1..]
    }

    /// All keys from the record's root.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The one canonical spelling, always a JSON pointer: two paths to the same value have the same.
    #[must_use]
    pub fn pointer(&self) -> String {
        pointer(self.keys.iter().map(String::as_str))
    }

    /// The path to the value that encloses this one, or `None` at the top.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let keys = self.keys.len().checked_sub(1).filter(|&n| n > 0).map(|n| &self.keys[..n])?;
        Some(Self { spelled: pointer(keys.iter().map(String::as_str)), keys: keys.to_vec() })
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled)
    }
}

/// Writes keys as a JSON pointer.
pub fn pointer<'a>(keys: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for key in keys {
        out.push('/');
        push_escaped(&mut out, key);
    }
    out
}

/// Appends one key in a JSON pointer's spelling.
pub fn push_escaped(out: &mut String, key: &str) {
    for c in key.chars() {
        match c {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            _ => out.push(c),
        }
    }
}

fn unescape(token: &str) -> Result<String, BadPath> {
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '~' => match chars.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return Err(BadPath::Escape),
            },
            _ => c,
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plain_name_is_one_literal_key() {
        let path = FieldPath::parse("a.b[0]~x").unwrap();
        assert_eq!((path.top(), path.below_top().len()), ("a.b[0]~x", 0));
        assert_eq!(path.pointer(), "/a.b[0]~0x");
    }

    #[test]
    fn a_leading_slash_makes_a_pointer() {
        let path = FieldPath::parse("/a~1b/0/~0").unwrap();
        assert_eq!(path.keys(), ["a/b", "0", "~"]);
        assert_eq!(path.parent().unwrap().as_str(), "/a~1b/0");
        assert_eq!(FieldPath::parse("/").unwrap().keys(), [""]);
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(FieldPath::parse(""), Err(BadPath::Empty));
        assert_eq!(FieldPath::parse("/a~2"), Err(BadPath::Escape));
        assert_eq!(FieldPath::parse("a\0"), Err(BadPath::Nul));
        assert_eq!(FieldPath::parse(&"/a".repeat(129)), Err(BadPath::TooDeep));
    }

    proptest! {
        #[test]
        fn the_canonical_spelling_reads_back(keys in proptest::collection::vec("[^\0]{0,6}", 1..5)) {
            let spelled = pointer(keys.iter().map(String::as_str));
            let path = FieldPath::parse(&spelled).unwrap();
            prop_assert_eq!(path.keys(), &keys[..]);
            prop_assert_eq!(path.pointer(), spelled);
        }

        #[test]
        fn every_top_level_key_has_a_spelling(key in "[^\0]{0,8}") {
            let path = FieldPath::top_level(&key);
            let parsed = FieldPath::parse(path.as_str()).unwrap();
            prop_assert_eq!(parsed.keys(), path.keys());
        }
    }
}
