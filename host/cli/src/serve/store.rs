//! The store that is served.

use crate::demo;
use crate::place::SourcePlace;
use crate::remote::{self, OpenedRemote};
use crate::settings::{PROVIDER, RemoteConfig};
use crate::store_args;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;
use stepwell_contract::StreamName;
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::sqlite::{self, Missing};
use stepwell_source::{Embedded, Source, Token};
use tempfile::TempDir;

/// What `--source` names.
#[derive(Clone, Debug)]
pub(crate) enum ServeSource {
    /// The sample data, in a store that is thrown away.
    Demo,
    /// A store or a resource server.
    At(SourcePlace),
}

impl FromStr for ServeSource {
    type Err = <SourcePlace as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "demo" { Ok(Self::Demo) } else { text.parse().map(Self::At) }
    }
}

/// An open source.
pub(crate) struct Opened {
    pub(crate) source: Arc<dyn Source>,
    /// Where the ledger of its reads is: in the store itself, or on this side of a resource server.
    pub(crate) ledger: Arc<Embedded>,
    /// What results call it.
    pub(crate) provider: String,
    /// The token for the sample data, or that of this process.
    pub(crate) token: Option<Token>,
    /// Where the sample data is; it goes when this goes.
    pub(crate) folder: Option<TempDir>,
}

impl Opened {
    fn store(store: Embedded, token: Option<Token>, folder: Option<TempDir>) -> Self {
        let store = Arc::new(store);
        Self { source: store.clone(), ledger: store, provider: PROVIDER.to_owned(), token, folder }
    }
}

/// Opens the source that is named, or the default store.
pub(crate) async fn open(
    source: Option<&ServeSource>,
    config: &RemoteConfig,
    given: Option<Token>,
) -> anyhow::Result<Opened> {
    let store = match source {
        Some(ServeSource::Demo) => return sample().await,
        Some(ServeSource::At(SourcePlace::Remote(url))) => {
            let OpenedRemote { source, local } = remote::open(url, config, given).await?;
            let token = Some(source.process_token());
            return Ok(Opened { source, ledger: local, provider: url.to_string(), token, folder: None });
        }
        Some(ServeSource::At(SourcePlace::Store(url))) => {
            store_args::open(Some(url), Missing::Refuse).await?
        }
        None => store_args::open(None, Missing::Refuse).await?,
    };
    Ok(Opened::store(store, None, None))
}

/// Fills a store with the sample data and grants all of it.
async fn sample() -> anyhow::Result<Opened> {
    let folder = tempfile::tempdir().context("no temporary folder for the sample data")?;
    let store = sqlite::open(&folder.path().join("demo.sqlite"), Missing::Create).await?;
    demo::fill(&store).await?;
    let (_, token) = store.create_grant(&everything()?).await?;
    Ok(Opened::store(store, Some(token), Some(folder)))
}

fn everything() -> anyhow::Result<GrantRequest> {
    let connections = stepwell_sample::connections();
    let names: BTreeSet<&str> =
        connections.iter().flat_map(|c| &c.streams).map(|stream| stream.name).collect();
    let stream = |name| {
        let name = StreamName::new(name)?;
        let (connections, fields, resources) = (Vec::new(), None, None);
        anyhow::Ok(StreamRequest { name, connections, fields, since: None, until: None, resources })
    };
    Ok(GrantRequest {
        client: "demo".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams: names.into_iter().map(stream).collect::<Result<_, _>>()?,
    })
}
