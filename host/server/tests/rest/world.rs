//! A store with mail in two connections, and a server on it.

use crate::rest::client::{Answer, send};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_ladder::{Ladder, LedgerPolicy, Settings};
use stepwell_server::http::{self, Beside, HttpOptions};
use stepwell_server::{Ending, Server, ServerConfig, V1Config};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::ledger::{LedgerEntry, LedgerFilter};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, SourceUrl};
use stepwell_testkit::Postgres;
use stepwell_tiers::{Config, Place, Tiers};
use tempfile::TempDir;
use tokio::net::TcpListener;

/// The bytes of the file in every mail of the first connection.
pub(crate) fn png() -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.extend((0..300_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 11) as u8));
    bytes
}

/// A text that is longer than a chunk, with letters of all lengths.
pub(crate) fn body(number: usize) -> String {
    format!("Letter {number} \"quoted\" 🦢 ") + &"Zürich 日本 e\u{301} 👩‍🦰 line\n".repeat(900) + "the end"
}

pub(crate) const MAILS: usize = 30;

/// A running server.
pub(crate) struct World {
    pub(crate) store: Arc<Embedded>,
    pub(crate) url: String,
    pub(crate) v1: SocketAddr,
    pub(crate) mcp: SocketAddr,
    /// Opens everything.
    pub(crate) token: String,
    pub(crate) owner: String,
    grant: String,
    _dir: Option<TempDir>,
}

impl World {
    pub(crate) async fn sqlite() -> Self {
        Self::with(&Config::default(), LedgerPolicy::default()).await
    }

    pub(crate) async fn postgres() -> Self {
        let url = Postgres::shared().fresh_database();
        Self::at(url, None, &Config::default(), LedgerPolicy::default()).await
    }

    /// On SQLite, with other tiers or another ledger.
    pub(crate) async fn with(tiers: &Config, ledger: LedgerPolicy) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("store.sqlite").display());
        Self::at(url, Some(dir), tiers, ledger).await
    }

    async fn at(url: String, dir: Option<TempDir>, tiers: &Config, ledger: LedgerPolicy) -> Self {
        let store = url.parse::<SourceUrl>().unwrap().open(Missing::Create).await.unwrap();
        let store = Arc::new(store);
        fill_mail(&store).await;
        let (grant, token) =
            store.create_grant(&request(vec![stream("mail"), stream("notes")])).await.unwrap();
        let owner = store.create_owner_token(None).await.unwrap().reveal().to_owned();

        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tiers");
        let place = Place { cache: Some(cache), ..Place::default() };
        let tiers = Arc::new(Tiers::load(tiers, &place).unwrap());
        let settings = Settings { provider_url: "stepwell:test".to_owned(), keys: None, ledger };
        let ladder = Ladder::new(store.clone(), tiers, settings).await.unwrap();
        let server = Server::new(ladder, &ServerConfig::default()).unwrap();
        let (listener, v1) = listen().await;
        let config = V1Config { ingest: true, ..V1Config::default() };
        let beside = Beside { listener, config, store: store.clone() };
        let (listener, mcp) = listen().await;
        let options = HttpOptions { v1: Some(beside), ..HttpOptions::default() };
        tokio::spawn(http::serve(server, listener, options, Ending::watch()));
        let token = token.reveal().to_owned();
        Self { store, url, v1, mcp, token, owner, grant: grant.grant_id, _dir: dir }
    }

    /// Asks `/v1` with the token that opens everything.
    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.get_with(target, &self.token, &[]).await
    }

    pub(crate) async fn get_with(&self, target: &str, token: &str, more: &[(&str, &str)]) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers: Vec<(&str, &str)> =
            [("authorization", bearer.as_str())].iter().chain(more).copied().collect();
        send(self.v1, "GET", target, &headers, b"").await
    }

    /// Asks for an export.
    pub(crate) async fn export(
        &self,
        method: &str,
        target: &str,
        token: &str,
        more: &[(&str, &str)],
    ) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers: Vec<(&str, &str)> =
            [("authorization", bearer.as_str())].iter().chain(more).copied().collect();
        send(self.mcp, method, target, &headers, b"").await
    }

    pub(crate) async fn post(&self, target: &str, token: &str, body: &[u8]) -> Answer {
        send(self.v1, "POST", target, &[("authorization", &format!("Bearer {token}"))], body).await
    }

    /// A token for less.
    pub(crate) async fn granted(&self, streams: Vec<StreamRequest>) -> String {
        self.store.create_grant(&request(streams)).await.unwrap().1.reveal().to_owned()
    }

    /// The entries of the grant that opens everything, the newest first.
    pub(crate) async fn ledger(&self) -> Vec<LedgerEntry> {
        let filter = LedgerFilter { grant: Some(self.grant.clone()), ..LedgerFilter::default() };
        self.store.ledger_page(&filter, None, 10_000).await.unwrap()
    }

    pub(crate) async fn revoke(&self) {
        assert!(self.store.revoke_grant(&self.grant).await.unwrap());
    }

    /// Fills a stream whose words are not looked for: an index would only take the time of the test.
    pub(crate) async fn fill(&self, place: &str, lines: impl IntoIterator<Item = String>) {
        let manifest = json!({ "query": { "search": { "lexical_fields": ["title"] } } });
        fill(&self.store, place, Some(&manifest), lines).await;
    }
}

