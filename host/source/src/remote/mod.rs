//! A PDPP resource server behind the same door as a store.
//!
//! The grant is enforced over there, for the token that it is asked with. Nothing here widens it: a refusal is passed on,
//! no question is asked again with another credential, and of a long field only windows are ever fetched. What a store
//! keeps about its readers, the ledger and the keys that seal cursors, is kept in a file on this side.

mod address;
mod aggregate;
mod ask;
mod authorities;
mod blob;
mod catalogue;
mod client;
mod credential;
mod exchange;
mod find;
mod json;
mod judge;
mod limits;
mod memory;
mod records;
mod refusal;
mod rows;
mod search;
mod view;
mod window;

pub use address::{BadRemoteUrl, RemoteUrl};
pub use authorities::Authorities;
pub use credential::Own;
pub use exchange::ExchangeOptions;
pub use limits::Limits;

use crate::catalogue::GrantedScope;
use crate::embedded::Embedded;
use crate::error::{Failure, Result};
use crate::ledger::Disclosure;
use crate::query::{
    AggregateQuery, Aggregation, ExpandQuery, Expanded, RecordsPage, RecordsQuery, SearchMode, SearchPage,
    SearchQuery,
};
use crate::shape::{Field, RecordRef, RecordView};
use crate::source::Source;
use crate::token::{Caller, Token, TokenKind};
use ask::Ask;
use async_trait::async_trait;
use client::Client;
use credential::{Keeper, unusable};
use exchange::Exchange;
use judge::Judged;
use memory::{Key, Memory};
use reqwest::Response;
use std::sync::Arc;
use stepwell_contract::cursor::Keyring;
use stepwell_contract::selector::Query;
use stepwell_contract::{Bytes, Chars, Code, FieldPath, Refusal, Span};

/// What an operator decides about a resource server.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// Where it is.
    pub url: RemoteUrl,
    /// The token that this process has of its own.
    pub own: Option<Own>,
    /// What becomes of the tokens that callers bring.
    pub tokens: CallerTokens,
    /// Whether tokens and records may go unencrypted to another machine.
    pub allow_http: bool,
    /// Whose certificates count.
    pub authorities: Authorities,
    /// Bounds on what is asked.
    pub limits: Limits,
}

/// What becomes of the tokens that callers bring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CallerTokens {
    /// They are not for the resource server, which never sees them.
    #[default]
    Kept,
    /// They are passed on: this host and the resource server are one resource.
    Forwarded,
    /// They are exchanged for others.
    Exchanged(ExchangeOptions),
}

#[derive(Debug)]
enum Callers {
    Own,
    Forwarded,
    Exchanged(Box<Exchange>),
}

/// A resource server.
#[derive(Debug)]
pub struct Remote {
    client: Client,
    own: Option<Keeper>,
    callers: Callers,
    /// Stands for the process itself where a token is asked for. It is made here and never leaves.
    process: Token,
    /// Keeps the ledger and the keys.
    local: Arc<Embedded>,
    judgements: Memory<Judged>,
    catalogues: Memory<Vec<GrantedScope>>,
}

impl Remote {
    /// Gets ready to ask. Nothing is asked yet. The store on this side keeps the ledger and the keys, and no records.
    pub fn new(options: RemoteOptions, local: Arc<Embedded>) -> Result<Self, Failure> {
        let RemoteOptions { url, own, tokens, allow_http, authorities, limits } = options;
        require_safe(&url, allow_http)?;
        let callers = match tokens {
            CallerTokens::Kept => Callers::Own,
            CallerTokens::Forwarded => Callers::Forwarded,
            CallerTokens::Exchanged(options) => {
                require_safe(&options.token_endpoint, allow_http)?;
                Callers::Exchanged(Box::new(Exchange::new(options, &url, &limits, &authorities)?))
            }
        };
        let process = Token::generate(TokenKind::Client)
            .map_err(|error| Failure::Store(format!("no random bits for a token: {error}")))?;
        Ok(Self {
            client: Client::new(url, limits, &authorities)?,
            own: own.map(Keeper::new),
            callers,
            process,
            local,
            judgements: Memory::new(),
            catalogues: Memory::new(),
        })
    }

