//! The store that is served.

use crate::demo;
use crate::store_args;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::str::FromStr;
use stepwell_contract::StreamName;
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::sqlite::{self, Missing};
use stepwell_source::{Embedded, SourceUrl, Token};
use tempfile::TempDir;

/// What `--source` names.
#[derive(Clone, Debug)]
pub(crate) enum ServeSource {
    /// The sample data, in a store that is thrown away.
    Demo,
    /// A store.
    Url(SourceUrl),
}

impl FromStr for ServeSource {
    type Err = stepwell_source::url::BadUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "demo" { Ok(Self::Demo) } else { text.parse().map(Self::Url) }
    }
}

/// An open store.
pub(crate) struct Opened {
    pub(crate) store: Embedded,
    /// The token for the sample data.
    pub(crate) token: Option<Token>,
    /// Where the sample data is; it goes when this goes.
    pub(crate) folder: Option<TempDir>,
}

/// Opens the store that is named, or the default one.
pub(crate) async fn open(source: Option<&ServeSource>) -> anyhow::Result<Opened> {
    let store = match source {
        Some(ServeSource::Demo) => return sample().await,
        Some(ServeSource::Url(url)) => store_args::open(Some(url), Missing::Refuse).await?,
        None => store_args::open(None, Missing::Refuse).await?,
    };
    Ok(Opened { store, token: None, folder: None })
}

/// Fills a store with the sample data and grants all of it.
async fn sample() -> anyhow::Result<Opened> {
    let folder = tempfile::tempdir().context("no temporary folder for the sample data")?;
    let store = sqlite::open(&folder.path().join("demo.sqlite"), Missing::Create).await?;
    demo::fill(&store).await?;
    let (_, token) = store.create_grant(&everything()?).await?;
    Ok(Opened { store, token: Some(token), folder: Some(folder) })
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
