//! The resource server's own API at `/v1`, as PDPP clients speak it. Off by default, on a listener of its own.
//!
//! It answers from the same store by the same grants as the tools do, through the same door: every read takes a
//! [`Caller`], and is in the owner's ledger before its first byte leaves. Where a tool shows windows, `/v1` hands out
//! whole values, because that is what its clients expect; a long one goes out a piece at a time.
//!
//! | file | holds |
//! |---|---|
//! | `config` | the `[v1]` table of plugins.toml |
//! | `routes` | every route with every parameter: what is served is exactly what stands there |
//! | `door` | whose token it is, and which version the client speaks |
//! | `query`, `typed` | the query string, as the arguments that the tools have |
//! | `answer`, `fault` | the shape of answers and refusals |
//! | the others | a route each |

mod aggregate;
mod answer;
mod blob;
pub mod config;
mod door;
mod export_query;
mod fault;
mod field_window;
mod ingest;
mod query;
mod record;
mod records;
mod routes;
mod rows;
mod schema;
mod search;
mod stream;
mod stream_json;
mod streams;
mod typed;

use crate::http::Times;
use crate::request_id::request_id;
use crate::server::Server;
use answer::{Answer, finish};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use axum::serve::ListenerExt as _;
use config::V1Config;
use door::Visitor;
use fault::Fault;
use query::Asked;
use routes::{Operation, ROUTES, Route};
use serde_json::Value;
use std::collections::BTreeMap;
use std::future::IntoFuture as _;
use std::io;
use std::sync::Arc;
use stepwell_ladder::{Discloses, LedgerPolicy, Recorded, record, record_outcome};
use stepwell_source::{Caller, Disclosure, Embedded, Source};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub(crate) use export_query::record_set_query;
pub use routes::{Kind, Parameter, Served, served};

/// How many ingests run at a time: each may hold a line of the largest size.
const INGESTS: usize = 2;

/// What all requests share.
#[derive(Clone, Debug)]
pub(crate) struct V1 {
    server: Server,
    store: Arc<Embedded>,
    config: V1Config,
    ingests: Arc<Semaphore>,
}

/// One request that was let in.
pub(crate) struct Call<'a> {
    v1: &'a V1,
    route: &'static Route,
    /// The address as the client wrote it, without the host.
    target: String,
    /// The names in the path.
    path: BTreeMap<String, String>,
    asked: Asked,
    request_id: String,
}

/// Serves until the server is to end. Answers that have begun may take a while then, and no longer.
pub async fn serve(
    server: Server,
    store: Arc<Embedded>,
    config: V1Config,
    listener: TcpListener,
) -> io::Result<()> {
    let closing = server.shared.closing.clone();
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let serving = axum::serve(listener, router(server, store, config))
        .with_graceful_shutdown(closing.clone().cancelled_owned());
    let ends = async {
        closing.cancelled().await;
        tokio::time::sleep(Times::default().last_calls).await;
    };
    tokio::select! {
        outcome = serving.into_future() => outcome,
        () = ends => Ok(()),
    }
}

/// The routes, for whoever serves them.
pub fn router(server: Server, store: Arc<Embedded>, config: V1Config) -> Router {
    let v1 = V1 { server, store, config, ingests: Arc::new(Semaphore::new(INGESTS)) };
    let mut by_path: BTreeMap<&str, MethodRouter<V1>> = BTreeMap::new();
    for route in ROUTES.iter().filter(|route| v1.config.ingest || route.operation != Operation::Ingest) {
        let serve =
            move |State(v1): State<V1>, request: Request| async move { v1.serve(route, request).await };
        let methods = by_path.remove(route.path).unwrap_or_default();
        by_path.insert(route.path, methods.merge(on(filter(&route.method), serve)));
    }
    let mut router = Router::new();
    for (path, methods) in by_path {
        router = router.route(path, methods);
    }
    let nowhere = || async { finish(Fault::no_such_route().response(&request_id())) };
    let other_method = || async { finish(Fault::no_such_method().response(&request_id())) };
    router.method_not_allowed_fallback(other_method).fallback(nowhere).with_state(v1)
}