    /// The token by which this process is let in as itself, with the credential that it has of its own.
    #[must_use]
    pub fn process_token(&self) -> Token {
        self.process.clone()
    }

    /// Asks on behalf of a caller.
    async fn get(&self, caller: &Caller, ask: &Ask) -> Result<Response> {
        let (bearer, is_own) = self.bearer(caller)?;
        let answer = self.client.get(&bearer, ask).await;
        let Err(error) = &answer else { return answer };
        self.doubt(&bearer, error);
        let is_refused = is_own && window::code_of(error) == Some(Code::InvalidToken);
        match if is_refused { self.renewed(caller, &bearer).await? } else { None } {
            Some(fresh) => self.client.get(&fresh, ask).await,
            None => answer,
        }
    }

    /// What the server is asked with for a caller, and whether that is the process's own.
    fn bearer(&self, caller: &Caller) -> Result<(Token, bool)> {
        match (&caller.bearer, &self.own) {
            (Some(bearer), _) => Ok((bearer.clone(), false)),
            (None, Some(own)) => Ok((own.current()?.token, true)),
            (None, None) => Err(unusable("there is no token for the resource server").into()),
        }
    }

    fn memory_key(&self, caller: &Caller) -> Result<Key> {
        Ok(self.bearer(caller)?.0.digest())
    }
}

fn require_safe(url: &RemoteUrl, allow_http: bool) -> Result<(), Failure> {
    if url.is_exposed() && !allow_http {
        return Err(Failure::Store(format!(
            "{url} is not encrypted: use https, or allow it with allow_http in [source] of the configuration"
        )));
    }
    Ok(())
}

#[async_trait]
impl Source for Remote {
    async fn authenticate(&self, token: &Token) -> Result<Caller> {
        self.let_in(token).await
    }

    async fn record(
        &self,
        caller: &Caller,
        record: &RecordRef,
        only: Option<&[String]>,
    ) -> Result<RecordView> {
        self.read_record(caller, record, only).await
    }

    async fn field(&self, caller: &Caller, record: &RecordRef, path: &FieldPath) -> Result<Field> {
        self.measure(caller, record, path).await
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
        self.list_catalogue(caller).await
    }

    async fn records(&self, caller: &Caller, query: &RecordsQuery) -> Result<RecordsPage> {
        self.list_records(caller, query).await
    }

    /// PDPP has resource servers refuse `expand` to client tokens, and this host has no others: an owner's token would read
    /// past the grant.
    async fn expand(&self, _: &Caller, _: &ExpandQuery) -> Result<Vec<Vec<Expanded>>> {
        let message = "a resource server expands nothing for clients";
        let refusal = Refusal::new(Code::UnsupportedBySource, message).param("expand");
        Err(refusal.hint("leave expand out, and list the other stream with query_records").into())
    }

    async fn search(&self, caller: &Caller, query: &SearchQuery) -> Result<SearchPage> {
        self.find_records(caller, SearchMode::Lexical, query).await
    }

    async fn search_by(&self, caller: &Caller, mode: SearchMode, query: &SearchQuery) -> Result<SearchPage> {
        self.find_records(caller, mode, query).await
    }

    async fn aggregate(&self, caller: &Caller, query: &AggregateQuery) -> Result<Aggregation> {
        self.compute(caller, query).await
    }

    async fn disclose(&self, caller: &Caller, tool: &str, disclosed: &[Disclosure]) -> Result<()> {
        self.local.disclose(caller, tool, disclosed).await
    }

    async fn keyring(&self) -> Result<Keyring> {
        self.local.keyring().await
    }

    fn measures_digests(&self) -> bool {
        false
    }
}
