//! Every limit and budget in one table, each with its reason.

use crate::unit::{Bytes, Chars};

// Windows: what one read of a field may ask for.

/// The window that a caller gets without asking: one screenful that the smallest hosts show uncut.
pub const DEFAULT_LIMIT: Chars = Chars(4_096);
/// The largest window: beyond it most hosts cut the middle out, and the model would not see that it did.
pub const MAX_LIMIT: Chars = Chars(16_384);
/// The context on each side of a match: with both sides it makes one default window.
pub const DEFAULT_CONTEXT: Chars = Chars(2_048);
/// The largest context on one side: with both sides it makes one largest window.
pub const MAX_CONTEXT: Chars = Chars(8_192);
/// The longest phrase to look for: longer ones are copied text, and an offset finds their place.
pub const MAX_QUERY: Chars = Chars(512);

// Results: bytes of what is serialised. Hosts count both channels, so each has a budget of its own.

/// The text of `search`, `query_records`, `aggregate` and `schema` of one stream: cheap enough to call often.
pub const TEXT: Bytes = Bytes(1_800);
/// The text of `schema` without a stream: it has to name every stream of a wide grant.
pub const SCHEMA_TEXT: Bytes = Bytes(8_000);
/// The structured content of `schema` without a stream.
pub const SCHEMA_STRUCTURED: Bytes = Bytes(60_000);
/// A search with its default page, whole: 25 hits with snippets, below what the stricter hosts cut.
pub const SEARCH_RESULT: Bytes = Bytes(24_000);
/// What a window may add to its text: header, cursors, URIs and the frame of the structured content.
pub const WINDOW_FRAME: Bytes = Bytes(3_500);
/// Any other result whose caller did not ask for more: the smallest limit among hosts that spill to a file.
pub const RESULT: Bytes = Bytes(40_000);
/// The result of a plugin's tool, whole: what all but two of the hosts that were measured show uncut.
pub const TOOL_RESULT: Bytes = Bytes(20_000);
/// The text of a plugin's tool in one channel. It is quoted, and stands in both, so the whole is several times this.
pub const TOOL_TEXT: Bytes = Bytes(2_000);
/// The lines of a plugin's tool: each may bring an id with it.
pub const TOOL_LINES: usize = 40;

/// The budget of a window: its text stands in both channels, and the frame is added once.
#[must_use]
pub const fn window(text: Bytes) -> Bytes {
    Bytes(text.0.saturating_mul(2).saturating_add(WINDOW_FRAME.0))
}

// The list of tools, which every conversation pays for before its first question.

/// The whole of `tools/list` with every tier on.
pub const TOOLS_LIST: Bytes = Bytes(24_576);
/// What `tools/list` aims at, so that a new argument does not have to wait for another to go.
pub const TOOLS_LIST_GOAL: Bytes = Bytes(20_000);
/// The tools that plugins may add to it: models choose badly among many, and some hosts hide those beyond a number.
pub const PLUGIN_TOOLS: usize = 48;
/// What plugins may add to it: as much again.
pub const PLUGIN_TOOLS_LIST: Bytes = TOOLS_LIST;
/// How much of `instructions` has to stand alone, because some hosts show no more.
pub const INSTRUCTIONS_HEAD: Chars = Chars(512);

// Pages and lists.

/// The page of `query_records` and `search` when none is asked for.
pub const DEFAULT_PAGE: u64 = 25;
/// The largest page: one answer stays one answer.
pub const MAX_PAGE: u64 = 100;
/// The longest snippet of a hit: enough to judge it, too little to read it.
pub const SNIPPET: Chars = Chars(300);
/// The excerpts of one hit: a second shows whether the first was chance.
pub const EXCERPTS_PER_HIT: usize = 2;
/// The connections that an ambiguity names: more would not help to choose, so the rest is counted.
pub const AMBIGUOUS_CONNECTIONS: usize = 12;
/// The records of one ladder: as many as the default page has.
pub const LADDER_RECORDS: usize = 25;
/// The fields of one record in a ladder: the longest ones, the others are a `fetch` away.
pub const LADDER_FIELDS: usize = 8;
/// The `resource_link` blocks of one result: hosts that show them show each as a line of its own.
pub const RESOURCE_LINKS: usize = 5;