fn filter(method: &Method) -> MethodFilter {
    if *method == Method::POST { MethodFilter::POST } else { MethodFilter::GET }
}

impl V1 {
    async fn serve(self, route: &'static Route, request: Request) -> Response {
        let request_id = request_id();
        let response = match self.answer(route, request, &request_id).await {
            Ok(Answer(response)) => response,
            Err(fault) => fault.response(&request_id),
        };
        tracing::info!(request_id, route = route.path, status = response.status().as_u16(), "v1");
        finish(answer::with_request_id(response, &request_id))
    }

    async fn answer(
        &self,
        route: &'static Route,
        request: Request,
        request_id: &str,
    ) -> Result<Answer, Fault> {
        let (mut parts, body) = request.into_parts();
        door::check_version(&parts.headers)?;
        // Who asks comes first: whether a question is well put is no business of strangers.
        let visitor = self.visitor(route, &parts.headers).await?;
        let path = door::path(&mut parts).await?;
        let asked = Asked::parse(route, parts.uri.query().unwrap_or_default())?;
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
        let call = Call { v1: self, route, target, path, asked, request_id: request_id.to_owned() };
        match visitor {
            Visitor::Owner(_) => ingest::ingest(&call, &parts.headers, body).await,
            Visitor::Client(caller) => call.read(&caller, &parts).await,
        }
    }
}

impl Call<'_> {
    async fn read(self, caller: &Caller, parts: &Parts) -> Result<Answer, Fault> {
        match self.route.operation {
            Operation::Schema => schema::schema(&self, caller).await,
            Operation::Streams => streams::streams(&self, caller).await,
            Operation::Stream => stream::stream(&self, caller).await,
            Operation::Records => records::records(&self, caller).await,
            Operation::Record => record::record(&self, caller).await,
            Operation::FieldWindow => field_window::field_window(&self, caller).await,
            Operation::Aggregate => aggregate::aggregate(&self, caller).await,
            Operation::Search => search::search(&self, caller).await,
            Operation::SearchBy(mode) => Err(search::unsupported(mode)),
            Operation::Blob => blob::blob(&self, caller, &parts.headers, parts.method == Method::HEAD).await,
            // Only an owner is let in there.
            Operation::Ingest => Err(Fault::no_such_route()),
        }
    }

    fn source(&self) -> Arc<dyn Source> {
        self.v1.store.clone()
    }

    fn ledger(&self) -> LedgerPolicy {
        self.v1.server.offer().ladder.ledger()
    }

    /// A name in the path, which the route has.
    fn in_path(&self, name: &str) -> &str {
        self.path.get(name).map_or("", String::as_str)
    }

    /// The arguments as a tool would have them, with the stream that the path names.
    fn arguments(&self) -> Value {
        let mut arguments = self.asked.arguments.clone();
        for (name, argument) in [("stream", "stream"), ("id", "record_id")] {
            if let (Some(value), true) = (self.path.get(name), self.route.operation != Operation::Blob) {
                arguments.insert(argument.to_owned(), Value::from(value.as_str()));
            }
        }
        Value::Object(arguments)
    }

    /// Writes down what an answer discloses, and then lets it go.
    async fn record<T>(
        &self,
        caller: &Caller,
        answer: T,
        disclosed: &[Disclosure],
    ) -> Result<Recorded<T>, Fault> {
        let (source, tool) = (self.source(), self.route.ledger_name());
        Ok(record(&*source, self.ledger(), caller, &tool, answer, disclosed).await?)
    }

    /// The same for a document, which then leaves.
    async fn json(
        &self,
        caller: &Caller,
        document: Value,
        disclosed: &[Disclosure],
    ) -> Result<Answer, Fault> {
        let document = self.record(caller, document, disclosed).await?;
        Ok(Answer::json(&document))
    }

    /// The same for an answer that knows what it discloses, or for the news that there is none.
    async fn record_outcome<T: Discloses>(
        &self,
        caller: &Caller,
        outcome: Result<T, stepwell_ladder::LadderError>,
    ) -> Result<Recorded<T>, Fault> {
        let (source, tool) = (self.source(), self.route.ledger_name());
        Ok(record_outcome(&*source, self.ledger(), caller, &tool, outcome).await?)
    }
}
