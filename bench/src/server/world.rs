//! The store that is served: mail, and two fields of very different length.

use serde_json::json;
use std::path::PathBuf;
use stepwell_bench::text;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, SourceUrl, Token};
use tempfile::TempDir;

const CONNECTION: &str = "cin_bench";
const MAIL: &str = "messages";
const LONG: &str = "long";
/// The field that holds a long text.
pub(super) const BODY: &str = "body";
/// The bytes of the long fields, the shorter one first.
pub(super) const SIZES: [usize; 2] = [10_000, 10_000_000];
/// About a thousand messages.
const MAIL_BYTES: usize = 1_000_000;

/// A store with a grant of everything in it, in a folder that goes with this value.
#[derive(Debug)]
pub(crate) struct World {
    folder: TempDir,
    token: Token,
    /// A message, as search would name it.
    pub(super) message: String,
}

impl World {
    pub(crate) async fn fill() -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("stepwell-bench-").tempdir()?;
        let store = SourceUrl::Sqlite(folder.path().join("store.sqlite")).open(Missing::Create).await?;
        let mail = text::mail(MAIL_BYTES)?;
        ingest(&store, MAIL, mail.manifest, &mail.lines).await?;
        let long = SIZES.map(|size| {
            json!({ "key": size.to_string(), "data": { BODY: text::prose(size, size as u64) } }).to_string()
        });
        ingest(&store, LONG, Manifest::default(), &long).await?;
        let (_, token) = store.create_grant(&everything()?).await?;
        // Only this user can enter the folder.
        std::fs::write(folder.path().join("token"), token.reveal())?;
        let message = format!("{CONNECTION}/{MAIL}:b-0000007");
        Ok(Self { folder, token, message })
    }

    /// The record whose field has this size.
    pub(super) fn long(size: usize) -> String {
        format!("{CONNECTION}/{LONG}:{size}")
    }

    pub(crate) const fn token(&self) -> &Token {
        &self.token
    }

    /// The store itself, for measurements in this process.
    pub(crate) async fn store(&self) -> anyhow::Result<Embedded> {
        Ok(SourceUrl::Sqlite(self.folder.path().join("store.sqlite")).open(Missing::Create).await?)
    }

    pub(super) fn token_file(&self) -> PathBuf {
        self.folder.path().join("token")
    }

    /// A configuration by which an answer does not wait until its entry in the ledger is on the disk.
    pub(super) fn soon(&self) -> std::io::Result<PathBuf> {
        let path = self.folder.path().join("soon.toml");
        std::fs::write(&path, "[ledger]\ndurable = \"soon\"\n")?;
        Ok(path)
    }

    /// All that a server finds in its environment: the store, and a place of its own for compiled tiers.
    pub(super) fn environment(&self) -> [(&'static str, PathBuf); 3] {
        let folder = self.folder.path();
        let source = format!("sqlite:{}", folder.join("store.sqlite").display());
        [
            ("STEPWELL_SOURCE", source.into()),
            ("HOME", folder.to_owned()),
            ("XDG_CACHE_HOME", folder.join("cache")),
        ]
    }
}

async fn ingest(store: &Embedded, stream: &str, manifest: Manifest, lines: &[String]) -> anyhow::Result<()> {
    let target = IngestTarget {
        connection: ConnectionId::new(CONNECTION)?,
        connector: None,
        label: None,
        stream: StreamName::new(stream)?,
        manifest: manifest.clone(),
    };
    let mut ingest = store.ingest(&target).await?;
    for line in lines {
        ingest.push(prepare(line.as_bytes(), &manifest)?).await?;
    }
    ingest.flush().await?;
    Ok(())
}

fn everything() -> anyhow::Result<GrantRequest> {
    let stream = |name| {
        let name = StreamName::new(name)?;
        let (connections, fields, resources) = (Vec::new(), None, None);
        anyhow::Ok(StreamRequest { name, connections, fields, since: None, until: None, resources })
    };
    Ok(GrantRequest {
        client: "bench".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams: vec![stream(MAIL)?, stream(LONG)?],
    })
}
