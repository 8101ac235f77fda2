//! What stands before the routes of an address: the names it answers under, whose tokens count, and how much room there is.

use super::gate::Names;
use super::lane::Lane;
use super::resource::PublicUrl;
use super::shares::Shares;
use super::times::Times;
use super::{HttpOptions, admission, bearer, gate, track};
use crate::auth::Authority;
use crate::limits::LimitsConfig;
use crate::server::Server;
use axum::Router;
use axum::middleware::from_fn_with_state as layer;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use stepwell_source::Source;

/// What stands before every route of an address. Cloning shares it.
#[derive(Clone, Debug)]
pub(crate) struct Front(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) server: Server,
    pub(super) authority: Arc<Authority>,
    pub(super) names: Names,
    pub(super) public_url: PublicUrl,
    pub(super) scopes: Vec<String>,
    pub(super) times: Times,
    pub(super) rooms: Arc<Rooms>,
    pub(super) voice: Voice,
}

/// How much of the server is to be had, at all of its addresses together.
#[derive(Debug)]
pub(super) struct Rooms {
    pub(super) limits: LimitsConfig,
    pub(super) shares: Shares,
    pub(super) lane: Lane,
}

impl Rooms {
    fn new(limits: &LimitsConfig) -> Self {
        Self {
            limits: limits.clone(),
            shares: Shares::new(limits.clone()),
            lane: Lane::new(limits.in_flight),
        }
    }
}

/// In whose words a refusal is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// Those of this server's own errors.
    Ladder,
    /// Those of a PDPP resource server.
    ResourceServer,
}

/// An address that is listened on, and what it is known by.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) address: SocketAddr,
    /// What comes behind the address where the operator gave it no other name.
    pub(super) path: &'static str,
    pub(super) public_url: Option<PublicUrl>,
    pub(super) voice: Voice,
}

impl Front {
    /// What stands before an address. Beside another one it has a share of the same room.
    pub(super) fn new(
        server: &Server,
        options: &HttpOptions,
        place: Place,
        beside: Option<&Self>,
    ) -> io::Result<Self> {
        let Place { address, path, public_url, voice } = place;
        let public_url = public_url.or_else(|| PublicUrl::of(address, options.tls.is_some(), path));
        let public_url = public_url.ok_or_else(|| io::Error::other("the server has no address"))?;
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        if !address.ip().is_unspecified() {
            hosts.push(address.ip().to_string());
        }
        hosts.extend(public_url.host().map(str::to_owned));
        hosts.extend(options.hosts.iter().cloned());
        let (authority, rooms) = match beside {
            // Where tokens are meant for both, an answer about one is not asked for twice.
            Some(front) if options.auth.audience.is_some() => {
                (front.0.authority.clone(), front.0.rooms.clone())
            }
            beside => {
                let authority =
                    Authority::new(&options.auth, public_url.as_str()).map_err(io::Error::other)?;
                let rooms = beside.map(|front| front.0.rooms.clone());
                (Arc::new(authority), rooms.unwrap_or_else(|| Arc::new(Rooms::new(&options.limits))))
            }
        };
        Ok(Self(Arc::new(Inner {
            server: server.clone(),
            authority,
            names: Names::new(&hosts, &options.origins),
            public_url,
            scopes: options.auth.scopes.clone(),
            times: options.times.clone(),
            rooms,
            voice,
        })))
    }

    pub(super) fn source(&self) -> Arc<dyn Source> {
        self.0.server.offer().ladder.source().clone()
    }

    /// The address that clients know.
    pub(crate) fn public_url(&self) -> &PublicUrl {
        &self.0.public_url
    }

    /// How long the parts of an exchange may take.
    pub(crate) fn times(&self) -> &Times {
        &self.0.times
    }

    /// Puts the checks of a caller before routes that answer with data. What they answer finds the
    /// [`Caller`](stepwell_source::Caller) in the extensions of the request.
    pub(crate) fn guard(&self, routes: Router) -> Router {
        routes
            .route_layer(layer(self.clone(), admission::of_grant))
            .route_layer(layer(self.clone(), bearer::required))
    }

    /// Puts the check of the names before all routes.
    pub(crate) fn named(&self, routes: Router) -> Router {
        routes.layer(layer(self.clone(), gate::known))
    }

    /// Gives every request a name and a line in the log. Whatever answers has to stand behind it.
    pub(crate) fn tracked(&self, routes: Router) -> Router {
        routes.layer(layer(self.clone(), track::tracked))
    }
}
