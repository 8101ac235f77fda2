//! `stepwell serve`: speaks MCP.

mod retention;
pub(crate) mod store;

use crate::config_args::{ConfigArguments, Settings};
use crate::exit::UsageError;
use crate::log::{self, LogLevel};
use crate::output::Output;
use crate::store_args::Address;
use crate::token_args::TokenArguments;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use stepwell_server::http::{self, HttpOptions};
use stepwell_server::{Ending, Server, stdio};
use stepwell_source::{Source as _, Token};
use store::{Opened, ServeSource};
use tokio::net::TcpListener;

/// Serves MCP to a client that starts this program, or over HTTP
#[derive(Debug, Args)]
#[command(after_help = "\
On standard input and output the server speaks for one token, and ends when its input closes.
Over HTTP every request brings its own token, as Authorization: Bearer TOKEN.

  stepwell serve --token-file token
  stepwell serve --source demo                 sample data, which is not kept
  stepwell serve --http 127.0.0.1:8765")]
pub(crate) struct Serve {
    /// Speaks on standard input and output; the default where input is not a terminal
    #[arg(long, conflicts_with = "http")]
    stdio: bool,
    /// Listens for HTTP at /mcp on this address, or on this port of the loopback
    #[arg(long, value_name = "ADDR", value_parser = address)]
    http: Option<SocketAddr>,
    /// The store: sqlite:PATH, postgres://user@host/database, or demo for sample data that is thrown away
    /// [default: a file in your data directory]
    #[arg(long, value_name = "URL", value_parser = Address::<ServeSource>::new())]
    #[arg(env = "STEPWELL_SOURCE", hide_env_values = true)]
    source: Option<ServeSource>,
    #[command(flatten)]
    config: ConfigArguments,
    #[command(flatten)]
    token: TokenArguments,
    /// Accepts this name in Host besides those of the loopback; may be given several times
    #[arg(long = "allow-host", value_name = "HOST", requires = "http")]
    hosts: Vec<String>,
    /// Accepts web pages of this origin, such as https://app.example; may be given several times
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
    /// How much to log, on standard error
    #[arg(long, env = "STEPWELL_LOG", value_enum, value_name = "LEVEL", default_value = "warn")]
    log: LogLevel,
}

impl Serve {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        log::start(self.log);
        if self.http.is_none() && !self.stdio && std::io::stdin().is_terminal() {
            let message =
                "a client starts this on its standard input; pass --stdio to type yourself, or --http ADDR";
            return Err(UsageError(message.into()).into());
        }
        let settings = self.config.read()?;
        // The token comes before the store: without one there is nothing to open it for.
        let token = match (self.http, self.is_demo()) {
            (None, false) => Some(self.token.token()?),
            _ => None,
        };
        let opened = store::open(self.source.as_ref()).await?;
        match self.http {
            None => self.on_stdio(&settings, opened, token).await,
            Some(address) => self.on_http(&settings, opened, address, output).await,
        }
    }

    fn is_demo(&self) -> bool {
        matches!(self.source, Some(ServeSource::Demo))
    }

    async fn on_stdio(
        &self,
        settings: &Settings,
        opened: Opened,
        token: Option<Token>,
    ) -> anyhow::Result<()> {
        let token = opened.token.clone().or(token).ok_or(crate::exit::NoToken)?;
        // A token that does not count is told now and by the exit code, not by the first answer.
        opened.store.authenticate(&token).await?;
        let (server, _folder) = server(settings, opened).await?;
        Ok(stdio::serve(&server, token, Ending::watch()).await?)
    }

    async fn on_http(
        &self,
        settings: &Settings,
        opened: Opened,
        address: SocketAddr,
        output: &Output,
    ) -> anyhow::Result<()> {
        let token = opened.token.clone();
        let (server, _folder) = server(settings, opened).await?;
        let listener =
            TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
        let ending = Ending::watch();
        let url = format!("http://{}{}", listener.local_addr()?, http::PATH);
        if output.is_json() {
            output.json(&json!({ "listening": url, "token": token.as_ref().map(Token::reveal) }))?;
        } else {
            output.warn(format_args!("listening on {url}"));
            if let Some(token) = token {
                output.warn(format_args!(
                    "the token for the sample data, shown only this once:\n{}",
                    token.reveal()
                ));
            }
        }
        let options = HttpOptions { hosts: self.hosts.clone(), origins: self.origins.clone() };
        Ok(http::serve(server, listener, options, ending).await?)
    }
}

/// Puts the server together; the folder is kept as long as it runs.
async fn server(settings: &Settings, opened: Opened) -> anyhow::Result<(Server, Option<tempfile::TempDir>)> {
    let store = Arc::new(opened.store);
    retention::start(&store, settings.ledger.keep_days);
    let ladder = settings.ladder(store, settings.load_tiers()?).await?;
    Ok((Server::new(ladder, &settings.server)?, opened.folder))
}

/// An address, or a port of the loopback: nothing is open to the network unless someone wrote its address.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let text =
        text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    text.parse().map_err(|_| "write an address such as 127.0.0.1:8765, or a port".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_loopback_unless_it_says_otherwise() {
        for (text, meant) in [
            ("8765", "127.0.0.1:8765"),
            ("localhost:1", "127.0.0.1:1"),
            ("[::1]:2", "[::1]:2"),
            ("0.0.0.0:3", "0.0.0.0:3"),
        ] {
            assert_eq!(address(text).unwrap().to_string(), meant);
        }
        assert!(address("example.org:80").is_err() && address("").is_err());
    }
}