// Documents and blobs.

/// The text of a fetched document: one default window, so that reading goes on where it stops.
pub const DOCUMENT_TEXT: Chars = DEFAULT_LIMIT;
/// The bytes of one blob window, before base64 makes a third more of them.
pub const BLOB_WINDOW: Bytes = Bytes(65_536);

// Sizes of fields, as a hint for how to read them.

/// Up to here a field is small: one default window holds it.
pub const SMALL_FIELD: Chars = DEFAULT_LIMIT;
/// Up to here a field is medium: a few of the largest windows hold it.
pub const MEDIUM_FIELD: Chars = Chars(65_536);
/// Up to here a field is large: worth a phrase to look for; beyond it is huge.
pub const LARGE_FIELD: Chars = Chars(1_048_576);

// Cursors.

/// How many seconds a cursor lives: a day's work, and short enough for keys to be rotated.
pub const CURSOR_LIFETIME: u64 = 24 * 60 * 60;
/// The step to which a lifetime is rounded up, so that equal calls within the hour give equal bytes.
pub const CURSOR_ROUNDING: u64 = 60 * 60;

/// How many days a client may stay away and still be told what changed: as long as what went is remembered.
pub const CHANGES_KEPT_DAYS: i64 = 90;

// Names of tools.

/// The longest name of a tool, in bytes, that every model interface takes.
pub const TOOL_NAME: usize = 64;
/// What is kept free of it for the prefixes that hosts add, such as `mcp__server__`.
pub const TOOL_NAME_RESERVE: usize = 24;
/// The largest reserve: below 24 bytes a shortened name would be all hash and no word.
pub const MAX_TOOL_NAME_RESERVE: usize = 40;

/// Says how long a field is, roughly, so that a model can choose between reading and looking for a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SizeGrade {
    /// One default window holds it.
    Small,
    /// A few windows hold it.
    Medium,
    /// It is worth a phrase to look for.
    Large,
    /// Nobody reads it from end to end.
    Huge,
}

impl SizeGrade {
    /// Grades a length.
    #[must_use]
    pub fn of(size: Chars) -> Self {
        match size {
            _ if size <= SMALL_FIELD => Self::Small,
            _ if size <= MEDIUM_FIELD => Self::Medium,
            _ if size <= LARGE_FIELD => Self::Large,
            _ => Self::Huge,
        }
    }

    /// The value of `size_grade` on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
            Self::Huge => "huge",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grade_holds_up_to_and_including_its_bound() {
        for (size, grade) in [
            (0, "small"),
            (4_096, "small"),
            (4_097, "medium"),
            (65_536, "medium"),
            (65_537, "large"),
            (1_048_576, "large"),
            (1_048_577, "huge"),
        ] {
            assert_eq!(SizeGrade::of(Chars(size)).as_str(), grade, "{size}");
        }
    }

    #[test]
    fn the_limits_fit_each_other() {
        assert_eq!(DEFAULT_CONTEXT + DEFAULT_CONTEXT, DEFAULT_LIMIT);
        assert_eq!(MAX_CONTEXT + MAX_CONTEXT, MAX_LIMIT);
        assert_eq!(window(Bytes(4_096)), Bytes(11_692));
        assert_eq!(window(Bytes(u64::MAX)), Bytes(u64::MAX));
        assert_eq!(CURSOR_LIFETIME % CURSOR_ROUNDING, 0);
        assert_eq!(TOOL_NAME - MAX_TOOL_NAME_RESERVE, 24);
    }
}
