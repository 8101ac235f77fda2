//! The one door to data.

use crate::catalogue::GrantedScope;
use crate::error::Result;
use crate::ledger::Disclosure;
use crate::query::{
    AggregateQuery, Aggregation, ExpandQuery, Expanded, RecordsPage, RecordsQuery, SearchMode, SearchPage,
    SearchQuery,
};
use crate::shape::{Digest, Field, RecordRef, RecordView};
use crate::token::{Caller, Token};
use async_trait::async_trait;
use std::fmt::Debug;
use stepwell_contract::cursor::Keyring;
use stepwell_contract::selector::Query;
use stepwell_contract::{Bytes, Chars, Code, FieldPath, Refusal, Span};

/// How busy a store is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreUse {
    /// How many connections may read at a time.
    pub connections: usize,
    /// How many of them answer a statement now.
    pub busy: usize,
    /// How many reads wait for one.
    pub waiting: usize,
    /// How many answers were written to the ledger since the store was opened.
    pub ledger_writes: u64,
    /// How many could not be.
    pub ledger_faults: u64,
}

/// Answers reads under a caller's grant.
///
/// Every method that touches data checks the grant in the query that reads it, so a revocation counts from the next
/// statement on, and a value outside the grant is never even selected.
#[async_trait]
pub trait Source: Send + Sync + Debug {
    /// Turns a bearer token into a caller, or refuses it.
    async fn authenticate(&self, token: &Token) -> Result<Caller>;

    /// Makes the caller of a grant that a trusted authorization server vouched for, or refuses it as
    /// [`authenticate`](Self::authenticate) does. A source without grants of its own knows none.
    async fn admit(&self, grant_id: &str) -> Result<Caller> {
        let _ = grant_id;
        Err(Refusal::new(Code::InvalidToken, "the token names no grant that is known here").into())
    }

    /// How busy the store is, where it is one of ours.
    fn usage(&self) -> Option<StoreUse> {
        None
    }

    /// Reads the granted fields of one record: short values whole, long ones by their head. With `only`, no others.
    async fn record(
        &self,
        caller: &Caller,
        record: &RecordRef,
        only: Option<&[String]>,
    ) -> Result<RecordView>;

    /// Finds a field and measures it, without reading its text.
    async fn field(&self, caller: &Caller, record: &RecordRef, path: &FieldPath) -> Result<Field>;

    /// Finds a field, and reads a span of its text if that takes no further question and the field has the digest that is
    /// expected: then it gives the part of the span that there is, and its text.
    async fn field_and_text(
        &self,
        caller: &Caller,
        record: &RecordRef,
        path: &FieldPath,
        span: Span,
        digest: Option<Digest>,
    ) -> Result<(Field, Option<(Span, String)>)> {
        let _ = (span, digest);
        Ok((self.field(caller, record, path).await?, None))
    }

    /// Reads a span of a text field's code points. What lies past the end is not there.
    async fn text(&self, caller: &Caller, field: &Field, span: Span) -> Result<String>;

    /// Finds the first occurrence of a phrase at or after an offset, by simple case folding.
    async fn find(&self, caller: &Caller, field: &Field, q: &Query, from: Chars) -> Result<Option<Span>>;

    /// Reads a part of a binary field's bytes. What lies past the end is not there.
    async fn bytes(&self, caller: &Caller, field: &Field, start: Bytes, length: Bytes) -> Result<Vec<u8>>;

    /// Lists the granted streams with their granted fields, sorted by connection and stream.
    async fn catalogue(&self, caller: &Caller) -> Result<Vec<GrantedScope>>;

    /// Lists a stream's records: one order and one limit over all connections.
    async fn records(&self, caller: &Caller, query: &RecordsQuery) -> Result<RecordsPage>;

    /// Follows declared relationships from records: for each record, what each relationship leads to within the grant.
    async fn expand(&self, caller: &Caller, query: &ExpandQuery) -> Result<Vec<Vec<Expanded>>>;

    /// Finds records that contain words.
    async fn search(&self, caller: &Caller, query: &SearchQuery) -> Result<SearchPage>;

    /// Finds records in another way than by words, where the source has one.
    async fn search_by(&self, caller: &Caller, mode: SearchMode, query: &SearchQuery) -> Result<SearchPage> {
        match mode {
            SearchMode::Lexical => self.search(caller, query).await,
            SearchMode::Semantic | SearchMode::Hybrid => Err(unsupported(mode).into()),
        }
    }

    /// Computes a number about a stream's records.
    async fn aggregate(&self, caller: &Caller, query: &AggregateQuery) -> Result<Aggregation>;

    /// Writes down what a caller is about to be shown by a tool or method. When it returns, the entries survive a crash;
    /// an answer leaves only after that. It reads nothing and checks nothing: what it is told was read under the grant.
    async fn disclose(&self, caller: &Caller, tool: &str, disclosed: &[Disclosure]) -> Result<()>;

    /// The keys that seal cursors; replicas on one store share them.
    async fn keyring(&self) -> Result<Keyring>;

    /// Whether measuring a field tells its digest. Where it does not, cursors are bound to the field's length.
    fn measures_digests(&self) -> bool {
        true
    }
}

/// Refuses a way of searching.
pub(crate) fn unsupported(mode: SearchMode) -> Refusal {
    let message = format!("this source does not search in the mode {}", mode.as_str());
    Refusal::new(Code::UnsupportedSearchMode, message).param("mode").hint("leave mode out")
}
