//! A resource server and a source that asks it.

use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use stepwell_contract::Refusal;
use stepwell_source::remote::{Authorities, CallerTokens, Limits, Own, RemoteOptions};
use stepwell_source::sqlite::{self, Missing};
use stepwell_source::{Caller, Embedded, Remote, Source as _, SourceError, Token};
use stepwell_testkit::resource_server::{Bearer, ResourceServer, Shelf};
use tempfile::TempDir;

/// The token that the process has of its own.
pub(crate) const OWN: &str = "client-token-of-the-process";

pub(crate) struct Desk {
    pub(crate) server: ResourceServer,
    pub(crate) remote: Remote,
    pub(crate) local: Arc<Embedded>,
    pub(crate) caller: Caller,
    _folder: TempDir,
}

impl Desk {
    /// A desk with a caller, and nothing recorded yet.
    pub(crate) async fn new(shelf: Shelf) -> Self {
        Self::at(ResourceServer::start(shelf)).await
    }

    pub(crate) async fn at(server: ResourceServer) -> Self {
        server.knows(OWN, Bearer::Client("grt_own".to_owned()));
        let folder = tempfile::tempdir().expect("a folder");
        let local = local(&folder).await;
        let remote = Remote::new(options(&server), local.clone()).expect("a remote source");
        let caller = remote.authenticate(&remote.process_token()).await.expect("a caller");
        let _ = server.asked();
        Self { server, remote, local, caller, _folder: folder }
    }
}

pub(crate) async fn local(folder: &TempDir) -> Arc<Embedded> {
    let file = folder.path().join("local.sqlite");
    Arc::new(sqlite::open(&file, Missing::Create).await.expect("a local store"))
}

/// Patience for tests: short, so that a slow answer is one soon.
pub(crate) fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(2),
        silence: Duration::from_millis(400),
        whole: Duration::from_secs(20),
        back_off: Duration::from_millis(10),
        retry_after: Duration::from_secs(1),
        ..Limits::default()
    }
}

pub(crate) fn options(server: &ResourceServer) -> RemoteOptions {
    RemoteOptions {
        url: server.url().parse().expect("an address"),
        own: Some(Own::Given(Token::new(OWN))),
        tokens: CallerTokens::Kept,
        allow_http: false,
        authorities: Authorities::default(),
        limits: limits(),
    }
}

/// Some mail in two connections.
pub(crate) fn mail() -> Shelf {
    let mut shelf = Shelf { withheld: vec!["secret".to_owned()], ..Shelf::default() };
    let file = shelf.blob("blob_1", "image/png", (0..=255).cycle().take(100_000).collect());
    shelf
        .with("cin_a/inbox:m1", json!({ "id": "m1", "subject": "The key", "body": "The heron keeps the ferry key.",
            "secret": "not yours", "size": 12, "read": true, "to": ["ann", "bob"], "file": file, "none": null }))
        .with("cin_a/inbox:m2", json!({ "id": "m2", "subject": "Long", "body": scripts().repeat(3_000) }))
        .with("cin_b/inbox:m2", json!({ "id": "m2", "subject": "Another m2", "body": "elsewhere" }))
        .with("cin_b/inbox:m3", json!({ "id": "m3", "subject": "Third", "body": "" }))
        .with("cin_a/notes:n:1", json!({ "id": "n:1", "text": "a note" }))
}

/// Characters of one, two, three and four bytes, of one and two UTF-16 units, and marks that combine.
pub(crate) fn scripts() -> &'static str {
    "aé漢😀e\u{301}🇨🇭\n"
}

pub(crate) fn refusal<T: std::fmt::Debug>(outcome: Result<T, SourceError>) -> Refusal {
    match outcome {
        Err(SourceError::Refused(refusal)) => *refusal,
        other => panic!("not refused: {other:?}"),
    }
}

/// The digest of a text, as shapes spell it.
pub(crate) fn digest(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let hex: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
