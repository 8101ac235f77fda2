//! The way of a message to its answer, past all doors.
//!
//! It is one future. As layers, each door would box what it waits for and copy everything that stands behind it, with every
//! request.

use super::admission::SOON;
use super::front::Front;
use super::{admission, bearer, body, gate, plain, track};
use crate::server::Server;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use stepwell_contract::Code;
use tokio_util::sync::CancellationToken;

/// Who answers a message, and what stands before them. Cloning shares all of it.
#[derive(Clone)]
pub(super) struct Way {
    front: Front,
    server: Server,
    /// When calls are no longer finished.
    ending: CancellationToken,
    service: Arc<StreamableHttpService<Server, NeverSessionManager>>,
}

impl Way {
    pub(super) fn new(front: Front, server: Server, config: StreamableHttpServerConfig) -> Self {
        let sessions = Arc::new(NeverSessionManager::default());
        let (each, ending) = (server.clone(), config.cancellation_token.clone());
        let service = StreamableHttpService::new(move || Ok(each.clone()), sessions, config);
        Self { front, server, ending, service: Arc::new(service) }
    }
}

/// Answers a message that passes every door.
pub(super) async fn answer(
    State(Way { front, server, ending, service }): State<Way>,
    request: Request,
) -> Response {
    let (front, server, ending, service) = (&front, &server, &ending, &service);
    track::pass(front, request, |note, request| async move {
        let note = &note;
        gate::pass(front, note, request, |request| {
            bearer::pass(front, note, request, |caller, request| async move {
                let caller = &caller;
                admission::pass(front, note, caller, request, |request| {
                    body::pass(front, note, request, |parts, body| async move {
                        let plain = plain::answer(server, note, caller, &parts, &body);
                        match ending.run_until_cancelled(plain).await {
                            Some(Some(response)) => response,
                            None => front.refuse_until(note, Code::Overloaded, "the server ends", SOON),
                            Some(None) => {
                                let request = Request::from_parts(parts, Full::new(body));
                                // In a place of its own: what is waited for here is large, and seldom.
                                Box::pin(service.handle(request)).await.map(Body::new)
                            }
                        }
                    })
                })
                .await
            })
        })
        .await
    })
    .await
}
