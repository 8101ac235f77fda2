//! The embedded resource server: one set of rules over two engines.

mod aggregate;
mod asked;
mod blob;
mod catalogue;
mod changes;
pub(crate) mod engine;
mod excerpt;
mod expand;
mod filter;
#[cfg(test)]
mod gate;
mod grants;
mod ingest;
pub(crate) mod ledger;
mod locate;
pub(crate) mod merge;
pub mod observe;
mod owner;
mod packages;
mod page;
mod phrase;
mod pointer;
mod project;
mod records;
pub mod row;
mod search;
mod searched;
mod shown;
mod sorted;
pub mod statement;
mod text;
mod tokens;
#[cfg(test)]
pub(crate) mod upgraded;

pub use engine::StoredBatch;
pub(crate) use grants::manifest_of;
pub use ingest::{Ingest, IngestTarget};
pub use owner::Owner;
pub(crate) use records::revision;

use crate::bind;
use crate::catalogue::GrantedScope;
use crate::error::{Failure, Result};
use crate::grant::GrantState;
use crate::ledger::Disclosure;
use crate::query::{
    AggregateQuery, Aggregation, ExpandQuery, Expanded, RecordsPage, RecordsQuery, SearchPage, SearchQuery,
};
use crate::shape::{Digest, Field, RecordRef, RecordView};
use crate::source::{Source, StoreUse};
use crate::time;
use crate::token::{Caller, Token, TokenKind};
use async_trait::async_trait;
use engine::Engine;
use locate::LOCATED_TEXT;
use observe::{Observer, Seen};
use row::{Param, Row};
use statement::{Reads, Statement};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use stepwell_contract::cursor::{Keyring, SealingKey};
use stepwell_contract::selector::Query;
use stepwell_contract::{Bytes, Chars, Code, FieldPath, Refusal, Span};

/// A store on SQLite or Postgres.
#[derive(Debug)]
pub struct Embedded {
    engine: Box<dyn Engine>,
    observer: Option<Arc<dyn Observer>>,
    ledger_writes: AtomicU64,
    ledger_faults: AtomicU64,
    is_durable_soon: AtomicBool,
}

impl Embedded {
    pub(crate) fn new(engine: Box<dyn Engine>) -> Self {
        Self {
            engine,
            observer: None,
            ledger_writes: AtomicU64::new(0),
            ledger_faults: AtomicU64::new(0),
            is_durable_soon: AtomicBool::new(false),
        }
    }

    /// Tells an observer of every statement that reads: which one, and how much came back.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    async fn read(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure> {
        let rows = self.engine.read(statement, params).await?;
        self.observe(statement, &rows);
        Ok(rows)
    }

    /// Runs a statement that finds a few rows by their keys.
    async fn read_brief(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure> {
        let rows = self.engine.read_brief(statement, params).await?;
        self.observe(statement, &rows);
        Ok(rows)
    }

    fn observe(&self, statement: Statement, rows: &[Row]) {
        if let Some(observer) = &self.observer {
            let bytes = rows.iter().map(Row::content_bytes).sum();
            let content = match (statement, statement.reads()) {
                // It gives names and measures too, behind the text.
                (Statement::LocateText, _) => rows.iter().map(|row| row.content_bytes_of(LOCATED_TEXT)).sum(),
                (_, Reads::Content) => bytes,
                _ => 0,
            };
            observer.seen(Seen { statement, rows: rows.len(), bytes, content });
        }
    }

    /// Makes a new key to seal cursors with. Cursors of the key before it still open; older ones no longer do.
    pub async fn rotate_sealing_key(&self) -> Result<(), Failure> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|error| Failure::Store(format!("no random bits for a key: {error}")))?;
        let add = (Statement::AddSealingKey, bind![&secret[..], time::now()]);
        self.engine.write(vec![add, (Statement::ForgetSealingKeys, bind![])]).await?;
        Ok(())
    }

    /// Says why a grant that gives no rows gives none; returns if the grant itself is in order.
    async fn require_active(&self, grant: &str) -> Result<()> {
        let rows = self.read_brief(Statement::GrantTimes, bind![grant]).await?;
        let Some(mut row) = rows.into_iter().next() else {
            return Err(Refusal::new(Code::InvalidToken, "the grant no longer exists").into());
        };
        let (revoked_at, expires_at) = (row.int_or_null()?, row.int_or_null()?);
        refuse_ended(GrantState::of(revoked_at, expires_at, time::now()))
    }
}

