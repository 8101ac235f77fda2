//! What must hold of a store after a kill.

use super::import::{AGAIN, BATCH, Line};
use crate::program::{Store, block_on};
use sha2::{Digest as _, Sha256};
use stepwell_contract::{Code, FieldPath, ResultId, StreamName};
use stepwell_source::grant::{GrantError, GrantRequest, StreamRequest};
use stepwell_source::{Caller, Embedded, Source as _, SourceError};

/// What a store holds of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// The lines whose records are there.
    pub(super) lines: usize,
    /// Through which line the latest run came: a run starts from the first line and takes the record that comes again
    /// back to its first version.
    latest_run: usize,
}

/// Asserts that the store holds whole batches, what it held before and what was acknowledged since, and each record
/// whole.
pub(super) fn verify(store: &Store, lines: &[Line], before: Held, acknowledged: usize) -> Held {
    block_on(async {
        let held = held(&store.open().await, lines).await;
        let context = format!("{acknowledged} lines were acknowledged, {held:?} after {before:?}");
        assert!(held.lines >= before.lines && held.latest_run >= acknowledged, "{context}");
        assert_eq!(held.lines, before.lines.max(held.latest_run), "{context}");
        if held.latest_run < before.latest_run {
            assert!(held.latest_run > 0, "{context}");
        }
        held
    })
}

async fn held(store: &Embedded, lines: &[Line]) -> Held {
    let Some(caller) = caller(store).await else { return Held::default() };
    let scopes = store.scopes().await.expect("the catalogue");
    let count = store.count_records(&scopes[0]).await.expect("a count") as usize;
    if count == 0 {
        return Held::default();
    }
    // Of each batch every record is new but the one that comes again.
    let batches = (count - 1) / (BATCH - 1);
    assert_eq!(count, 1 + batches * (BATCH - 1), "a batch is all or nothing");
    let (there, absent) = lines.split_at(batches * BATCH);
    for line in there.iter().filter(|line| line.key != AGAIN) {
        assert_whole(store, &caller, line).await;
    }
    for line in absent.iter().filter(|line| line.key != AGAIN) {
        assert_absent(store, &caller, line).await;
    }
    Held { lines: there.len(), latest_run: latest_run(store, &caller, there).await }
}

/// Finds the version of the record that comes again, which must be one of those that were imported, and whole.
async fn latest_run(store: &Embedded, caller: &Caller, there: &[Line]) -> usize {
    let view = store.record(caller, &record(&there[0]), None).await.expect("the record that comes again");
    let note = view.fields.last().and_then(|field| field.head.as_deref());
    let version = there.iter().position(|line| line.key == AGAIN && Some(line.note.as_str()) == note);
    let version = version.expect("a version that was imported");
    assert_whole(store, caller, &there[version]).await;
    version + BATCH
}

/// A caller that may read everything; none while there is no stream yet.
async fn caller(store: &Embedded) -> Option<Caller> {
    let request = GrantRequest {
        client: "verify".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams: vec![StreamRequest {
            name: StreamName::new("messages").expect("a name"),
            connections: Vec::new(),
            fields: None,
            since: None,
            until: None,
            resources: None,
        }],
    };
    match store.create_grant(&request).await {
        Ok((_, token)) => Some(store.authenticate(&token).await.expect("a caller")),
        Err(GrantError::UnknownStream { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn record(line: &Line) -> stepwell_source::RecordRef {
    ResultId::parse(&format!("home/messages:{}", line.key)).expect("an id").into()
}

/// Both fields are there, and the long one's chunks join to its digest and to the line's text.
async fn assert_whole(store: &Embedded, caller: &Caller, line: &Line) {
    let view = store.record(caller, &record(line), None).await.expect("a record");
    let names: Vec<&str> = view.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["body", "note"], "{}", line.key);
    assert_eq!(view.fields[1].head.as_deref(), Some(line.note.as_str()));
    let body = &view.fields[0];
    assert_eq!(
        body.shape.digest.expect("a digest").0,
        <[u8; 32]>::from(Sha256::digest(line.body.as_bytes())),
        "{}",
        line.key
    );
    if body.is_whole() {
        assert_eq!(body.head.as_deref(), Some(line.body.as_str()));
        return;
    }
    let field = store.field(caller, &record(line), &FieldPath::top_level("body")).await.expect("a field");
    assert_eq!(store.text(caller, &field, field.whole()).await.expect("a text"), line.body, "{}", line.key);
}

async fn assert_absent(store: &Embedded, caller: &Caller, line: &Line) {
    match store.record(caller, &record(line), None).await {
        Err(SourceError::Refused(refusal)) if refusal.code == Code::NotFound => {}
        other => panic!("{}: {other:?}", line.key),
    }
}
