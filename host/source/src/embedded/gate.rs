//! The proof that the grant is in the statements themselves.
//!
//! Each statement that reads data is run by itself, past all the code around it: with good parameters it gives its rows,
//! and with any single one of them wrong, or any single row of the grant changed, it does not.

mod breaches;

use super::row::{Param, Row};
use super::statement::{Reads, Statement};
use super::{Embedded, IngestTarget};
use crate::bind;
use crate::filter::{Condition, Scalar, Test};
use crate::grant::{GrantRequest, StreamRequest};
use crate::prepare::{Manifest, prepare};
use crate::shape::{Digest, Place, Stored};
use crate::source::Source as _;
use crate::sqlite::Missing;
use crate::terms::Stem;
use std::path::PathBuf;
use stepwell_contract::{ConnectionId, FieldPath, RecordId, ResultId, StreamName};
use stepwell_testkit::Postgres;

/// When the statements are run; the grant has no end unless a test gives it one.
const NOW: i64 = 2_000_000_000_000;
/// The moment that the record is about.
const AT: i64 = 1_767_225_600_000;

/// The revisions of each stream.
const FILLED: i64 = 1;
const REMOVED: i64 = 2;
const CHANGED: i64 = 3;

/// A store with one record that the grant opens and, around it, others with the very same content.
struct Gate {
    store: Embedded,
    back_door: BackDoor,
    grant: String,
    other_grant: String,
    /// The record that the grant opens, by the coordinates of its long text and of its bytes.
    text: Stored,
    bytes: Stored,
    /// The same record of a connection that the grant does not cover.
    elsewhere: Stored,
    secret_digest: Digest,
}

/// Changes rows behind the store's back, as its owner could.
enum BackDoor {
    Sqlite(PathBuf, #[expect(dead_code, reason = "the directory goes with it")] tempfile::TempDir),
    Postgres(String),
}

impl BackDoor {
    async fn run(&self, sql: &str) {
        match self {
            Self::Sqlite(path, _) => rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap(),
            Self::Postgres(url) => {
                let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
                let connection = tokio::spawn(connection);
                client.batch_execute(&format!("SET search_path TO stepwell; {sql}")).await.unwrap();
                drop(client);
                let _ = connection.await;
            }
        }
    }
}

impl Gate {
    async fn sqlite() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        let store = crate::sqlite::open(&path, Missing::Create).await.unwrap();
        Self::around(store, BackDoor::Sqlite(path, dir)).await
    }

    async fn postgres() -> Self {
        let url = Postgres::shared().fresh_database();
        Self::around(crate::postgres::open(&url).await.unwrap(), BackDoor::Postgres(url)).await
    }

    async fn around(store: Embedded, back_door: BackDoor) -> Self {
        for place in ["home/messages", "work/messages", "home/orders"] {
            fill(&store, place).await;
        }
        let (grant, token) =
            store.create_grant(&request("messages", &["body", "subject", "file", "middling"])).await.unwrap();
        let caller = store.authenticate(&token).await.unwrap();
        let (other, _) =
            store.create_grant(&request("orders", &["body", "subject", "file", "middling"])).await.unwrap();
        let whole = GrantRequest {
            streams: vec![stream("messages", "home"), stream("messages", "work")],
            ..request("messages", &[])
        };
        let (_, token) = store.create_grant(&whole).await.unwrap();
        let owner = store.authenticate(&token).await.unwrap();
        let text = stored(&store, &caller, "home/messages:k", "body").await;
        let bytes = stored(&store, &caller, "home/messages:k", "file").await;
        let elsewhere = stored(&store, &owner, "work/messages:k", "body").await;
        let secret_digest = stored(&store, &owner, "home/messages:k", "secret").await.row_digest;
        assert_eq!(elsewhere.row_digest, text.row_digest, "no digest tells them apart");
        Self {
            store,
            back_door,
            grant: grant.grant_id,
            other_grant: other.grant_id,
            text,
            bytes,
            elsewhere,
            secret_digest,
        }
    }