async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

pub(crate) fn line(key: &str, data: &Value) -> String {
    json!({ "key": key, "data": data, "emitted_at": "2025-06-01T00:00:00Z" }).to_string()
}

async fn fill_mail(store: &Embedded) {
    let manifest = json!({
        "semantics": "mutable_state",
        "cursor_field": "sent_at",
        "views": [{ "id": "short", "label": "Without text", "fields": ["subject", "sent_at"] }],
        "relationships": [
            { "name": "replies", "stream": "mail", "foreign_key": "in_reply_to", "cardinality": "has_many" }
        ],
        "query": {
            "search": { "lexical_fields": ["subject", "body"] },
            "range_filters": { "sent_at": ["gte", "gt", "lte", "lt"], "size": ["gte", "lt"] },
            "aggregations": { "count": true, "sum": ["size"], "group_by": ["folder"], "group_by_time": ["sent_at"] },
            "expand": [{ "name": "replies", "default_limit": 5, "max_limit": 25 }]
        }
    });
    let file = json!({ "$blob": { "mime_type": "image/png", "file_name": "Zürich.png", "base64": STANDARD.encode(png()) } });
    let mail = |number: usize| {
        let data = json!({
            "subject": format!("Letter {number}"),
            "body": body(number),
            "folder": if number.is_multiple_of(3) { "archive" } else { "inbox" },
            "size": number * 100,
            "unread": number.is_multiple_of(2),
            "sent_at": format!("2025-05-{:02}T10:00:00Z", number),
            "in_reply_to": if number > 1 { json!("m1") } else { Value::Null },
            "tags": ["a", { "b": number }],
            "file": file,
        });
        line(&format!("m{number}"), &data)
    };
    fill(store, "cin_home/mail", Some(&manifest), (1..=MAILS).map(mail)).await;
    let other = json!({
        "subject": "Work letter", "body": "short", "sent_at": "2025-05-31T10:00:00Z",
        "folder": "work", "size": 5, "unread": false, "in_reply_to": null,
    });
    fill(store, "cin_work/mail", Some(&manifest), [line("m1", &other), line("w2", &other)]).await;
    fill(store, "cin_home/notes", None, [line("n:1 ü", &json!({ "text": "a note" }))]).await;
}

async fn fill(
    store: &Embedded,
    place: &str,
    manifest: Option<&Value>,
    lines: impl IntoIterator<Item = String>,
) {
    let (connection, stream) = place.split_once('/').unwrap();
    let target = IngestTarget {
        connection: ConnectionId::new(connection).unwrap(),
        connector: Some("mail".to_owned()),
        label: Some(format!("The {connection}")),
        stream: StreamName::new(stream).unwrap(),
        manifest: manifest
            .map(|text| Manifest::parse(&text.to_string(), stream).unwrap())
            .unwrap_or_default(),
    };
    let mut ingest = store.ingest(&target).await.unwrap();
    for line in lines {
        ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
    }
    ingest.flush().await.unwrap();
}

fn request(streams: Vec<StreamRequest>) -> GrantRequest {
    GrantRequest {
        client: "a client".to_owned(),
        subject: "the owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams,
    }
}

/// Asks for a stream in every connection, with all of its fields.
pub(crate) fn stream(name: &str) -> StreamRequest {
    StreamRequest {
        name: StreamName::new(name).unwrap(),
        connections: Vec::new(),
        fields: None,
        since: None,
        until: None,
        resources: None,
    }
}

/// Asks for some fields of a stream in one connection.
pub(crate) fn fields(connection: &str, name: &str, fields: &[&str]) -> StreamRequest {
    StreamRequest {
        connections: vec![ConnectionId::new(connection).unwrap()],
        fields: Some(fields.iter().map(|&field| field.to_owned()).collect()),
        ..stream(name)
    }
}
