//! What can be asked about many records at once.

use crate::filter::Condition;
use crate::prepare::Cardinality;
use crate::shape::{RecordIdentity, RecordView};
use stepwell_contract::{Chars, ConnectionId, FieldPath, Span, StreamName};

/// Which way a list runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest first.
    #[default]
    Descending,
    /// The oldest first.
    Ascending,
}

/// Asks for a page of a stream's records.
#[derive(Clone, Debug)]
pub struct RecordsQuery {
    /// The stream.
    pub stream: StreamName,
    /// Only this connection.
    pub connection: Option<ConnectionId>,
    /// Only these fields.
    pub fields: Option<Vec<String>>,
    /// Only the fields of this declared view, as far as they are granted.
    pub view: Option<String>,
    /// Only records that meet all of these.
    pub conditions: Vec<Condition>,
    /// By the value of this field, or by `emitted_at`; without it by what orders the stream.
    pub sort: Option<String>,
    /// Which way.
    pub order: Order,
    /// How many at most.
    pub limit: usize,
    /// Goes on from an earlier page.
    pub cursor: Option<String>,
    /// Only what changed since an earlier answer: its `next_changes_since`, or `beginning` for everything.
    pub changes_since: Option<String>,
}

/// A page of records, in one order over all connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordsPage {
    /// The records.
    pub records: Vec<RecordView>,
    /// Records that are no longer there, or no longer within the grant, if changes were asked for.
    pub removed: Vec<RecordIdentity>,
    /// Goes on after them; none at the end.
    pub next_cursor: Option<String>,
    /// Asks for what changes from now on; on the last page of changes.
    pub next_changes_since: Option<String>,
}

/// Asks for what records lead to.
#[derive(Clone, Debug)]
pub struct ExpandQuery {
    /// The stream of the records.
    pub stream: StreamName,
    /// Only this connection.
    pub connection: Option<ConnectionId>,
    /// The records.
    pub records: Vec<RecordIdentity>,
    /// The relationships, each with how many records to show of it.
    pub relationships: Vec<(String, Option<usize>)>,
}

/// What one relationship of one record leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The relationship's name.
    pub name: String,
    /// Whether it leads to one record or to many.
    pub cardinality: Cardinality,
    /// The stream that it leads to.
    pub stream: StreamName,
    /// The field that holds the other side's key.
    pub foreign_key: String,
    /// The records, the newest first.
    pub records: Vec<RecordView>,
    /// Whether there are more of them.
    pub has_more: bool,
}

/// Asks for records that contain words.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// What to look for, as [`crate::terms`] reads it; a record matches if it has all of it, in whatever granted fields.
    pub q: String,
    /// Only these streams; empty means all that are granted.
    pub streams: Vec<StreamName>,
    /// Only records that meet all of these.
    pub conditions: Vec<Condition>,
    /// Only this connection.
    pub connection: Option<ConnectionId>,
    /// How many at most.
    pub limit: usize,
    /// Goes on from an earlier page.
    pub cursor: Option<String>,
}

/// A page of hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPage {
    /// The hits.
    pub hits: Vec<SearchHit>,
    /// What comes first.
    pub ranking: Ranking,
    /// Goes on after them; none at the end.
    pub next_cursor: Option<String>,
    /// Words that were not looked for because there were too many.
    pub ignored_words: Vec<String>,
    /// How much of what is granted the page speaks for.
    pub recall: Recall,
}

/// Which hits come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// The newest.
    Newest,
    /// Those that the source thinks best.
    Best,
}

impl Ranking {
    /// What comes first, in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest first",
            Self::Best => "best first",
        }
    }
}

/// How much of what is granted a page of hits speaks for. It says nothing about what is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recall {
    /// Whether the page is as full as it could be. If not, the call reached the end of its effort first, and the cursor
    /// goes on with what was not looked at.
    pub complete: bool,
    /// Whether there is more after the page.
    pub truncated: bool,
    /// How many connections' streams were searched.
    pub streams: usize,
}

/// A record that matched, with the places where it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The record, as far as the caller may see it.
    pub record: RecordView,
    /// Where it was found, best place first; at most two.
    pub matches: Vec<FieldMatch>,
    /// What the source shows of it without saying where in the field it stands; at most two. Their best comes first.
    pub excerpts: Vec<Excerpt>,
}

/// A piece of a field whose place only the source knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The field.
    pub path: FieldPath,
    /// The piece.
    pub text: String,
    /// Where in the piece the words stand that were looked for, as far as the source marks them.
    pub marks: Vec<Span>,
}

/// How records are searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// By their words.
    #[default]
    Lexical,
    /// By what they mean.
    Semantic,
    /// By both.
    Hybrid,
}

impl SearchMode {
    /// The word that tools and resource servers use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Hybrid => "hybrid",
        }
    }
}

/// A place where something that was asked for was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMatch {
    /// The field.
    pub path: FieldPath,
    /// Where it stands: a word, or a phrase from its first word to its last.
    pub at: Span,
    /// The text around it, cut out of the field to the letter.
    pub snippet: String,
    /// Where that text stands.
    pub snippet_at: Span,
    /// How long the field is.
    pub total: Chars,
}

/// Asks for a number about a stream's records.
#[derive(Clone, Debug)]
pub struct AggregateQuery {
    /// The stream.
    pub stream: StreamName,
    /// Only this connection.
    pub connection: Option<ConnectionId>,
    /// What to compute.
    pub metric: Metric,
    /// Of which field; counting records needs none.
    pub field: Option<String>,
    /// One number for each value of a field, or for each stretch of time.
    pub group: Option<Group>,
    /// Only records that meet all of these.
    pub conditions: Vec<Condition>,
    /// How many groups at most, the largest first; stretches of time come in their order.
    pub limit: usize,
}

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// How many records.
    Count,
    /// The sum of a field's numbers.
    Sum,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// How many different values.
    CountDistinct,
}

/// How to group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// By a field's value.
    Field(String),
    /// By a field's moment, cut to a stretch of time in a time zone.
    Time {
        /// The field.
        field: String,
        /// The stretch.
        granularity: Granularity,
        /// The time zone's IANA name.
        time_zone: String,
    },
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A week, from Monday on.
    Week,
    /// A month.
    Month,
    /// A quarter of a year.
    Quarter,
    /// A year.
    Year,
}

/// The answer to an [`AggregateQuery`].
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregation {
    /// The number or value, as JSON; null where there was nothing to compute from. A number that JSON readers would round
    /// is a string of its digits.
    pub value: serde_json::Value,
    /// How many records were looked at.
    pub records: u64,
    /// The groups.
    pub groups: Vec<GroupCount>,
    /// How many records are in groups that were left out.
    pub other_count: u64,
    /// Whether the value is as near as a machine number comes, because it has more digits than can be added exactly.
    pub approximate: bool,
}

/// One group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupCount {
    /// Its value as JSON; null for records that have none.
    pub key: serde_json::Value,
    /// How many records.
    pub count: u64,
}
