//! A store with one record, grants on it, and the server before it, with `/v1` beside it.

use crate::client::{Answer, Ask, PATIENCE};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_ladder::{Ladder, Settings};
use stepwell_server::http::{self, Beside, HttpOptions};
use stepwell_server::{Ending, Server, ServerConfig, V1Config};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::embedded::observe::{Record, Seen};
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, SourceUrl};
use stepwell_testkit::Postgres;
use stepwell_tiers::{Config, Place, Runtime, Tiers};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

static RUNTIME: LazyLock<Arc<Runtime>> = LazyLock::new(|| Arc::new(Runtime::new().expect("an engine")));

/// A store, and what was seen of its statements.
pub(crate) struct World {
    pub(crate) store: Arc<Embedded>,
    pub(crate) url: String,
    /// What is special about `/v1`.
    pub(crate) v1: V1Config,
    seen: Arc<Record>,
    _folder: Option<TempDir>,
}

impl World {
    /// A store in a file.
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("store.sqlite").display());
        Self::at(url, Some(folder)).await
    }

    /// A store whose tables a test can lock, so that a call stays in flight for as long as it wants.
    pub(crate) async fn on_postgres() -> Self {
        Self::at(Postgres::shared().fresh_database(), None).await
    }

    async fn at(url: String, folder: Option<TempDir>) -> Self {
        let seen = Arc::new(Record::default());
        let store =
            url.parse::<SourceUrl>().expect("an address").open(Missing::Create).await.expect("a store");
        let store = store.observed_by(seen.clone());
        let target = IngestTarget {
            connection: ConnectionId::new("home").expect("a connection"),
            connector: None,
            label: None,
            stream: StreamName::new("notes").expect("a stream"),
            manifest: Manifest::default(),
        };
        let line = json!({ "key": "n1", "data": { "body": "the roof leaks" } }).to_string();
        let mut ingest = store.ingest(&target).await.expect("an ingest");
        ingest.push(prepare(line.as_bytes(), &target.manifest).expect("a record")).await.expect("a push");
        ingest.flush().await.expect("a flush");
        Self { store: Arc::new(store), url, v1: V1Config::default(), seen, _folder: folder }
    }

    /// Makes a grant of everything: its name and its token.
    pub(crate) async fn grant(&self) -> (String, String) {
        self.grant_until(None).await
    }

    pub(crate) async fn grant_until(&self, expires_at: Option<i64>) -> (String, String) {
        let stream = StreamRequest {
            name: StreamName::new("notes").expect("a stream"),
            connections: Vec::new(),
            fields: None,
            since: None,
            until: None,
            resources: None,
        };
        let request = GrantRequest {
            client: "a client".to_owned(),
            subject: "the owner".to_owned(),
            purpose: None,
            expires_at,
            streams: vec![stream],
        };
        let (grant, token) = self.store.create_grant(&request).await.expect("a grant");
        (grant.grant_id, token.reveal().to_owned())
    }

    /// Takes what was seen of the store.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.take()
    }

    /// Starts a server on a free port.
    pub(crate) async fn serve(&self, options: HttpOptions) -> Running {
        let mut tiers = Config::default();
        // No tier is needed here, and compiling them would take longer than all tests.
        for tier in [&mut tiers.preview, &mut tiers.field_window, &mut tiers.binary_export] {
            tier.enabled = false;
        }
        tiers.resources.tier.enabled = false;
        self.serve_with(options, &tiers).await
    }

    pub(crate) async fn serve_with(&self, mut options: HttpOptions, tiers: &Config) -> Running {
        let tiers = Tiers::load_in(&RUNTIME, tiers, &Place::default());
        let settings =
            Settings { provider_url: "stepwell:test".to_owned(), keys: None, ledger: Default::default() };
        let ladder = Ladder::new(self.store.clone(), Arc::new(tiers), settings).await.expect("a ladder");
        let server = Server::new(ladder, &ServerConfig::default()).expect("a server");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let beside = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let v1 = beside.local_addr().expect("an address");
        let config = V1Config { ingest: true, ..self.v1.clone() };
        options.v1 = Some(Beside { listener: beside, config, store: self.store.clone() });
        let end = CancellationToken::new();
        let ending = Ending::watch().or_when(end.clone());
        let task = tokio::spawn(http::serve(server, listener, options, ending));
        self.seen.take();
        Running { address, v1, end, task }
    }
}

/// A server that runs.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    /// Where `/v1` is.
    pub(crate) v1: SocketAddr,
    end: CancellationToken,
    task: JoinHandle<std::io::Result<()>>,
}

impl Running {
    pub(crate) async fn ask(&self, ask: &Ask) -> Answer {
        ask.send(self.address).await
    }

    /// Asks it to end.
    pub(crate) fn end(&self) {
        self.end.cancel();
    }

    /// Waits until it ended.
    pub(crate) async fn ended(self) {
        let ended = tokio::time::timeout(PATIENCE, self.task).await.expect("it ends in time");
        ended.expect("no panic").expect("no error");
    }
}
