//! A store to read windows from, whichever engine it has.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use stepwell_contract::cursor::Keyring;
use stepwell_contract::selector::{Selector, WindowArguments};
use stepwell_contract::{Code, ConnectionId, FieldPath, Refusal, ResultId, StreamName};
use stepwell_ladder::{FieldWindow, LadderError, WindowRequest, read_window};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::embedded::observe::{Record, Seen};
use stepwell_source::embedded::statement::{Reads, Statement};
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Caller, Embedded, Source as _, SourceUrl};
use stepwell_testkit::Postgres;
use tempfile::TempDir;

/// The moment of every read that names no other: a full hour, so that a cursor lives for a day to the second.
pub(crate) const NOW: u64 = 1_800_000_000;

/// A store, and what was seen of its statements.
pub(crate) struct World {
    pub(crate) store: Embedded,
    pub(crate) url: String,
    keys: Keyring,
    seen: Arc<Record>,
    _dir: Option<TempDir>,
}

impl World {
    pub(crate) async fn sqlite() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        Self::at(format!("sqlite:{}", dir.path().join("store.sqlite").display()), Some(dir)).await
    }

    pub(crate) async fn postgres() -> Self {
        Self::at(Postgres::shared().fresh_database(), None).await
    }

    pub(crate) async fn at(url: String, dir: Option<TempDir>) -> Self {
        let store = url.parse::<SourceUrl>().expect("a store's address").open(Missing::Create).await;
        let seen = Arc::new(Record::default());
        let store = store.expect("a new store").observed_by(seen.clone());
        let keys = store.keyring().await.expect("keys");
        Self { store, url, keys, seen, _dir: dir }
    }

    /// Stores records in `connection/stream`.
    pub(crate) async fn fill(&self, place: &str, records: &[(&str, Value)]) {
        let lines = records.iter().map(|(key, data)| json!({ "key": key, "data": data }).to_string());
        self.fill_lines(place, None, Manifest::default(), lines).await;
    }

    /// Stores all of the sample data.
    pub(crate) async fn fill_with_the_sample(&self) {
        for connection in stepwell_sample::connections() {
            for stream in &connection.streams {
                let manifest =
                    Manifest::parse(&stream.manifest.to_string(), stream.name).expect("a manifest");
                let place = format!("{}/{}", connection.id, stream.name);
                let lines = stream.ndjson();
                let lines = lines.lines().map(str::to_owned);
                self.fill_lines(&place, Some(connection.label), manifest, lines).await;
            }
        }
    }

    pub(crate) async fn fill_lines(
        &self,
        place: &str,
        label: Option<&str>,
        manifest: Manifest,
        lines: impl Iterator<Item = String>,
    ) {
        let (connection, stream) = place.split_once('/').expect("connection/stream");
        let target = IngestTarget {
            connection: ConnectionId::new(connection).expect("a connection id"),
            connector: None,
            label: label.map(str::to_owned),
            stream: StreamName::new(stream).expect("a stream name"),
            manifest,
        };
        let mut ingest = self.store.ingest(&target).await.expect("an ingest");
        for line in lines {
            let record = prepare(line.as_bytes(), &target.manifest).expect("a good line");
            ingest.push(record).await.expect("a push");
        }
        ingest.flush().await.expect("a flush");
    }

    /// Makes a grant and gives the caller that its token speaks for.
    pub(crate) async fn grant(&self, streams: Vec<StreamRequest>) -> Caller {
        let (_, token) = self.store.create_grant(&request(streams)).await.expect("a grant");
        self.store.authenticate(&token).await.expect("a caller")
    }

    /// Reads a window as a tool would.
    pub(crate) async fn read(&self, caller: &Caller, ask: &Ask) -> Result<FieldWindow, LadderError> {
        let request = WindowRequest {
            record: ResultId::parse(&ask.id)?.into(),
            path: FieldPath::parse(&ask.path).expect("a field path"),
            selector: Selector::parse(ask.arguments.clone())?,
        };
        read_window(&self.store, &self.keys, caller, &request, ask.now).await
    }

    /// Reads a window that is there.
    pub(crate) async fn window(&self, caller: &Caller, ask: &Ask) -> FieldWindow {
        self.read(caller, ask).await.unwrap_or_else(|error| panic!("{ask:?}: {error}"))
    }

    /// Reads what must be refused.
    pub(crate) async fn refusal(&self, caller: &Caller, ask: &Ask) -> Refusal {
        match self.read(caller, ask).await {
            Err(error @ (LadderError::Refused(_) | LadderError::Missed(..))) => error.for_client(),
            other => panic!("not refused: {ask:?}: {other:?}"),
        }
    }

    /// The code that a read is refused with.
    pub(crate) async fn code(&self, caller: &Caller, ask: &Ask) -> Code {
        self.refusal(caller, ask).await.code
    }

    /// Takes what was seen of the statements that read content.
    pub(crate) fn content_seen(&self) -> Vec<Seen> {
        self.seen.take().into_iter().filter(|seen| seen.statement.reads() == Reads::Content).collect()
    }

    /// Asserts that nothing of any record's content came out of the database, and hardly anything else.
    pub(crate) fn assert_nothing_was_selected(&self, what: &str) {
        let seen = self.seen.take();
        // The one statement that finds a field and reads it gives no text where there is nothing to be read.
        let is_content = |seen: &Seen| match seen.statement {
            Statement::LocateText => seen.content > 0,
            other => other.reads() == Reads::Content,
        };
        assert!(!seen.iter().any(is_content), "{what}: {seen:?}");
        let bytes: u64 = seen.iter().map(|seen| seen.bytes).sum();
        assert!(bytes < 400, "{what}: {bytes} bytes of names and measures: {seen:?}");
    }
}

