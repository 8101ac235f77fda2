//! What a store of an earlier version still does once it is upgraded, whichever engine it has.

use crate::embedded::{Embedded, IngestTarget};
use crate::grant::{GrantRequest, StreamRequest};
use crate::prepare::{Manifest, prepare};
use crate::query::{Order, RecordsPage, RecordsQuery};
use crate::source::Source as _;
use crate::token::Caller;
use stepwell_contract::{ConnectionId, StreamName};

/// The rows of a store with two streams, one of which is ordered by a field. `BYTES` is the engine's type of digests.
const ROWS: &str = r#"
    INSERT INTO connection VALUES ('home', NULL, 'Home', 70);
    INSERT INTO scope (connection, stream, manifest, revision) VALUES
      ('home', 'mail', '{"cursor_field":"sent_at"}', 4), ('home', 'notes', NULL, 2);
    INSERT INTO scope_field VALUES (1, 'subject', 1), (1, 'sent_at', 1);
    INSERT INTO record (scope, rid, time, consent_time, sha256, revision) VALUES
      (1, 'a', 500, 500, CAST('the digest of a record, 32 bytes' AS BYTES), 4), (2, 'b', 600, 600, CAST('digest' AS BYTES), 1);
    INSERT INTO field (id, rec, top, pointer, nested, kind, chars, bytes, sha256, inline) VALUES
      (1, 1, 'subject', '/subject', 0, 0, 2, 2, CAST('01234567890123456789012345678901' AS BYTES), 'Hi');"#;

/// What version 4 keeps of those rows beside what the versions before it do.
const OF_VERSION_4: &str = "
    UPDATE scope SET cursor_field = 'sent_at' WHERE id = 1;
    UPDATE record SET emitted = CASE WHEN scope = 1 THEN 70 ELSE time END;";

/// The rows of a store of a version, with the engine's type of digests.
pub(crate) fn rows(version: usize, bytes: &str) -> String {
    let later = if version >= 4 { OF_VERSION_4 } else { "" };
    format!("{}{later}", ROWS.replace("BYTES", bytes))
}

async fn records(store: &Embedded, caller: &Caller, stream: &str, since: Option<&str>) -> RecordsPage {
    let query = RecordsQuery {
        stream: StreamName::new(stream).unwrap(),
        connection: None,
        fields: None,
        view: None,
        conditions: Vec::new(),
        sort: None,
        order: Order::Ascending,
        limit: 10,
        cursor: None,
        changes_since: since.map(str::to_owned),
    };
    store.records(caller, &query).await.unwrap()
}

/// Lists what is there, and tells a client what changes.
pub(crate) async fn still_reads_and_syncs(store: &Embedded) {
    let stream = |name: &str, fields: Option<Vec<String>>| StreamRequest {
        name: StreamName::new(name).unwrap(),
        connections: Vec::new(),
        fields,
        since: None,
        until: None,
        resources: None,
    };
    let request = GrantRequest {
        client: "client".into(),
        subject: "owner".into(),
        purpose: None,
        expires_at: None,
        streams: vec![stream("mail", Some(vec!["subject".into()])), stream("notes", None)],
    };
    let (_, token) = store.create_grant(&request).await.unwrap();
    let caller = store.authenticate(&token).await.unwrap();
    let [mail] = &records(store, &caller, "mail", None).await.records[..] else { panic!("one record") };
    // The value of the field that orders the stream is not granted, and does not pass for the moment of emission.
    assert_eq!((mail.time, mail.emitted_at, mail.fields[0].head.as_deref()), (70, 70, Some("Hi")));
    let [note] = &records(store, &caller, "notes", None).await.records[..] else { panic!("one record") };
    assert_eq!((note.time, note.emitted_at), (600, 600));
    let first = records(store, &caller, "mail", Some("beginning")).await;
    assert_eq!(first.records.len(), 1);
    let since = first.next_changes_since.unwrap();
    assert_eq!(records(store, &caller, "mail", Some(&since)).await.records.len(), 0);
    let target = IngestTarget {
        connection: ConnectionId::new("home").unwrap(),
        connector: None,
        label: None,
        stream: StreamName::new("mail").unwrap(),
        manifest: Manifest::default(),
    };
    let mut ingest = store.ingest(&target).await.unwrap();
    for line in [r#"{"key":"a","deleted":true}"#, r#"{"key":"c","data":{"subject":"new"}}"#] {
        ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
    }
    ingest.flush().await.unwrap();
    let changes = records(store, &caller, "mail", Some(&since)).await;
    assert_eq!((changes.records[0].identity.record.as_str(), changes.records.len()), ("c", 1));
    assert_eq!((changes.removed[0].record.as_str(), changes.removed.len()), ("a", 1));
}
