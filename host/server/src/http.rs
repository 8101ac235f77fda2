//! MCP over Streamable HTTP at `/mcp`, and what stands before it.
//!
//! Both eras of the protocol share the endpoint, and no request leaves anything behind: sessions are off, so any replica
//! can answer any request. A request passes, in this order: `listen` (connections, TLS, size and time of its head), `track`
//! (its name, its line in the log), `gate` (Host and Origin), `bearer` (who asks), `admission` (is there room), `body` (size
//! and time of its body). Each says no before the next one costs anything. `message` is all of that as one way. The same doors
//! stand, as layers, before other routes and before `/v1`, which has an address of its own; `front` holds what they go by.

pub(crate) mod admission;
pub(crate) mod bearer;
mod body;
mod front;
mod gate;
mod held;
mod lane;
pub(crate) mod listen;
mod message;
mod patient;
mod plain;
mod refusal;
mod resource;
mod shares;
mod steady;
mod times;
mod tls;
mod track;

pub use resource::PublicUrl;
pub use times::Times;
pub use tls::{BadTls, Tls};

use crate::admin;
use crate::auth::AuthConfig;
use crate::export;
use crate::limits::LimitsConfig;
use crate::server::Server;
use crate::signal::Ending;
use crate::v1::{self, V1Config};
use axum::Router;
use axum::routing::{any, get};
pub(crate) use front::Front;
use front::{Place, Voice};
use gate::Names;
use listen::Listening;
use message::Way;
use rmcp::transport::StreamableHttpServerConfig;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use stepwell_source::Embedded;
use tokio::net::TcpListener;

/// The endpoint.
pub const PATH: &str = "/mcp";

/// Who may come in, by which way, and how many at a time.
#[derive(Debug, Default)]
pub struct HttpOptions {
    /// Names in `Host` besides those of the loopback, the address itself and the public address. Others are refused, so
    /// that a web page cannot reach the server under a name of its own.
    pub hosts: Vec<String>,
    /// Web pages' origins. Programs send none; a page that is not named here is refused.
    pub origins: Vec<String>,
    /// The address that clients use, where it is not the one that is listened on.
    pub public_url: Option<PublicUrl>,
    /// Whose tokens count.
    pub auth: AuthConfig,
    /// How much of the server is to be had.
    pub limits: LimitsConfig,
    /// How long a client may take for what.
    pub times: Times,
    /// What connections are encrypted with.
    pub tls: Option<Arc<Tls>>,
    /// Where the operator looks.
    pub admin: Option<TcpListener>,
    /// `/v1`, where it is switched on.
    pub v1: Option<Beside>,
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

/// `/v1`, beside MCP and on an address of its own.
#[derive(Debug)]
pub struct Beside {
    /// Where it listens.
    pub listener: TcpListener,
    /// What the operator decided about it.
    pub config: V1Config,
    /// What it answers from.
    pub store: Arc<Embedded>,
}

/// Serves until a signal comes. Subscriptions end then, and calls in flight are finished.
pub async fn serve(
    server: Server,
    listener: TcpListener,
    mut options: HttpOptions,
    ending: Ending,
) -> io::Result<()> {
    let closing = server.shared.closing.clone();
    if let Some(listener) = options.admin.take() {
        tokio::spawn(admin::serve(server.clone(), listener, options.times.clone()));
    }
    let (public_url, address) = (options.public_url.clone(), listener.local_addr()?);
    let place = Place { address, path: PATH, public_url, voice: Voice::Ladder };
    let front = Front::new(&server, &options, place, None)?;
    let beside = match options.v1.take() {
        Some(beside) => Some(beside.ready(&server, &options, &front)?),
        None => None,
    };
    let config = config(&front.0.names);
    let at_once = config.cancellation_token.clone();
    // Whoever knows the server by another name needs whole addresses; everyone else knows where it is.
    let exports = options.public_url.as_ref().map(|url| url.beside(PATH, export::BEGINNING));
    let server = server.with_exports(exports.as_deref().unwrap_or(export::BEGINNING));
    let router = router(&front, &server, config, &options.auth);
    let listening = options.listening(&server, listener);
    let ends = async {
        ending.wished().await;
        closing.cancel();
        tokio::time::sleep(options.times.last_calls).await;
        at_once.cancel();
    };
    let beside = async {
        if let Some((listening, router)) = beside {
            listening.serve(router).await;
        }
    };
    tokio::select! {
        _ = async { tokio::join!(listening.serve(router), beside) } => {}
        () = ends => {}
    }
    Ok(())
}

impl HttpOptions {
    fn listening(&self, server: &Server, listener: TcpListener) -> Listening {
        Listening {
            listener,
            tls: self.tls.clone(),
            most: self.limits.connections,
            times: self.times.clone(),
            closing: server.shared.closing.clone(),
        }
    }
}

impl Beside {
    /// Puts the same doors before it that stand before MCP. A grant has one share of both.
    fn ready(
        self,
        server: &Server,
        options: &HttpOptions,
        beside: &Front,
    ) -> io::Result<(Listening, Router)> {
        let Self { listener, config, store } = self;
        let (public_url, address) = (config.public_url.clone(), listener.local_addr()?);
        let place = Place { address, path: "", public_url, voice: Voice::ResourceServer };
        let front = Front::new(server, options, place, Some(beside))?;
        let kinds: &[&str] = if config.ingest { &["client", "owner"] } else { &["client"] };
        let metadata = resource::routes(front.public_url(), "", &options.auth, kinds);
        let router = v1::router(&front, server.clone(), store, config, metadata);
        Ok((options.listening(server, listener), router))
    }
}

fn config(names: &Names) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        // Both were checked before; the library checks them once more.
        .with_allowed_hosts(names.hosts().iter().cloned())
        .with_allowed_origins(names.origins().iter().cloned())
        .enforce_origin_validation()
        .with_max_request_body_bytes(body::LARGEST_REQUEST)
}

fn router(front: &Front, server: &Server, config: StreamableHttpServerConfig, auth: &AuthConfig) -> Router {
    let named = Router::new().merge(front.guard(export::router(server.clone()))).merge(resource::routes(
        front.public_url(),
        PATH,
        auth,
        &["client"],
    ));
    let messages = Router::new().route(PATH, any(message::answer));
    let messages = messages.with_state(Way::new(front.clone(), server.clone(), config));
    // A load balancer asks under whatever name it has, and learns nothing but that someone is here.
    let others = front.named(named).route("/healthz", get(admin::alive));
    // These come last, because the last answers for every path that there is not, and has to do so behind its doors.
    messages.merge(front.tracked(others))
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
}