/// One read: everything but who asks.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) arguments: WindowArguments,
    pub(crate) now: u64,
}

impl Ask {
    pub(crate) fn new(id: &str, path: &str) -> Self {
        let arguments = WindowArguments::default();
        Self { id: id.to_owned(), path: path.to_owned(), arguments, now: NOW }
    }

    pub(crate) fn offset(mut self, chars: u64) -> Self {
        self.arguments.offset_chars = Some(chars);
        self
    }

    pub(crate) fn limit(mut self, chars: u64) -> Self {
        self.arguments.limit_chars = Some(chars);
        self
    }

    pub(crate) fn q(mut self, phrase: &str) -> Self {
        self.arguments.q = Some(phrase.to_owned());
        self
    }

    pub(crate) fn context(mut self, before: u64, after: u64) -> Self {
        self.arguments.before_chars = Some(before);
        self.arguments.after_chars = Some(after);
        self
    }

    /// Goes on from an earlier window.
    pub(crate) fn cursor(mut self, cursor: &str) -> Self {
        self.arguments = WindowArguments { cursor: Some(cursor.to_owned()), ..WindowArguments::default() };
        self
    }

    pub(crate) fn at(mut self, now: u64) -> Self {
        self.now = now;
        self
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

/// Asks for some fields of a stream in one connection.
pub(crate) fn fields(connection: &str, name: &str, fields: &[&str]) -> StreamRequest {
    StreamRequest {
        connections: vec![ConnectionId::new(connection).expect("a connection id")],
        fields: Some(fields.iter().map(|&field| field.to_owned()).collect()),
        ..stream(name)
    }
}

/// The digest of a text as windows spell it.
pub(crate) fn digest(text: &str) -> String {
    let hash: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    format!("sha256:{}", hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// A text of so many code points in which no two places look alike, in letters of one to four bytes.
pub(crate) fn long_text(chars: usize) -> String {
    const LETTERS: [char; 16] =
        ['a', 'e', 'i', 'o', ' ', 'n', 'r', 't', 'ü', 'ß', '日', '本', '\u{301}', '🦰', '\u{200d}', '\n'];
    let letter = |at: usize| LETTERS[(at.wrapping_mul(2_654_435_761) >> 7) % LETTERS.len()];
    let mut text: String = (0..chars).map(letter).collect();
    if chars > 64 {
        let (start, end) = ("<the start>", "<the end>");
        text = text.chars().skip(start.len() + end.len()).collect();
        text = format!("{start}{text}{end}");
    }
    text
}
