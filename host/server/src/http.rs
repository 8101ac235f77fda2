//! MCP over Streamable HTTP at `/mcp`.
//!
//! Both eras of the protocol share the endpoint, and no request leaves anything behind: sessions are off, so any replica
//! can answer any request.

pub(crate) mod bearer;

use crate::server::Server;
use crate::signal::Ending;
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::serve::ListenerExt as _;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::future::IntoFuture as _;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// The endpoint.
pub const PATH: &str = "/mcp";
/// The largest request: arguments are short, and whatever is larger is a mistake or an attack.
const LARGEST_REQUEST: usize = 1024 * 1024;
/// How long calls in flight may take once the server was asked to end.
pub(crate) const LAST_CALLS: Duration = Duration::from_secs(10);

/// Who may come in.
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// Names in `Host` besides those of the loopback and the address itself. Others are refused, so that a web page
    /// cannot reach the server under a name of its own.
    pub hosts: Vec<String>,
    /// Web pages' origins. Programs send none; a page that is not named here is refused.
    pub origins: Vec<String>,
}

/// An address, or a port of the loopback: nothing is open to the network unless someone wrote its address.
pub fn parse_address(text: &str) -> Result<SocketAddr, &'static str> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let text =
        text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    text.parse().map_err(|_| "write an address such as 127.0.0.1:8765, or a port")
}

/// Serves until a signal comes. Subscriptions end then, and calls in flight are finished.
pub async fn serve(
    server: Server,
    listener: TcpListener,
    options: HttpOptions,
    ending: Ending,
) -> io::Result<()> {
    let closing = server.shared.closing.clone();
    let config = config(&options, listener.local_addr()?);
    let at_once = config.cancellation_token.clone();
    let router = router(server, config);
    // An answer is one small write after another; waiting to fill a packet would cost 40 ms each.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let serving = axum::serve(listener, router).with_graceful_shutdown(closing.clone().cancelled_owned());
    let ends = async {
        ending.wished().await;
        closing.cancel();
        tokio::time::sleep(LAST_CALLS).await;
        at_once.cancel();
    };
    tokio::select! {
        outcome = serving.into_future() => outcome,
        () = ends => Ok(()),
    }
}

fn config(options: &HttpOptions, address: SocketAddr) -> StreamableHttpServerConfig {
    let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if !address.ip().is_unspecified() {
        hosts.push(address.ip().to_string());
    }
    hosts.extend(options.hosts.iter().cloned());
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(options.origins.iter().map(|origin| with_port(origin)))
        .enforce_origin_validation()
        .with_max_request_body_bytes(LARGEST_REQUEST)
}

/// An origin without a port means the usual one of its scheme; left out, it would mean any.
fn with_port(origin: &str) -> String {
    let port = match origin.split_once("://") {
        Some(("https", rest)) if !rest.rsplit(']').next().is_some_and(|end| end.contains(':')) => ":443",
        Some(("http", rest)) if !rest.rsplit(']').next().is_some_and(|end| end.contains(':')) => ":80",
        _ => "",
    };
    format!("{}{port}", origin.trim_end_matches('/'))
}

fn router(server: Server, config: StreamableHttpServerConfig) -> Router {
    let source = server.offer().ladder.source().clone();
    let exports = crate::export::router(server.clone());
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new()
        .route_service(PATH, service)
        .merge(exports)
        .layer(from_fn_with_state(source, bearer::required))
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
            assert_eq!(parse_address(text).unwrap().to_string(), meant);
        }
        assert!(parse_address("example.org:80").is_err() && parse_address("").is_err());
    }

    #[test]
    fn an_origin_names_one_port() {
        for (given, meant) in [
            ("https://app.example", "https://app.example:443"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://localhost:*", "http://localhost:*"),
            ("http://[::1]", "http://[::1]:80"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("https://app.example/", "https://app.example:443"),
            ("null", "null"),
        ] {
            assert_eq!(with_port(given), meant);
        }
    }
}
