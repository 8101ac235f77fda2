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
//! | `door` | the owner's door, who was let in, and which version the client speaks; the callers' door is that of `/mcp` |
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

use crate::http::Front;
use crate::note::Note;
use crate::server::Server;
use answer::Answer;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::from_fn;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use axum::{Extension, Router};
use door::Visitor;
use fault::Fault;
use query::Asked;
use routes::{Operation, ROUTES, Route};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use stepwell_contract::Refusal;
use stepwell_ladder::{Discloses, LedgerPolicy, Recorded, record, record_outcome};
use stepwell_source::{Caller, Disclosure, Embedded, Source};
use tokio::sync::Semaphore;

pub use config::V1Config;
pub(crate) use export_query::record_set_query;
pub use routes::{Kind, Parameter, Served, served};

/// How many ingests run at a time: each may hold a line of the largest size.
const INGESTS: usize = 2;

/// What all requests share.
#[derive(Clone, Debug)]
pub(crate) struct V1 {
    server: Server,
    store: Arc<Embedded>,
    ingests: Arc<Semaphore>,
    /// How long an owner's records may pause on their way.
    pause: Duration,
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

/// The routes, each behind its door. `metadata` says where to get a token, and stands before no door but the names'.
pub(crate) fn router(
    front: &Front,
    server: Server,
    store: Arc<Embedded>,
    config: V1Config,
    metadata: Router,
) -> Router {
    let is_ingest = |route: &&Route| route.operation == Operation::Ingest;
    let (ingest, pause) = (config.ingest, front.times().body);
    let v1 = V1 { server, store: store.clone(), ingests: Arc::new(Semaphore::new(INGESTS)), pause };
    let reads = v1.routes(ROUTES.iter().filter(|route| !is_ingest(route)));
    let mut routes = front.guard(reads).merge(metadata);
    if ingest {
        let owners = v1.routes(ROUTES.iter().filter(is_ingest));
        routes = routes.merge(door::guard(front, store, owners));
    }
    let nowhere =
        |Extension(note): Extension<Note>| async move { Fault::no_such_route().response(note.id()) };
    let other_method =
        |Extension(note): Extension<Note>| async move { Fault::no_such_method().response(note.id()) };
    let routes = routes.method_not_allowed_fallback(other_method).fallback(nowhere);
    front.tracked(front.named(routes).layer(from_fn(answer::finished)))
}

/// A refusal of whoever stands before the routes, in the words of a resource server.
pub(crate) fn refused(refusal: &Refusal, request_id: &str) -> Response {
    Fault::from(refusal.clone()).response(request_id)
}

fn filter(method: &Method) -> MethodFilter {
    if *method == Method::POST { MethodFilter::POST } else { MethodFilter::GET }
}

impl V1 {
    fn routes<'r>(&self, routes: impl Iterator<Item = &'static Route> + 'r) -> Router {
        let mut by_path: BTreeMap<&str, MethodRouter<Self>> = BTreeMap::new();
        for route in routes {
            let serve =
                move |State(v1): State<Self>, request: Request| async move { v1.serve(route, request).await };
            let methods = by_path.remove(route.path).unwrap_or_default();
            by_path.insert(route.path, methods.merge(on(filter(&route.method), serve)));
        }
        let router =
            by_path.into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods));
        router.with_state(self.clone())
    }

    async fn serve(self, route: &'static Route, request: Request) -> Response {
        let note = request.extensions().get::<Note>().cloned().unwrap_or_else(Note::of_http);
        let (response, outcome) = match self.answer(route, request, note.id()).await {
            Ok(Answer(response)) => (response, "ok"),
            Err(fault) => {
                let code = fault.code();
                (fault.response(note.id()), code)
            }
        };
        self.server.ended(&note, route.name(), None, outcome);
        response
    }

    async fn answer(
        &self,
        route: &'static Route,
        request: Request,
        request_id: &str,
    ) -> Result<Answer, Fault> {
        let (mut parts, body) = request.into_parts();
        door::check_version(&parts.headers)?;
        let path = door::path(&mut parts).await?;
        let asked = Asked::parse(route, parts.uri.query().unwrap_or_default())?;
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
        let call = Call { v1: self, route, target, path, asked, request_id: request_id.to_owned() };
        match Visitor::of(&parts)? {
            Visitor::Owner(owner) => ingest::ingest(&call, owner, &parts.headers, body).await,
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
        let (source, tool) = (self.source(), self.route.name());
        Ok(record(&*source, self.ledger(), caller, tool, answer, disclosed).await?)
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
        let (source, tool) = (self.source(), self.route.name());
        Ok(record_outcome(&*source, self.ledger(), caller, tool, outcome).await?)
    }
}
