//! The ways in which an answer breaks.

use axum::body::{Body, Bytes};
use axum::http::Response;
use futures_util::stream::{self, StreamExt as _};
use std::io;
use std::time::Duration;

/// A broken answer.
#[derive(Clone, Debug)]
pub enum Fault {
    /// This status, these headers and this body.
    Answer {
        /// The status.
        status: u16,
        /// Headers.
        headers: Vec<(&'static str, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// No byte for so long.
    Silence(Duration),
    /// The beginning of a body, and then a byte now and then for ever.
    Trickle(Duration),
    /// The beginning of a body, and then the connection breaks.
    Cut(Vec<u8>),
    /// A body of a beginning, so many times the same piece, and an end.
    Huge {
        /// The beginning.
        before: String,
        /// The piece.
        piece: String,
        /// How often.
        times: usize,
        /// The end.
        after: String,
    },
}

impl Fault {
    /// A status with a body of JSON.
    #[must_use]
    pub fn json(status: u16, body: &str) -> Self {
        Self::typed(status, "application/json", body)
    }

    /// A status with a body of some type.
    #[must_use]
    pub fn typed(status: u16, mime: &str, body: &str) -> Self {
        let headers = vec![("content-type", mime.to_owned())];
        Self::Answer { status, headers, body: body.as_bytes().to_vec() }
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name, value.to_owned()));
        }
        self
    }

    pub(super) async fn response(self) -> Response<Body> {
        let json = Response::builder().header("content-type", "application/json");
        let body = match self {
            Self::Answer { status, headers, body } => {
                let start = Response::builder().status(status);
                let response =
                    headers.into_iter().fold(start, |response, (name, value)| response.header(name, value));
                return response.body(Body::from(body)).expect("a response");
            }
            Self::Silence(how_long) => {
                tokio::time::sleep(how_long).await;
                Body::from("{}")
            }
            Self::Trickle(pause) => Body::from_stream(stream::unfold(0, move |turn| async move {
                tokio::time::sleep(pause).await;
                let piece = if turn == 0 { "{\"a\":\"" } else { "x" };
                Some((Ok::<_, io::Error>(Bytes::from(piece)), turn + 1))
            })),
            Self::Cut(beginning) => {
                let pieces = [Ok(Bytes::from(beginning)), Err(io::Error::other("cut"))];
                // The pause lets the beginning leave before the connection goes.
                Body::from_stream(stream::iter(pieces).then(|piece| async {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    piece
                }))
            }
            Self::Huge { before, piece, times, after } => {
                let (before, piece, after) = (Bytes::from(before), Bytes::from(piece), Bytes::from(after));
                let middle = stream::repeat(piece).take(times);
                let pieces = stream::iter([before]).chain(middle).chain(stream::iter([after]));
                Body::from_stream(pieces.map(Ok::<_, io::Error>))
            }
        };
        json.body(body).expect("a response")
    }
}
