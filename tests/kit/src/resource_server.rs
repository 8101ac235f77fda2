//! A resource server for tests: it answers as the public PDPP server was seen to, with its quirks, writes down what it was
//! asked, and breaks in the ways that it is told to.

mod answers;
mod fault;
mod shelf;
mod window;

pub use fault::Fault;
pub use shelf::{Shelf, ShelfRecord};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::IntoFuture as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// The path as it was spelled, escapes and all.
    pub path: String,
    /// The query, decoded.
    pub query: Vec<(String, String)>,
    /// The query as it was spelled.
    pub raw_query: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Asked {
    /// The first value of a parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The token that it was asked with.
    #[must_use]
    pub fn bearer(&self) -> Option<&str> {
        self.header("authorization")?.strip_prefix("Bearer ")
    }
}

/// Whom a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bearer {
    /// A client under a grant of this id.
    Client(String),
    /// The owner.
    Owner,
    /// A client whose grant was revoked.
    Revoked,
}

/// How the server differs from the most able one.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// Whether it has the route of field windows.
    pub field_windows: bool,
    /// Whether it ends windows in UTF-16 units, as the public server does.
    pub utf16_ends: bool,
    /// Whether its texts end at a NUL, as those of SQLite do.
    pub ends_at_nul: bool,
    /// Whether it gives parts of blobs.
    pub ranges: bool,
    /// Whether clients may filter, which the public server refuses.
    pub filters: bool,
    /// Whether it searches by meaning.
    pub semantic: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            field_windows: true,
            utf16_ends: true,
            ends_at_nul: false,
            ranges: false,
            filters: false,
            semantic: false,
        }
    }
}

struct Shared {
    shelf: Shelf,
    prefix: String,
    tokens: Mutex<HashMap<String, Bearer>>,
    habits: Mutex<Habits>,
    faults: Mutex<Vec<(String, Fault, u32)>>,
    asked: Mutex<Vec<Asked>>,
    requests: AtomicU64,
}

/// A running server. It ends when this goes.
pub struct ResourceServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl std::fmt::Debug for ResourceServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl ResourceServer {
    /// Starts it on a free port of the loopback.
    #[must_use]
    pub fn start(shelf: Shelf) -> Self {
        Self::start_below(shelf, "")
    }

    /// The same with a path before `/v1`.
    #[must_use]
    pub fn start_below(shelf: Shelf, prefix: &str) -> Self {
        let shared = Arc::new(Shared {
            shelf,
            prefix: prefix.to_owned(),
            tokens: Mutex::default(),
            habits: Mutex::default(),
            faults: Mutex::default(),
            asked: Mutex::default(),
            requests: AtomicU64::new(0),
        });
        let (end, ended) = oneshot::channel::<()>();
        let (ready, address) = std::sync::mpsc::channel();
        let state = shared.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port of the loopback");
                ready.send(listener.local_addr().expect("an address")).expect("a waiting test");
                let router = Router::new().fallback(answer).with_state(state);
                let serving = axum::serve(listener, router).into_future();
                tokio::select! { _ = serving => {}, _ = ended => {} }
            });
        });
        let address = address.recv().expect("the server listens");
        Self { address, shared, end: Some(end), thread: Some(thread) }
    }

    /// Its address, with the path before `/v1`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.shared.prefix)
    }

    /// Says whom a token is for.
    pub fn knows(&self, token: &str, bearer: Bearer) {
        lock(&self.shared.tokens).insert(token.to_owned(), bearer);
    }

    /// Forgets a token.
    pub fn forgets(&self, token: &str) {
        lock(&self.shared.tokens).remove(token);
    }

    /// Changes its habits.
    pub fn behave(&self, change: impl FnOnce(&mut Habits)) {
        change(&mut lock(&self.shared.habits));
    }

    /// Breaks the answers to so many requests whose path ends like this.
    pub fn breaks(&self, path_end: &str, fault: Fault, times: u32) {
        lock(&self.shared.faults).push((path_end.to_owned(), fault, times));
    }

    /// Stops breaking.
    pub fn heals(&self) {
        lock(&self.shared.faults).clear();
    }

    /// Takes what it was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut lock(&self.shared.asked))
    }

    /// The records that it serves.
    #[must_use]
    pub fn shelf(&self) -> &Shelf {
        &self.shared.shelf
    }
}

impl Drop for ResourceServer {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
    let raw_query = parts.uri.query().unwrap_or_default().to_owned();
    let header = |(name, value): (&axum::http::HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let asked = Asked {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: raw_query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect(),
        raw_query,
        headers: parts.headers.iter().map(header).collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    lock(&shared.asked).push(asked.clone());
    let fault = {
        let mut faults = lock(&shared.faults);
        let due = faults.iter_mut().find(|(end, _, times)| *times > 0 && asked.path.ends_with(end.as_str()));
        due.map(|(_, fault, times)| {
            *times -= 1;
            fault.clone()
        })
    };
    let mut response = match fault {
        Some(fault) => fault.response().await,
        None => answers::answer(&shared, &asked),
    };
    let id = format!("req_{}", shared.requests.fetch_add(1, Ordering::Relaxed));
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().entry("request-id").or_insert(id);
    }
    response.headers_mut().insert("connection", HeaderValue::from_static("close"));
    response
}

fn pair(pair: &str) -> (String, String) {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    (decoded(name), decoded(value))
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        let hex = (first == b'%').then(|| after.get(..2)).flatten();
        let escaped = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (escaped, first) {
            (Some(byte), _) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (None, b'+') => {
                bytes.push(b' ');
                rest = after;
            }
            (None, other) => {
                bytes.push(other);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An answer of JSON.
fn json_response(status: u16, body: &Value) -> Response<Body> {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(Body::from(body.to_string())).expect("a response")
}

/// An error in the form that the public server gives it.
fn error(status: u16, code: &str, more: Value) -> Response<Body> {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        410 => "gone_error",
        429 => "rate_limit_error",
        _ => "api_error",
    };
    let mut error = json!({ "type": kind, "code": code, "message": format!("refused: {code}") });
    if let (Some(error), Value::Object(more)) = (error.as_object_mut(), more) {
        error.extend(more);
    }
    json_response(status, &json!({ "error": error }))
}
