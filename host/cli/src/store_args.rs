//! Which store a verb works on.

use anyhow::Context as _;
use clap::Args;
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, SourceUrl};

/// Names the store.
#[derive(Debug, Args)]
pub(crate) struct StoreArguments {
    /// The store: sqlite:PATH, or postgres://user@host/database [default: a file in your data directory]
    #[arg(long, env = "STEPWELL_SOURCE", hide_env_values = true, value_name = "URL")]
    source: Option<SourceUrl>,
}

impl StoreArguments {
    /// Opens the store, and makes it if that is allowed.
    pub(crate) async fn open(&self, missing: Missing) -> anyhow::Result<Embedded> {
        let url = match &self.source {
            Some(url) => url.clone(),
            None => default_store(missing)?,
        };
        url.open(missing).await.with_context(|| format!("cannot open the store {url}"))
    }
}

fn default_store(missing: Missing) -> anyhow::Result<SourceUrl> {
    let folder =
        dirs::data_dir().context("there is no data directory: name a store with --source sqlite:PATH")?;
    let folder = folder.join("stepwell");
    if missing == Missing::Create {
        make_private(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(SourceUrl::Sqlite(folder.join("store.sqlite")))
}

/// Makes a folder that only its owner can look into: what will be in it is personal.
fn make_private(folder: &std::path::Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.recursive(true).create(folder)
}
