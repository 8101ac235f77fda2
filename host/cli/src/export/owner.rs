//! The owner as a reader. Nothing reads a record without a grant, so the owner gets one for as long as the export lasts.

use anyhow::bail;
use serde_json::Value;
use std::collections::BTreeSet;
use stepwell_contract::{Bytes, Chars, ConnectionId, FieldPath, Span, StreamName};
use stepwell_ladder::{LedgerPolicy, record};
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::query::{Order, RecordsPage, RecordsQuery};
use stepwell_source::shape::RecordIdentity;
use stepwell_source::{Caller, Disclosure, Embedded, Field, RecordView, Source as _, time};

/// What the ledger calls this command.
const TOOL: &str = "stepwell export";
/// How many records are held at once.
const PAGE: usize = 100;
/// How much of a long text is held at once, in chars.
const WINDOW: u64 = 64 * 1024;
/// How much of a file is held at once; base64 has four characters for every three bytes.
const PART: u64 = 3 * 64 * 1024;

/// One connection's stream.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) connection: ConnectionId,
    pub(super) label: Option<String>,
    pub(super) stream: StreamName,
    /// What the stream declares about itself.
    pub(super) manifest: Option<Value>,
}

/// A store with a grant over what is exported.
pub(super) struct Owner<'a> {
    store: &'a Embedded,
    grant: String,
    caller: Caller,
    scopes: Vec<Scope>,
}

impl<'a> Owner<'a> {
    /// Opens the named streams, or all of them if none is named.
    pub(super) async fn open(
        store: &'a Embedded,
        streams: &[StreamName],
        connection: Option<&ConnectionId>,
    ) -> anyhow::Result<Self> {
        let mut scopes = Vec::new();
        for scope in store.scopes().await? {
            let (at, stream) = (ConnectionId::new(scope.connection)?, StreamName::new(scope.stream)?);
            let is_named = streams.is_empty() || streams.contains(&stream);
            if is_named && connection.is_none_or(|only| *only == at) {
                let manifest = scope.manifest.document().cloned();
                scopes.push(Scope { connection: at, label: scope.label, stream, manifest });
            }
        }
        // Whatever order they were made in, the same store is written the same way.
        scopes.sort_by(|a, b| (&a.connection, &a.stream).cmp(&(&b.connection, &b.stream)));
        if let Some(missing) = streams.iter().find(|name| scopes.iter().all(|scope| scope.stream != **name)) {
            bail!("there is no stream {missing}; see: stepwell connections list");
        }
        if scopes.is_empty() {
            bail!("there is nothing to export; see: stepwell connections list");
        }
        let names: BTreeSet<&StreamName> = scopes.iter().map(|scope| &scope.stream).collect();
        let request = |stream: &StreamName| StreamRequest {
            name: stream.clone(),
            connections: connection.into_iter().cloned().collect(),
            fields: None,
            since: None,
            until: None,
            resources: None,
        };
        let request = GrantRequest {
            client: TOOL.to_owned(),
            subject: "owner".to_owned(),
            purpose: Some("the owner's own export".to_owned()),
            // If this program is killed, its grant goes all the same.
            expires_at: Some(time::now() + time::DAY),
            streams: names.into_iter().map(request).collect(),
        };
        let (grant, token) = store.create_grant(&request).await?;
        let caller = store.authenticate(&token).await?;
        Ok(Self { store, grant: grant.grant_id, caller, scopes })
    }

    /// Ends the grant.
    pub(super) async fn close(self) -> anyhow::Result<()> {
        self.store.revoke_grant(&self.grant).await?;
        Ok(())
    }

    pub(super) fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// A page of records, the oldest first, once the ledger has it.
    pub(super) async fn page(&self, scope: &Scope, cursor: Option<String>) -> anyhow::Result<RecordsPage> {
        let query = RecordsQuery {
            stream: scope.stream.clone(),
            connection: Some(scope.connection.clone()),
            fields: None,
            view: None,
            conditions: Vec::new(),
            sort: None,
            order: Order::Ascending,
            limit: PAGE,
            cursor,
            changes_since: None,
        };
        let page = self.store.records(&self.caller, &query).await?;
        let shown: Vec<Disclosure> = page.records.iter().map(whole).collect();
        let page = record(self.store, LedgerPolicy::default(), &self.caller, TOOL, page, &shown).await?;
        Ok(page.into_inner())
    }

    pub(super) async fn field(&self, record: &RecordIdentity, name: &str) -> anyhow::Result<Field> {
        let path = FieldPath::top_level(name);
        Ok(self.store.field(&self.caller, &record.id().into(), &path).await?)
    }

    /// The text from an offset on, as much as is held at once; nothing at the end.
    pub(super) async fn text(&self, field: &Field, from: Chars) -> anyhow::Result<String> {
        let left = field.shape.chars.unwrap_or_default().get().saturating_sub(from.get());
        let span = Span::at(from, Chars(left.min(WINDOW)));
        Ok(if left == 0 { String::new() } else { self.store.text(&self.caller, field, span).await? })
    }

    /// The bytes from an offset on, as many as are held at once; none at the end.
    pub(super) async fn bytes(&self, field: &Field, from: Bytes) -> anyhow::Result<Vec<u8>> {
        let left = field.shape.bytes.unwrap_or_default().get().saturating_sub(from.get());
        Ok(if left == 0 {
            Vec::new()
        } else {
            self.store.bytes(&self.caller, field, from, Bytes(left.min(PART))).await?
        })
    }
}

fn whole(view: &RecordView) -> Disclosure {
    let bytes = view.fields.iter().map(|field| field.shape.bytes.unwrap_or_default().get()).sum();
    Disclosure::of_record(&view.identity, Bytes(bytes))
}