fn refuse_ended(state: GrantState) -> Result<()> {
    let ask = "ask the owner of the data for a new grant";
    match state {
        GrantState::Active => Ok(()),
        GrantState::Expired => {
            Err(Refusal::new(Code::GrantExpired, "the grant has expired").hint(ask).into())
        }
        GrantState::Revoked => {
            Err(Refusal::new(Code::GrantRevoked, "the owner revoked the grant").hint(ask).into())
        }
    }
}

/// Answers a call about all that a caller may read. A grant of a package that ends in the middle of it takes nothing with
/// it: the call is made again without that grant. Each round has lost one more, so there is a last one.
macro_rules! over_all_grants {
    ($store:ident, $caller:ident, $call:expr) => {
        loop {
            let outcome = $call.await;
            if !packages::lost_a_grant($caller, &outcome) || $store.grants_of($caller).await.is_err() {
                return outcome;
            }
        }
    };
}

#[async_trait]
impl Source for Embedded {
    async fn authenticate(&self, token: &Token) -> Result<Caller> {
        let unknown = || Refusal::new(Code::InvalidToken, "the token is unknown, expired or revoked");
        let rows = self.read_brief(Statement::Authenticate, bind![&token.digest()[..]]).await?;
        let mut row = rows.into_iter().next().ok_or_else(unknown)?;
        let kind = TokenKind::from_code(row.int()?).ok_or_else(unknown)?;
        let (expires_at, revoked_at) = (row.int_or_null()?, row.int_or_null()?);
        if GrantState::of(revoked_at, expires_at, time::now()) != GrantState::Active {
            return Err(unknown().into());
        }
        if kind == TokenKind::Owner {
            let refusal = Refusal::new(
                Code::OwnerTokenRefused,
                "an owner token does not read records through this door",
            );
            return Err(refusal.hint("make a grant and use its client token").into());
        }
        let grant = row.text_or_null()?.ok_or_else(unknown)?;
        let client = row.text()?;
        let (expires_at, revoked_at) = (row.int_or_null()?, row.int_or_null()?);
        refuse_ended(GrantState::of(revoked_at, expires_at, time::now()))?;
        let caller = Caller { grant, client, package: kind == TokenKind::Package, bearer: None };
        // A package is worth as much as the grants in it.
        self.grants_of(&caller).await?;
        Ok(caller)
    }

    async fn admit(&self, grant_id: &str) -> Result<Caller> {
        let unknown = || Refusal::new(Code::InvalidToken, "the token names no grant that is known here");
        let rows = self.read_brief(Statement::Admit, bind![grant_id]).await?;
        let mut row = rows.into_iter().next().ok_or_else(unknown)?;
        let client = row.text()?;
        let (expires_at, revoked_at) = (row.int_or_null()?, row.int_or_null()?);
        refuse_ended(GrantState::of(revoked_at, expires_at, time::now()))?;
        Ok(Caller { grant: grant_id.to_owned(), client, package: false, bearer: None })
    }

    fn usage(&self) -> Option<StoreUse> {
        let ledger_writes = self.ledger_writes.load(Ordering::Relaxed);
        let ledger_faults = self.ledger_faults.load(Ordering::Relaxed);
        Some(StoreUse { ledger_writes, ledger_faults, ..self.engine.usage() })
    }

    async fn record(
        &self,
        caller: &Caller,
        record: &RecordRef,
        only: Option<&[String]>,
    ) -> Result<RecordView> {
        let found = self.locate_record(caller, record).await?;
        if let Some(only) = only {
            self.require_granted(&found.grant, found.scope, only).await?;
        }
        self.view_found(found, only).await
    }

