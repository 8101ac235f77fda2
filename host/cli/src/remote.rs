//! A resource server as the source of records.

use crate::exit::UsageError;
use crate::files::private;
use crate::settings::RemoteConfig;
use crate::store_args::make_private;
use anyhow::Context as _;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use stepwell_source::remote::{Limits, Own, RemoteOptions};
use stepwell_source::sqlite::{self, Missing};
use stepwell_source::{Embedded, Remote, RemoteUrl, Token};

/// A resource server that is ready to be asked, and the store on this side that keeps the ledger and the keys.
pub(crate) struct OpenedRemote {
    pub(crate) source: Arc<Remote>,
    pub(crate) local: Arc<Embedded>,
}

/// Gets ready to ask a resource server. A token that was given counts before those that the configuration names.
pub(crate) async fn open(
    url: &RemoteUrl,
    config: &RemoteConfig,
    given: Option<Token>,
) -> anyhow::Result<OpenedRemote> {
    let options = RemoteOptions {
        url: url.clone(),
        own: Some(own(url, config, given)),
        tokens: config.tokens.clone(),
        allow_http: config.allow_http,
        authorities: config.authorities.clone(),
        limits: Limits::default(),
    };
    if url.is_exposed() && !config.allow_http {
        let message = format!(
            "{url} is not encrypted: use https, or set allow_http = true in [source] of the configuration"
        );
        return Err(UsageError(message).into());
    }
    let local = Arc::new(ledger(url, Missing::Create).await?);
    Ok(OpenedRemote { source: Arc::new(Remote::new(options, local.clone())?), local })
}

/// Opens the ledger of what was read from a resource server.
pub(crate) async fn ledger(url: &RemoteUrl, missing: Missing) -> anyhow::Result<Embedded> {
    let file = ledger_file(url)?;
    if let (Missing::Create, Some(folder)) = (missing, file.parent()) {
        make_private(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // The keys in it would let others forge cursors. SQLite gives the files beside it the same permissions.
        let made = private(&file).map(drop);
        made.or_else(|error| if error.kind() == ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })
            .with_context(|| format!("cannot make {}", file.display()))?;
    }
    sqlite::open(&file, missing).await.with_context(|| format!("cannot open the ledger of {url}"))
}

/// One file for each resource server. What its name cannot spell, a digest tells apart.
pub(crate) fn ledger_file(url: &RemoteUrl) -> anyhow::Result<PathBuf> {
    use sha2::{Digest as _, Sha256};
    let folder = dirs::state_dir().or_else(dirs::data_dir);
    let folder = folder.context("there is no directory for the ledger: set XDG_STATE_HOME")?;
    let digest: String =
        Sha256::digest(url.to_string())[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(folder.join("stepwell").join("remote").join(format!("{}-{digest}.sqlite", url.host_file())))
}

/// Where the process's own token comes from.
fn own(url: &RemoteUrl, config: &RemoteConfig, given: Option<Token>) -> Own {
    match (given, &config.token_file) {
        (Some(token), _) => Own::Given(token),
        (None, Some(file)) => Own::File(file.clone()),
        (None, None) => {
            let root = config.pdpp_cache.clone();
            let root = root.or_else(|| std::env::var_os("PDPP_CACHE_ROOT").map(PathBuf::from));
            let root = root.unwrap_or_else(|| PathBuf::from(".pdpp"));
            Own::Pdpp(root.join("clients").join(format!("{}.json", url.host_file())))
        }
    }
}
