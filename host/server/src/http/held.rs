//! A response that keeps something until it was sent.

use axum::body::{Body, Bytes};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body and what it keeps.
struct Held<K> {
    body: Body,
    _kept: K,
}

/// Keeps something until the response was sent or given up.
pub(super) fn held<K: Unpin + Send + 'static>(response: Response, kept: K) -> Response {
    response.map(|body| Body::new(Held { body, _kept: kept }))
}

impl<K: Unpin> http_body::Body for Held<K> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