    async fn field(&self, caller: &Caller, record: &RecordRef, path: &FieldPath) -> Result<Field> {
        self.locate_field(caller, record, path).await
    }

    async fn field_and_text(
        &self,
        caller: &Caller,
        record: &RecordRef,
        path: &FieldPath,
        span: Span,
        digest: Option<Digest>,
    ) -> Result<(Field, Option<(Span, String)>)> {
        if let Some(found) = self.locate_text(caller, record, path, span, digest).await? {
            return Ok(found);
        }
        Ok((self.locate_field(caller, record, path).await?, None))
    }

    async fn text(&self, caller: &Caller, field: &Field, span: Span) -> Result<String> {
        self.read_span(caller, field, span).await
    }

    async fn find(&self, caller: &Caller, field: &Field, q: &Query, from: Chars) -> Result<Option<Span>> {
        self.find_phrase(caller, field, q, from).await
    }

    async fn bytes(&self, caller: &Caller, field: &Field, start: Bytes, length: Bytes) -> Result<Vec<u8>> {
        self.read_bytes(caller, field, start, length).await
    }

    async fn catalogue(&self, caller: &Caller) -> Result<Vec<GrantedScope>> {
        over_all_grants!(self, caller, self.list_catalogue(caller))
    }

    async fn records(&self, caller: &Caller, query: &RecordsQuery) -> Result<RecordsPage> {
        over_all_grants!(self, caller, self.list_records(caller, query))
    }

    async fn expand(&self, caller: &Caller, query: &ExpandQuery) -> Result<Vec<Vec<Expanded>>> {
        over_all_grants!(self, caller, self.expand_records(caller, query))
    }

    async fn search(&self, caller: &Caller, query: &SearchQuery) -> Result<SearchPage> {
        over_all_grants!(self, caller, self.find_records(caller, query))
    }

    async fn aggregate(&self, caller: &Caller, query: &AggregateQuery) -> Result<Aggregation> {
        over_all_grants!(self, caller, self.compute(caller, query))
    }

    async fn disclose(&self, caller: &Caller, tool: &str, disclosed: &[Disclosure]) -> Result<()> {
        let written = self.write_down(caller, tool, disclosed).await;
        let count = if written.is_ok() { &self.ledger_writes } else { &self.ledger_faults };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(written?)
    }

    async fn keyring(&self) -> Result<Keyring> {
        let mut keys = Vec::new();
        for mut row in self.read_brief(Statement::SealingKeys, bind![]).await? {
            let id = u32::try_from(row.int()?).unwrap_or_default();
            keys.push(SealingKey::new(id, row.array()?));
        }
        let mut keys = keys.into_iter();
        let current =
            keys.next().ok_or_else(|| Failure::Store("the store has no key to seal cursors with".into()))?;
        Ok(Keyring::new(current, keys.next()))
    }
}

/// Fills a stream with values of every kind, for tests of what is kept of them.
#[cfg(test)]
pub(crate) async fn fill_with_every_kind(store: &Embedded) {
    let target = IngestTarget {
        connection: stepwell_contract::ConnectionId::new("home").unwrap(),
        connector: None,
        label: None,
        stream: stepwell_contract::StreamName::new("things").unwrap(),
        manifest: crate::prepare::Manifest::default(),
    };
    let (long, name) = ("x".repeat(300), "n".repeat(1_100));
    let data = format!(
        r#"{{"text":"a\u0000b","moment":"2026-01-01T00:00:00+01:00","number":-12.50,"huge":1e400,"yes":true,"no":false,
            "none":null,"list":[1],"long":"{long}","{name}":1}}"#
    );
    let mut ingest = store.ingest(&target).await.unwrap();
    for key in ["a", "b"] {
        let line = format!(r#"{{"key":"{key}","data":{data}}}"#).replace('\n', " ");
        ingest.push(crate::prepare::prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
    }
    ingest.flush().await.unwrap();
}

/// Reads a digest column.
fn digest(row: &mut Row) -> Result<Digest, Failure> {
    row.array().map(Digest)
}