    /// Parameters that every condition of a statement is content with.
    fn good(&self, statement: Statement) -> Vec<Param> {
        let grant = self.grant.as_str();
        let Stored { scope, record, .. } = self.text;
        let word = self.store.engine.any_word(&[Stem { text: "heron".to_owned(), open: false }]);
        let mut words = vec![Param::Text(Some(word.clone()))];
        words.resize(9, Param::Text(None));
        let (text, bytes) = (&self.text.row_digest.0[..], &self.bytes.row_digest.0[..]);
        match statement {
            Statement::Locate => bind![grant, NOW, "messages", "k", "body", "/body"],
            Statement::LocateText => {
                bind![grant, NOW, "messages", "k", "body", "/body", "home", -1, 9_000, text, 0]
            }
            Statement::Shape => bind![grant, NOW, scope, record, "body", "/body"],
            Statement::Text => bind![grant, NOW, scope, record, "body", "/body", -1, 9_000, text],
            Statement::BlobParts => bind![grant, NOW, scope, record, "file", "/file", -1, 9_000, bytes],
            Statement::RecordFields | Statement::SearchedTexts => {
                let mut params = bind![grant, NOW, scope, record];
                params.resize(35, Param::from(-1));
                params
            }
            Statement::Count => bind![grant, NOW, scope],
            Statement::GrantedFields => bind![grant, NOW, scope],
            Statement::KindsInSight => bind![grant, NOW, scope, 100],
            Statement::GrantedScopes => bind![grant, NOW],
            Statement::Values => bind![grant, NOW, scope, "", "subject", "subject", 1],
            Statement::ValuesOf => {
                let mut params = bind![grant, NOW, scope, "subject", record];
                params.resize(36, Param::from(-1));
                params.push("subject".into());
                params
            }
            Statement::FilterValues => {
                let mut params = bind![grant, NOW, scope, "subject", record];
                params.resize(36, Param::from(-1));
                params
            }
            Statement::FilteredRecords => {
                let one = Condition {
                    field: String::new(),
                    test: Test::Equal,
                    value: Scalar::Text("a heron".into()),
                };
                let range = one.ranges().swap_remove(0);
                bind![grant, NOW, scope, "subject", &range.from[..], &range.to[..], 100]
            }
            Statement::MatchUnits => bind![grant, NOW, scope, record, word, "", -1, 100],
            Statement::ListNewest | Statement::ListLastEmitted => {
                bind![grant, NOW, scope, i64::MAX, "", -1, 100]
            }
            Statement::ListOldest | Statement::ListFirstEmitted => {
                bind![grant, NOW, scope, i64::MIN, "", -1, 100]
            }
            Statement::ValuedUp | Statement::ValuedDown => {
                let range = crate::ordered::TEXTS.range();
                let edge = if statement == Statement::ValuedUp { &range.from } else { &range.to };
                bind![grant, NOW, scope, "subject", &range.from[..], &range.to[..], &edge[..], "", 1, 100]
            }
            Statement::UnvaluedUp | Statement::UnvaluedDown => {
                bind![grant, NOW, scope, "body", &crate::ordered::NULLS.range().to[..], "", 1, 100]
            }
            Statement::MiddlingText => bind![grant, NOW, scope, "middling"],
            Statement::CountValues | Statement::ValueCounts => {
                let range = crate::ordered::TEXTS.range();
                bind![grant, NOW, scope, "subject", &range.from[..], &range.to[..], 100]
            }
            Statement::SortValues => bind![grant, NOW, scope, "", "subject", 1],
            Statement::Related => {
                bind![grant, NOW, scope, "subject", &Digest::of(b"a heron").0[..], 100]
            }
            Statement::Changed | Statement::ChangedFew => bind![grant, NOW, scope, "", REMOVED, CHANGED, 100],
            Statement::Removed => bind![grant, NOW, scope, "", FILLED, CHANGED, 100],
            Statement::LatestChange => bind![grant, NOW, scope, REMOVED, i64::MAX, i64::MAX, 100],
            Statement::LatestRemoval => bind![grant, NOW, scope, FILLED],
            Statement::Marks => bind![grant, NOW, scope, &[][..], CHANGED],
            Statement::Search | Statement::SearchLong => {
                [bind![grant, NOW, scope, i64::MAX, "", -1, 100], words].concat()
            }
            other => panic!("{} reads no data", other.name()),
        }
    }

