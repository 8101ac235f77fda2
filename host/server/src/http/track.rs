//! Gives every request a name, counts it, and writes its one line into the log.

use super::front::Front;
use crate::note::Note;
use crate::server::Server;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, HeaderName};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use http_body::Body as _;

/// Tells a client the name of its request, which the log knows too.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The first parts of the paths that are served. Others are somebody's text and stay out of the log.
const ROUTES: &[&str] = &["mcp", "export", "v1", "healthz", ".well-known"];

/// The door as a layer.
pub(super) async fn tracked(State(front): State<Front>, request: Request, next: Next) -> Response {
    pass(&front, request, |_, request| next.run(request)).await
}

/// Answers a request and says what became of it, also if its client leaves before that.
pub(super) async fn pass<F: Future<Output = Response>>(
    front: &Front,
    mut request: Request,
    next: impl FnOnce(Note, Request) -> F,
) -> Response {
    let note = Note::of_http();
    request.extensions_mut().insert(note.clone());
    let mut line = Line {
        server: front.0.server.clone(),
        note: note.clone(),
        http: request.method().clone(),
        route: route(request.uri().path()),
        bytes_in: request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok()),
        sent: None,
    };
    let mut response = next(note.clone(), request).await;
    line.sent = Some((response.status().as_u16(), response.body().size_hint().exact()));
    if let Ok(id) = HeaderValue::from_str(note.id()) {
        response.headers_mut().insert(X_REQUEST_ID, id);
    }
    response
}

fn route(path: &str) -> &'static str {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    ROUTES.iter().find(|route| **route == first).copied().unwrap_or("other")
}

/// The line of a request, written when there is nothing more to learn.
struct Line {
    server: Server,
    note: Note,
    http: Method,
    route: &'static str,
    bytes_in: Option<u64>,
    /// The status of the answer, and its length if it is known. None if the client did not wait for it.
    sent: Option<(u16, Option<u64>)>,
}

impl Drop for Line {
    fn drop(&mut self) {
        let (status, bytes_out) = self.sent.unwrap_or((499, None));
        self.server.shared.metrics.responded(status);
        let said = self.note.said();
        let code = self.note.refused().map(|code| code.as_str());
        let outcome = code.or(said.map(|said| said.outcome));
        tracing::info!(
            request_id = self.note.id(),
            http = known(&self.http),
            route = self.route,
            status,
            method = said.map_or("-", |said| said.method),
            tool = said.and_then(|said| said.tool.as_deref()).unwrap_or("-"),
            outcome = outcome.unwrap_or("-"),
            millis = self.note.started().elapsed().as_millis(),
            bytes_in = self.bytes_in,
            bytes_out,
            "answered"
        );
    }
}

/// The name of a method that there is. Anything else is somebody's text.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
