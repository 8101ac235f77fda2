//! A store to test on, whichever engine it has.

use std::sync::Arc;
use stepwell_contract::selector::Query;
use stepwell_contract::{Chars, Code, ConnectionId, FieldPath, ResultId, Span, StreamName};
use stepwell_source::embedded::observe::{Record, Seen};
use stepwell_source::embedded::statement::Reads;
use stepwell_source::embedded::{IngestTarget, StoredBatch};
use stepwell_source::error::Result;
use stepwell_source::grant::{GrantRequest, PackageRequest, StreamRequest, Terms};
use stepwell_source::prepare::{Manifest, RejectionCode, prepare};
use stepwell_source::sqlite::Missing;
use stepwell_source::{
    Caller, Embedded, Field, RecordRef, RecordView, Source, SourceError, SourceUrl, postgres, sqlite,
};
use stepwell_testkit::Postgres;
use tempfile::TempDir;

/// A store, and what was seen of its statements.
pub(crate) struct World {
    pub(crate) store: Embedded,
    pub(crate) seen: Arc<Record>,
    pub(crate) url: String,
    _dir: Option<TempDir>,
}

/// What became of some lines.
#[derive(Debug, PartialEq)]
pub(crate) struct Filled {
    pub(crate) stored: StoredBatch,
    pub(crate) rejected: Vec<(usize, RejectionCode)>,
}