    /// Runs a statement by itself and says whether it gave away anything of the record, the field or the stream.
    async fn opens(&self, statement: Statement, params: Vec<Param>) -> bool {
        let rows = self.store.engine.read(statement, params).await.unwrap();
        let (scope, record) = (self.text.scope, self.text.record);
        let gives = |mut row: Row| match statement {
            Statement::Locate => {
                // The stream, its connection, the connector and the label; then whether it grants the field, and the record.
                let _before = (row.int(), row.text(), row.text_or_null(), row.text_or_null());
                let _record = (row.int(), row.int_or_null(), row.int_or_null(), row.int_or_null());
                row.int_or_null().unwrap().is_some()
            }
            Statement::LocateText => {
                let text = [row.text_or_null(), row.int_or_null().map(|_| None), row.text_or_null()];
                let gives_text = text.into_iter().any(|text| text.unwrap().is_some());
                let _before = (row.int(), row.text(), row.text_or_null(), row.text_or_null());
                let _record = (row.int(), row.int_or_null(), row.int_or_null(), row.int_or_null());
                gives_text || row.int_or_null().unwrap().is_some()
            }
            Statement::GrantedFields | Statement::KindsInSight => row.text().unwrap() == "body",
            Statement::RecordFields => row.int().unwrap() == record && row.text().unwrap() == "body",
            Statement::SearchedTexts => {
                let (found, _field) = (row.int().unwrap(), row.int().unwrap());
                found == record && row.text().unwrap() == "/body"
            }
            Statement::Values | Statement::ValuesOf => {
                let (found, _key) = (row.int().unwrap(), row.text().unwrap());
                found == record && row.int_or_null().unwrap().is_some()
            }
            Statement::Count => row.int().unwrap() > 0,
            Statement::ListNewest
            | Statement::ListOldest
            | Statement::ListLastEmitted
            | Statement::ListFirstEmitted
            | Statement::Related
            | Statement::Changed
            | Statement::ChangedFew
            | Statement::Search
            | Statement::SearchLong
            | Statement::FilteredRecords => row.int().unwrap() == record,
            Statement::CountValues => row.int().unwrap() > 0,
            Statement::ValueCounts => row.bytes_or_null().unwrap() == Some(crate::ordered::text("a heron")),
            Statement::ValuedUp
            | Statement::ValuedDown
            | Statement::UnvaluedUp
            | Statement::UnvaluedDown
            | Statement::MiddlingText => row.int().unwrap() == record,
            Statement::SortValues => {
                let found = row.int().unwrap();
                let _place = (row.text(), row.int(), row.int());
                found == record && row.int_or_null().unwrap().is_some()
            }
            Statement::LatestChange => {
                let _place = (row.int(), row.int());
                let at = [row.int_or_null(), row.int_or_null(), row.int_or_null()];
                at.into_iter().any(|at| at.unwrap() == Some(CHANGED))
            }
            Statement::LatestRemoval => row.int_or_null().unwrap() == Some(REMOVED),
            Statement::Removed => row.text().unwrap() == "gone",
            Statement::GrantedScopes => row.int().unwrap() == scope,
            _ => true,
        };
        rows.into_iter().any(gives)
    }
}

/// The statements that read data under a grant: all of them, so that a new one has to be tested here.
fn under_grant() -> impl Iterator<Item = Statement> {
    Statement::ALL
        .iter()
        .copied()
        .filter(|statement| matches!(statement.reads(), Reads::Content | Reads::Shape))
}

async fn fill(store: &Embedded, place: &str) {
    let (connection, stream) = place.split_once('/').unwrap();
    let target = IngestTarget {
        connection: ConnectionId::new(connection).unwrap(),
        connector: None,
        label: None,
        stream: StreamName::new(stream).unwrap(),
        manifest: Manifest::parse(r#"{"consent_time_field":"at"}"#, stream).unwrap(),
    };
    let (body, middling) = ("the heron waits ".repeat(500), "m ".repeat(200));
    let blob = r#"{"$blob":{"mime_type":"a/b","base64":"aGVyb24="}}"#;
    let data = format!(
        r#"{{"at":{AT},"subject":"a heron","hidden_subject":"a heron","body":"{body}","file":{blob},"middling":"{middling}","secret":"a hidden heron","hidden_file":{blob}}}"#
    );
    let before = data.replace("\"a heron\"", "\"an egret\"");
    let line = |key: &str, data: &str| format!(r#"{{"key":"{key}","data":{data}}}"#);
    let mut ingest = store.ingest(&target).await.unwrap();
    // One revision after the other: all are there, one is gone, one has changed.
    for lines in [
        vec![line("k", &before), line("unlisted", &data), line("gone", &data)],
        vec![r#"{"key":"gone","deleted":true}"#.to_owned()],
        vec![line("k", &data)],
    ] {
        for line in lines {
            ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
        }
        ingest.flush().await.unwrap();
    }
}

fn stream(name: &str, connection: &str) -> StreamRequest {
    StreamRequest {
        name: StreamName::new(name).unwrap(),
        connections: vec![ConnectionId::new(connection).unwrap()],
        fields: None,
        since: None,
        until: None,
        resources: None,
    }
}

/// Asks for a stream of the home connection, for the record `k`, and one that is gone, alone and for a day around its moment.
fn request(name: &str, fields: &[&str]) -> GrantRequest {
    let narrow = StreamRequest {
        fields: Some(fields.iter().map(|&field| field.to_owned()).collect()),
        since: Some(AT - 1),
        until: Some(AT + 1),
        resources: Some(["k", "gone"].map(|key| RecordId::new(key).unwrap()).to_vec()),
        ..stream(name, "home")
    };
    GrantRequest {
        client: "client".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: Some(NOW + 1),
        streams: vec![narrow],
    }
}

async fn stored(store: &Embedded, caller: &crate::Caller, id: &str, path: &str) -> Stored {
    let (id, path) = (ResultId::parse(id).unwrap().into(), FieldPath::parse(path).unwrap());
    match store.field(caller, &id, &path).await.unwrap().place {
        Place::Stored(stored) => stored,
        Place::Held { .. } | Place::Remote { .. } => panic!("the field has a row"),
    }
}
