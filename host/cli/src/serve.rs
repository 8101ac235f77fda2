//! `stepwell serve`: speaks MCP.

mod counters;
mod reload;
mod retention;
pub(crate) mod store;
mod v1;

use crate::config_args::ConfigArguments;
use crate::exit::UsageError;
use crate::log::{self, LogLevel};
use crate::output::Output;
use crate::place::SourcePlace;
use crate::settings::{Settings, broken};
use crate::store_args::Address;
use crate::token_args::TokenArguments;
use anyhow::Context as _;
use clap::Args;
use reload::{Hangup, Reload, Stamps};
use serde_json::json;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use stepwell_server::http::{self, HttpOptions, Times, parse_address};
use stepwell_server::{Ending, Server, stdio};
use stepwell_source::Token;
use stepwell_source::remote::CallerTokens;
use stepwell_tiers::Runtime;
use store::{Opened, ServeSource};
use tempfile::TempDir;
use tokio::net::TcpListener;

/// Serves MCP to a client that starts this program, or over HTTP
#[derive(Debug, Args)]
#[command(after_help = "\
On standard input and output the server speaks for one token, and ends when its input closes.
Over HTTP every request brings its own token, as Authorization: Bearer TOKEN.

  stepwell serve --token-file token
  stepwell serve --source demo                 sample data, which is not kept
  stepwell serve --http 127.0.0.1:8765
  stepwell serve --source https://rs.example   a PDPP resource server, with the credential of `pdpp connect`

Over HTTP, blobs, texts and record sets can be had as files at /export/HANDLE. With [v1] in the
configuration, the server also answers PDPP clients at /v1, on an address of its own.

What is not given here, [server], [auth], [limits] and [source] of the configuration say.")]
pub(crate) struct Serve {
    /// Speaks on standard input and output; the default where input is not a terminal and the configuration names no
    /// address
    #[arg(long, conflicts_with = "http")]
    stdio: bool,
    /// Listens for HTTP at /mcp on this address, or on this port of the loopback
    #[arg(long, value_name = "ADDR", value_parser = parse_address)]
    http: Option<SocketAddr>,
    /// The store: sqlite:PATH, postgres://user@host/database, https://host for a PDPP resource server, or demo for
    /// sample data that is thrown away [default: [source] of the configuration, else a file in your data directory]
    #[arg(long, value_name = "URL", value_parser = Address::<ServeSource>::new())]
    #[arg(env = "STEPWELL_SOURCE", hide_env_values = true)]
    source: Option<ServeSource>,
    #[command(flatten)]
    config: ConfigArguments,
    #[command(flatten)]
    token: TokenArguments,
    /// Accepts this name in Host besides those of the loopback; may be given several times
    #[arg(long = "allow-host", value_name = "HOST")]
    hosts: Vec<String>,
    /// Accepts web pages of this origin, such as https://app.example; may be given several times
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// How much to log, on standard error [default: warn, unless the configuration says otherwise]
    #[arg(long, env = "STEPWELL_LOG", value_enum, value_name = "LEVEL")]
    log: Option<LogLevel>,
}

