//! A store with one field of each size, and a client that may read them.

use anyhow::Context as _;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use stepwell_bench::engine::{Engine, Place};
use stepwell_bench::text::prose;
use stepwell_contract::cursor::Keyring;
use stepwell_contract::selector::{Selector, WindowArguments};
use stepwell_contract::{ConnectionId, FieldPath, ResultId, StreamName};
use stepwell_ladder::{FieldWindow, WindowRequest, read_window};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::embedded::observe::{Observer, Seen};
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Caller, Embedded, Source as _, SourceUrl, Token};

const CONNECTION: &str = "cin_bench";
const STREAM: &str = "messages";
const FIELD: &str = "body";

/// The filled store, open for reading under a grant.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) engine: &'static str,
    pub(crate) client: Client,
    pub(crate) token: Token,
    pub(crate) place: Place,
}

impl Shelf {
    /// Stores one record for each size and grants the field that holds the text.
    pub(crate) async fn fill(engine: &Engine, sizes: &[usize]) -> anyhow::Result<Self> {
        let place = engine.place()?;
        let store = place.url.open(Missing::Create).await?;
        let mut ingest = store.ingest(&target(Manifest::default())?).await?;
        for &size in sizes {
            let line = json!({ "key": size.to_string(), "data": { FIELD: prose(size, size as u64) } });
            ingest.push(prepare(line.to_string().as_bytes(), &Manifest::default())?).await?;
        }
        ingest.flush().await?;
        let (_, token) = store.create_grant(&grant()?).await?;
        drop(store);
        let client = Client::open(&place.url, &token).await?;
        Ok(Self { engine: engine.name(), client, token, place })
    }
}

/// Where bench records go.
pub(crate) fn target(manifest: Manifest) -> anyhow::Result<IngestTarget> {
    Ok(IngestTarget {
        connection: ConnectionId::new(CONNECTION)?,
        connector: None,
        label: None,
        stream: StreamName::new(STREAM)?,
        manifest,
    })
}

fn grant() -> anyhow::Result<GrantRequest> {
    Ok(GrantRequest {
        client: "bench".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams: vec![StreamRequest {
            name: StreamName::new(STREAM)?,
            connections: Vec::new(),
            fields: Some(vec![FIELD.to_owned()]),
            since: None,
            until: None,
            resources: None,
        }],
    })
}

/// Someone who reads with a token, and counts what the database selected for it.
#[derive(Debug)]
pub(crate) struct Client {
    store: Embedded,
    keys: Keyring,
    caller: Caller,
    selected: Arc<Selected>,
}

#[derive(Debug, Default)]
struct Selected(AtomicU64);

impl Observer for Selected {
    fn seen(&self, seen: Seen) {
        self.0.fetch_add(seen.bytes, Ordering::Relaxed);
    }
}

impl Client {
    pub(crate) async fn open(url: &SourceUrl, token: &Token) -> anyhow::Result<Self> {
        let selected = Arc::new(Selected::default());
        let store = url.open(Missing::Refuse).await?.observed_by(selected.clone());
        let caller = store.authenticate(token).await?;
        let keys = store.keyring().await?;
        Ok(Self { store, keys, caller, selected })
    }

    /// Reads a window of the field of one size, as a tool call would.
    pub(crate) async fn window(
        &self,
        size: usize,
        arguments: WindowArguments,
    ) -> anyhow::Result<FieldWindow> {
        let request = WindowRequest {
            record: ResultId::parse(&format!("{CONNECTION}/{STREAM}:{size}"))?.into(),
            path: FieldPath::top_level(FIELD),
            selector: Selector::parse(arguments)?,
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock stands before 1970")?;
        Ok(read_window(&self.store, &self.keys, &self.caller, &request, now.as_secs()).await?)
    }

    /// How many bytes of text and digests all statements have selected since this was last asked.
    pub(crate) fn take_selected(&self) -> u64 {
        self.selected.0.swap(0, Ordering::Relaxed)
    }
}
