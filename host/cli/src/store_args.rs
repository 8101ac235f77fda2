//! Which store a verb works on.

use crate::config_args::ConfigArguments;
use anyhow::Context as _;
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Args, Command};
use std::ffi::OsStr;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, SourceUrl};

/// Names the store.
#[derive(Debug, Args)]
pub(crate) struct StoreArguments {
    /// The store: sqlite:PATH, or postgres://user@host/database [default: [source] of the configuration, else a file in
    /// your data directory]
    #[arg(long, value_name = "URL", value_parser = Address::<SourceUrl>::new())]
    #[arg(env = "STEPWELL_SOURCE", hide_env_values = true)]
    source: Option<SourceUrl>,
    #[command(flatten)]
    config: ConfigArguments,
}

/// Reads an address. A wrong one may hold a password, so unlike clap's own parser this one does not repeat it.
#[derive(Clone, Debug)]
pub(crate) struct Address<T>(PhantomData<fn() -> T>);

impl<T> Address<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: FromStr<Err: Display> + Clone + Send + Sync + 'static> TypedValueParser for Address<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let wrong = |what: &dyn Display| {
            let message = format!("invalid value for '--source <URL>': {what}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        };
        let text = value.to_str().ok_or_else(|| wrong(&"write it in UTF-8"))?;
        text.parse().map_err(|fault| wrong(&fault))
    }
}

impl StoreArguments {
    /// The address of the store, for what works on all of it.
    pub(crate) fn url(&self) -> anyhow::Result<SourceUrl> {
        self.named()?.map_or_else(|| default_store(Missing::Refuse), Ok)
    }

    /// The configuration that goes with it.
    pub(crate) fn config(&self) -> &ConfigArguments {
        &self.config
    }

    /// Opens the store, and makes it if that is allowed.
    pub(crate) async fn open(&self, missing: Missing) -> anyhow::Result<Embedded> {
        open(self.named()?.as_ref(), missing).await
    }

    /// The store that the command or else the configuration names.
    fn named(&self) -> anyhow::Result<Option<SourceUrl>> {
        match &self.source {
            Some(url) => Ok(Some(url.clone())),
            None => Ok(self.config.source()?.url),
        }
    }
}

/// Opens the store that is named, or the default one.
pub(crate) async fn open(url: Option<&SourceUrl>, missing: Missing) -> anyhow::Result<Embedded> {
    let url = match url {
        Some(url) => url.clone(),
        None => default_store(missing)?,
    };
    url.open(missing).await.with_context(|| format!("cannot open the store {url}"))
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