impl Serve {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        // The files are looked at before they are read, so that no change in between is missed.
        let mut stamps = Stamps::of(self.config.locate().map(|located| located.path));
        let settings = self.config.read()?;
        stamps.add(settings.files());
        log::start(self.log.map_or(settings.server.log, LogLevel::filter), settings.server.log_format);
        let http = self.http.or(settings.server.http).filter(|_| !self.stdio);
        if http.is_none() && !(self.hosts.is_empty() && self.origins.is_empty()) {
            let message = "--allow-host and --allow-origin are for HTTP; pass --http ADDR too";
            return Err(UsageError(message.into()).into());
        }
        if http.is_none() && !self.stdio && std::io::stdin().is_terminal() {
            let message =
                "a client starts this on its standard input; pass --stdio to type yourself, or --http ADDR";
            return Err(UsageError(message.into()).into());
        }
        // The token comes before the store: without one there is nothing to open it for.
        let source = self.source.clone().or_else(|| settings.source.url.clone().map(ServeSource::At));
        let is_remote = matches!(source, Some(ServeSource::At(SourcePlace::Remote(_))));
        let token = match http {
            // A resource server may be asked with a credential that was kept from an earlier time.
            None if is_remote => self.token.given()?,
            None if !self.is_demo() => Some(self.token.token()?),
            _ => None,
        };
        if http.is_some() && is_remote && settings.source.remote.tokens == CallerTokens::Kept {
            let message = "over HTTP callers bring tokens, and this resource server would never see them: set \
                           same_resource = true or [source.exchange] in the configuration";
            return Err(UsageError(message.into()).into());
        }
        if http.is_some() && is_remote && settings.v1.listen.is_some() {
            let message = "v1.listen is for a store of your own: a resource server answers at /v1 by itself";
            return Err(UsageError(message.into()).into());
        }
        let opened = store::open(source.as_ref(), &settings.source.remote, token.clone()).await?;
        match http {
            None => self.on_stdio(settings, stamps, opened, token).await,
            Some(address) => self.on_http(settings, stamps, opened, address, output).await,
        }
    }

    fn is_demo(&self) -> bool {
        matches!(self.source, Some(ServeSource::Demo))
    }

    async fn on_stdio(
        &self,
        settings: Settings,
        stamps: Stamps,
        opened: Opened,
        token: Option<Token>,
    ) -> anyhow::Result<()> {
        let token = opened.token.clone().or(token).ok_or(crate::exit::NoToken)?;
        // A token that does not count is told now and by the exit code, not by the first answer.
        opened.source.authenticate(&token).await?;
        let (server, reload, _folder) = self.server(settings, stamps, opened).await?;
        tokio::select! {
            outcome = stdio::serve(&server, token, Ending::watch()) => {
                counters::log(&server);
                Ok(outcome?)
            }
            never = reload.watch() => match never {},
        }
    }

    async fn on_http(
        &self,
        settings: Settings,
        stamps: Stamps,
        opened: Opened,
        address: SocketAddr,
        output: &Output,
    ) -> anyhow::Result<()> {
        // A caller of a resource server brings a token of its own.
        let token = opened.token.clone().filter(|_| opened.folder.is_some());
        let mut options = HttpOptions {
            hosts: given(&self.hosts, &settings.server.allow_hosts),
            origins: given(&self.origins, &settings.server.allow_origins),
            public_url: settings.server.public_url.clone(),
            auth: settings.auth.clone(),
            limits: settings.limits.clone(),
            times: Times::default(),
            tls: settings.tls()?.map(Arc::new),
            admin: match settings.server.admin {
                Some(address) => Some(listen(address).await?),
                None => None,
            },
            v1: None,
        };
        let (config, store) = (settings.v1.clone(), opened.ledger.clone());
        let (server, mut reload, _folder) = self.server(settings, stamps, opened).await?;
        reload.tls = options.tls.clone();
        let listener = listen(address).await?;
        options.v1 = v1::listen(&config, store).await?;
        let ending = Ending::watch();
        let scheme = if options.tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}{}", listener.local_addr()?, http::PATH);
        let admin = options.admin.as_ref().map(TcpListener::local_addr).transpose()?;
        let admin = admin.map(|address| format!("http://{address}"));
        let beside = options.v1.as_ref().map(|beside| beside.listener.local_addr()).transpose()?;
        let beside = beside.map(|address| format!("{scheme}://{address}/v1"));
        if output.is_json() {
            let token = token.as_ref().map(Token::reveal);
            let mut said = json!({ "listening": url, "admin": admin, "token": token });
            if let Some(beside) = &beside {
                said["v1"] = json!(beside);
            }
            output.json(&said)?;
        } else {
            output.warn(format_args!("listening on {url}"));
            if let Some(admin) = admin {
                output.warn(format_args!("health and counters at {admin}"));
            }
            if let Some(beside) = &beside {
                output.warn(format_args!("listening on {beside}"));
            }
            if let Some(token) = token {
                output.warn(format_args!(
                    "the token for the sample data, shown only this once:\n{}",
                    token.reveal()
                ));
            }
        }
        let serving = http::serve(server.clone(), listener, options, ending);
        tokio::select! {
            outcome = serving => {
                counters::log(&server);
                Ok(outcome?)
            }
            never = reload.watch() => match never {},
        }
    }

    /// Puts the server together, and what gives it another configuration; the folder is kept as long as it runs.
    async fn server(
        &self,
        settings: Settings,
        stamps: Stamps,
        opened: Opened,
    ) -> anyhow::Result<(Server, Reload, Option<TempDir>)> {
        let Opened { source, ledger, provider, folder, .. } = opened;
        let keep_days = Arc::new(AtomicU32::new(settings.ledger.keep_days));
        retention::start(&ledger, keep_days.clone());
        ledger.keep_ledger(settings.ledger.durable.into());
        let runtime = Arc::new(Runtime::new()?);
        let tiers = settings.load_tiers_in(&runtime);
        let faults = tiers.status();
        let warnings = settings.warnings().into_iter().chain(faults.iter().filter_map(broken));
        warnings.for_each(|warning| tracing::warn!("{warning}"));
        let ladder = settings.ladder_on(source.clone(), &provider, tiers).await?;
        let server = Server::new(ladder, &settings.server)?;
        let reload = Reload {
            config: self.config.clone(),
            has_file: stamps.has_configuration(),
            stamps,
            started: settings,
            source,
            provider,
            runtime,
            server: server.clone(),
            ledger,
            keep_days,
            hangup: Hangup::watch(),
            tls: None,
        };
        Ok((server, reload, folder))
    }
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
}

/// What the command says, or else what the configuration says.
fn given(by_command: &[String], by_file: &[String]) -> Vec<String> {
    if by_command.is_empty() { by_file.to_vec() } else { by_command.to_vec() }
}
