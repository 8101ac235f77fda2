//! The way of a message to the protocol library, past all doors.
//!
//! It is one future. As layers, each door would box what it waits for and copy everything that stands behind it, with every
//! request.

use super::front::Front;
use super::{admission, bearer, body, gate, track};
use crate::server::Server;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;

/// The protocol library, and what stands before it. Cloning shares both.
#[derive(Clone)]
pub(super) struct Way {
    front: Front,
    service: Arc<StreamableHttpService<Server, NeverSessionManager>>,
}

impl Way {
    pub(super) fn new(front: Front, server: Server, config: StreamableHttpServerConfig) -> Self {
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
        Self { front, service: Arc::new(service) }
    }
}

/// Answers a message that passes every door.
pub(super) async fn answer(State(Way { front, service }): State<Way>, request: Request) -> Response {
    let (front, service) = (&front, &service);
    track::pass(front, request, |note, request| async move {
        let note = &note;
        gate::pass(front, note, request, |request| {
            bearer::pass(front, note, request, |caller, request| async move {
                admission::pass(front, note, &caller, request, |request| {
                    body::pass(front, note, request, |request| async move {
                        service.handle(request).await.map(Body::new)
                    })
                })
                .await
            })
        })
        .await
    })
    .await
}
