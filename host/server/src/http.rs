//! MCP over Streamable HTTP at `/mcp`, and what stands before it.
//!
//! Both eras of the protocol share the endpoint, and no request leaves anything behind: sessions are off, so any replica
//! can answer any request. A request passes, in this order: `listen` (connections, TLS, size and time of its head), `track`
//! (its name, its line in the log), `gate` (Host and Origin), `bearer` (who asks), `admission` (is there room), `body` (size
//! and time of its body). Each says no before the next one costs anything.

mod admission;
pub(crate) mod bearer;
mod body;
mod gate;
mod held;
mod lane;
mod listen;
mod patient;
mod refusal;
mod resource;
mod shares;
mod times;
mod tls;
mod track;

pub use resource::PublicUrl;
pub use times::Times;
pub use tls::{BadTls, Tls};

use crate::admin;
use crate::auth::{AuthConfig, Authority};
use crate::limits::LimitsConfig;
use crate::server::Server;
use crate::signal::Ending;
use axum::Router;
use axum::middleware::from_fn_with_state as layer;
use axum::routing::get;
use gate::Names;
use lane::Lane;
use listen::Listening;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use shares::Shares;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use stepwell_source::Source;
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

/// What stands before every route. Cloning shares it.
#[derive(Clone, Debug)]
pub(crate) struct Front(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: Server,
    authority: Authority,
    names: Names,
    public_url: PublicUrl,
    scopes: Vec<String>,
    limits: LimitsConfig,
    times: Times,
    shares: Shares,
    lane: Lane,
}

impl Front {
    fn new(server: Server, options: &HttpOptions, address: SocketAddr) -> io::Result<Self> {
        let public_url = options.public_url.clone().or_else(|| PublicUrl::of(address, options.tls.is_some()));
        let public_url = public_url.ok_or_else(|| io::Error::other("the server has no address"))?;
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        if !address.ip().is_unspecified() {
            hosts.push(address.ip().to_string());
        }
        hosts.extend(public_url.host().map(str::to_owned));
        hosts.extend(options.hosts.iter().cloned());
        let authority = Authority::new(&options.auth, public_url.as_str()).map_err(io::Error::other)?;
        Ok(Self(Arc::new(Inner {
            server,
            authority,
            names: Names::new(&hosts, &options.origins),
            public_url,
            scopes: options.auth.scopes.clone(),
            limits: options.limits.clone(),
            times: options.times.clone(),
            shares: Shares::new(options.limits.clone()),
            lane: Lane::new(options.limits.in_flight),
        })))
    }

    fn source(&self) -> Arc<dyn Source> {
        self.0.server.offer().ladder.source().clone()
    }

    /// Puts the checks of a caller before routes that answer with data. What they answer finds the
    /// [`Caller`](stepwell_source::Caller) in the extensions of the request.
    pub(crate) fn guard(&self, routes: Router) -> Router {
        routes
            .route_layer(layer(self.clone(), admission::bounded))
            .route_layer(layer(self.clone(), bearer::required))
    }
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
        tokio::spawn(admin::serve(server.clone(), listener));
    }
    let front = Front::new(server, &options, listener.local_addr()?)?;
    let config = config(&front.0.names);
    let at_once = config.cancellation_token.clone();
    let router = router(&front, config, &options.auth);
    let (most, tls, times) = (options.limits.connections, options.tls, options.times);
    let last_calls = times.last_calls;
    let listening = Listening { listener, tls, most, times, closing: closing.clone() };
    let ends = async {
        ending.wished().await;
        closing.cancel();
        tokio::time::sleep(last_calls).await;
        at_once.cancel();
    };
    tokio::select! {
        () = listening.serve(router) => {}
        () = ends => {}
    }
    Ok(())
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

fn router(front: &Front, config: StreamableHttpServerConfig, auth: &AuthConfig) -> Router {
    let server = front.0.server.clone();
    let exports = crate::export::router(server.clone());
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let mcp = Router::new().route_service(PATH, service).route_layer(layer(front.clone(), body::whole));
    Router::new()
        .merge(front.guard(mcp.merge(exports)))
        .merge(resource::routes(&front.0.public_url, auth))
        .layer(layer(front.clone(), gate::known))
        // A load balancer asks under whatever name it has, and learns nothing but that someone is here.
        .route("/healthz", get(admin::alive))
        .layer(layer(front.clone(), track::tracked))
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
