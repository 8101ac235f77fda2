//! Window selectors: which part of a field a caller asks for.

use crate::budget::{DEFAULT_CONTEXT, DEFAULT_LIMIT, MAX_CONTEXT, MAX_LIMIT, MAX_QUERY};
use crate::error::{Code, Refusal};
use crate::unit::Chars;

/// The selector arguments as a tool call or a handle carries them, before any rule was applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowArguments {
    /// An opaque continuation from an earlier read.
    pub cursor: Option<String>,
    /// Where the window starts.
    pub offset_chars: Option<u64>,
    /// How long the window may be.
    pub limit_chars: Option<u64>,
    /// A phrase to look for.
    pub q: Option<String>,
    /// How much to show before the match.
    pub before_chars: Option<u64>,
    /// How much to show after the match.
    pub after_chars: Option<u64>,
}

/// A phrase to look for, of 1 to 512 code points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Query(String);

impl Query {
    /// Accepts a phrase that is neither empty nor longer than one may look for.
    pub fn new(q: impl Into<String>) -> Result<Self, Refusal> {
        let q = q.into();
        let length = Chars::of(&q);
        if length == Chars::ZERO {
            return Err(broken("q", "q must not be empty; leave it out to read by offset"));
        }
        if length > MAX_QUERY {
            return Err(broken(
                "q",
                format!("q has {length} characters and may have {MAX_QUERY}; look for a shorter part of it"),
            ));
        }
        Ok(Self(q))
    }

    /// The phrase, to the letter.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One way to choose a window; the ways exclude each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Goes on where an earlier read stopped.
    Cursor {
        /// The cursor as it was handed out.
        cursor: String,
        /// Replaces the window size that is sealed in the cursor.
        limit: Option<Chars>,
    },
    /// Reads from a place.
    Offset {
        /// The first code point to read.
        offset: Chars,
        /// How many to read at most.
        limit: Chars,
    },
    /// Reads around the first match of a phrase.
    Match {
        /// What to look for.
        q: Query,
        /// How much to show before it.
        before: Chars,
        /// How much to show after it.
        after: Chars,
        /// Caps the window, which contains the match in any case.
        limit: Option<Chars>,
    },
}

impl Selector {
    /// Applies the rules: what excludes what, what needs what, and the bounds. Nothing is clamped, because a caller
    /// that gets less than it asked for without a word would count wrongly from then on.
    pub fn parse(arguments: WindowArguments) -> Result<Self, Refusal> {
        refuse_contradictions(&arguments)?;
        let WindowArguments { cursor, offset_chars, limit_chars, q, before_chars, after_chars } = arguments;
        let limit = limit_chars.map(parse_limit).transpose()?;
        if let Some(cursor) = cursor {
            if cursor.is_empty() {
                return Err(broken(
                    "cursor",
                    "cursor must not be empty; leave it out to start at the beginning",
                ));
            }
            return Ok(Self::Cursor { cursor, limit });
        }
        if let Some(q) = q {
            let q = Query::new(q)?;
            let before = parse_context("before_chars", before_chars)?;
            let after = parse_context("after_chars", after_chars)?;
            return Ok(Self::Match { q, before, after, limit });
        }
        let offset = offset_chars.map_or(Chars::ZERO, Chars);
        Ok(Self::Offset { offset, limit: limit.unwrap_or(DEFAULT_LIMIT) })
    }
}

fn refuse_contradictions(arguments: &WindowArguments) -> Result<(), Refusal> {
    let given = [
        ("offset_chars", arguments.offset_chars.is_some()),
        ("q", arguments.q.is_some()),
        ("before_chars", arguments.before_chars.is_some()),
        ("after_chars", arguments.after_chars.is_some()),
    ];
    let named =
        |names: &[&str]| given.iter().find(|(name, is)| *is && names.contains(name)).map(|(name, _)| *name);
    if arguments.cursor.is_some()
        && let Some(other) = named(&["offset_chars", "q", "before_chars", "after_chars"])
    {
        let message = format!("{other} cannot stand beside cursor; a cursor goes alone or with limit_chars");
        return Err(broken(other, message));
    }
    if arguments.q.is_some() {
        return match named(&["offset_chars"]) {
            Some(other) => Err(broken(other, "offset_chars cannot stand beside q; give one of the two")),
            None => Ok(()),
        };
    }
    match named(&["before_chars", "after_chars"]) {
        Some(other) => Err(broken(other, format!("{other} needs q, the phrase that it is measured from"))),
        None => Ok(()),
    }
}

fn parse_limit(limit: u64) -> Result<Chars, Refusal> {
    let limit = Chars(limit);
    if limit == Chars::ZERO || limit > MAX_LIMIT {
        return Err(broken(
            "limit_chars",
            format!("limit_chars is {limit} and must be from 1 to {MAX_LIMIT}"),
        ));
    }
    Ok(limit)
}

fn parse_context(param: &'static str, context: Option<u64>) -> Result<Chars, Refusal> {
    let context = context.map_or(DEFAULT_CONTEXT, Chars);
    if context > MAX_CONTEXT {
        return Err(broken(param, format!("{param} is {context} and must be from 0 to {MAX_CONTEXT}")));
    }
    Ok(context)
}

fn broken(param: &str, message: impl Into<String>) -> Refusal {
    Refusal::new(Code::InvalidWindowSelector, message).param(param)
}

#[cfg(test)]
mod tests;