impl World {
    pub(crate) async fn sqlite() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("store.db");
        let store = sqlite::open(&path, Missing::Create).await.expect("a new store");
        Self::around(store, format!("sqlite:{}", path.display()), Some(dir))
    }

    pub(crate) async fn postgres() -> Self {
        Self::postgres_at(&Postgres::shared().fresh_database()).await
    }

    pub(crate) async fn postgres_at(url: &str) -> Self {
        Self::around(postgres::open(url).await.expect("a new store"), url.to_owned(), None)
    }

    /// A store at an address of the test's own choice, made if there is none.
    pub(crate) async fn at(url: &SourceUrl) -> Self {
        let store = url.open(Missing::Create).await.expect("a store");
        let address = match url {
            SourceUrl::Sqlite(path) => format!("sqlite:{}", path.display()),
            SourceUrl::Postgres(url) => url.clone(),
        };
        Self::around(store, address, None)
    }

    fn around(store: Embedded, url: String, dir: Option<TempDir>) -> Self {
        let seen = Arc::new(Record::default());
        Self { store: store.observed_by(seen.clone()), seen, url, _dir: dir }
    }

    /// Opens the same store once more, as another process would.
    pub(crate) async fn again(&self) -> Embedded {
        let url: SourceUrl = self.url.parse().expect("a store's address");
        url.open(Missing::Refuse).await.expect("the store opens")
    }

    /// Changes the store behind its own back, as whoever owns the database could.
    pub(crate) async fn behind_its_back(&self, sql: &str) {
        if let Some(path) = self.url.strip_prefix("sqlite:") {
            rusqlite::Connection::open(path).expect("the file").execute_batch(sql).expect("a change");
            return;
        }
        let (client, connection) =
            tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.expect("the database");
        let connection = tokio::spawn(connection);
        client.batch_execute(&format!("SET search_path TO stepwell; {sql}")).await.expect("a change");
        drop(client);
        let _ = connection.await;
    }

    /// Counts the rows of a table behind the store's back.
    pub(crate) async fn count(&self, table: &str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        if let Some(path) = self.url.strip_prefix("sqlite:") {
            let file = rusqlite::Connection::open(path).expect("the file");
            return file.query_row(&sql, [], |row| row.get(0)).expect("a count");
        }
        let (client, connection) =
            tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.expect("the database");
        let connection = tokio::spawn(connection);
        client.batch_execute("SET search_path TO stepwell").await.expect("a schema");
        let count = client.query_one(&sql, &[]).await.expect("a count").get(0);
        drop(client);
        let _ = connection.await;
        count
    }

    /// Ingests lines of NDJSON into `connection/stream`.
    pub(crate) async fn fill<L: AsRef<[u8]>>(
        &self,
        place: &str,
        manifest: Option<&str>,
        lines: &[L],
    ) -> Filled {
        let (connection, stream) = place.split_once('/').expect("connection/stream");
        let manifest =
            manifest.map(|text| Manifest::parse(text, stream).expect("a manifest")).unwrap_or_default();
        let target = IngestTarget {
            connection: ConnectionId::new(connection).expect("a connection id"),
            connector: None,
            label: None,
            stream: StreamName::new(stream).expect("a stream name"),
            manifest: manifest.clone(),
        };
        let mut ingest = self.store.ingest(&target).await.expect("an ingest");
        let mut filled = Filled { stored: StoredBatch::default(), rejected: Vec::new() };
        for (number, line) in lines.iter().enumerate() {
            match prepare(line.as_ref(), ingest.manifest()) {
                Ok(record) => filled.stored += ingest.push(record).await.expect("a push").unwrap_or_default(),
                Err(rejection) => filled.rejected.push((number + 1, rejection.code)),
            }
        }
        filled.stored += ingest.flush().await.expect("a flush");
        filled
    }

    /// Makes a grant and gives the caller that its token speaks for.
    pub(crate) async fn grant(&self, streams: Vec<StreamRequest>) -> Caller {
        let (_, token) = self.store.create_grant(&request(streams)).await.expect("a grant");
        self.store.authenticate(&token).await.expect("a caller")
    }

    /// Makes grants and puts them together, and gives the caller that the package's token speaks for.
    pub(crate) async fn package(&self, grants: Vec<Vec<StreamRequest>>) -> Caller {
        let mut wanted =
            PackageRequest { client: "a client".to_owned(), expires_at: None, grants: Vec::new() };
        for streams in grants {
            let grant = self.store.create_grant_without_token(&request(streams), &Terms::default()).await;
            wanted.grants.push(grant.expect("a grant").grant_id);
        }
        let (_, token) = self.store.create_package(&wanted).await.expect("a package");
        self.store.authenticate(&token).await.expect("a caller")
    }

    pub(crate) async fn record(
        &self,
        caller: &Caller,
        id: &str,
        only: Option<&[String]>,
    ) -> Result<RecordView> {
        self.store.record(caller, &record(id), only).await
    }

    pub(crate) async fn field(&self, caller: &Caller, id: &str, path: &str) -> Result<Field> {
        self.store.field(caller, &record(id), &FieldPath::parse(path).expect("a path")).await
    }

    /// Finds a field and reads so many code points from an offset.
    pub(crate) async fn text(
        &self,
        caller: &Caller,
        id: &str,
        path: &str,
        at: u64,
        len: u64,
    ) -> Result<String> {
        let field = self.field(caller, id, path).await?;
        self.store.text(caller, &field, Span::at(Chars(at), Chars(len))).await
    }

    /// Finds a field and reads all of it.
    pub(crate) async fn whole(&self, caller: &Caller, id: &str, path: &str) -> Result<String> {
        let field = self.field(caller, id, path).await?;
        self.store.text(caller, &field, field.whole()).await
    }

    /// Finds a phrase at or after an offset and gives where it starts.
    pub(crate) async fn find(&self, caller: &Caller, field: &Field, q: &str, from: u64) -> Option<u64> {
        let hit = self
            .store
            .find(caller, field, &Query::new(q).expect("a phrase"), Chars(from))
            .await
            .expect("a search");
        hit.map(|span| {
            assert_eq!(span.len(), Chars::of(q), "a match is as long as its phrase");
            span.start().get()
        })
    }

    /// Takes what was seen, and asserts that nothing of any record's content came out of the database.
    pub(crate) fn assert_no_content_was_selected(&self, what: &str) {
        for seen in self.seen.take() {
            assert!(seen.statement.reads() != Reads::Content, "{what}: {seen:?}");
        }
    }

    /// Takes what was seen of the statements that read content.
    pub(crate) fn content_seen(&self) -> Vec<Seen> {
        self.seen.take().into_iter().filter(|seen| seen.statement.reads() == Reads::Content).collect()
    }
}

pub(crate) fn request(streams: Vec<StreamRequest>) -> GrantRequest {
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
        name: StreamName::new(name).expect("a stream name"),
        connections: Vec::new(),
        fields: None,
        since: None,
        until: None,
        resources: None,
    }
}

/// Asks for some fields of a stream.
pub(crate) fn fields(name: &str, fields: &[&str]) -> StreamRequest {
    StreamRequest { fields: Some(fields.iter().map(|&field| field.to_owned()).collect()), ..stream(name) }
}

pub(crate) fn connection(id: &str) -> ConnectionId {
    ConnectionId::new(id).expect("a connection id")
}

pub(crate) fn record(id: &str) -> RecordRef {
    ResultId::parse(id).expect("an id").into()
}

/// The code that something was refused with.
pub(crate) fn code<T: std::fmt::Debug>(outcome: Result<T>) -> Code {
    match outcome {
        Err(SourceError::Refused(refusal)) => refusal.code,
        other => panic!("not refused: {other:?}"),
    }
}

/// A line of NDJSON.
pub(crate) fn line(key: &str, data: &serde_json::Value) -> String {
    serde_json::json!({ "key": key, "data": data }).to_string()
}
