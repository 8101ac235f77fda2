//! Bodies that are written while they are read: a piece waits until the client took the one before.

use async_trait::async_trait;
use axum::body::Body;
use futures_util::stream;
use std::io;
use std::time::Duration;
use stepwell_ladder::whole::Unfinished;
use stepwell_source::whole::{Closed, Outlet};
use tokio::sync::mpsc;

/// How many pieces wait for a slow client.
const WAITING: usize = 1;

/// How long a client may take no piece before its answer ends.
const STALLED: Duration = Duration::from_secs(60);

/// The writing end of a body.
#[derive(Debug)]
pub(crate) struct Outflow(mpsc::Sender<io::Result<Vec<u8>>>);

#[async_trait]
impl Outlet for Outflow {
    async fn put(&mut self, piece: Vec<u8>) -> Result<(), Closed> {
        match tokio::time::timeout(STALLED, self.0.send(Ok(piece))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Closed),
        }
    }
}

/// A body that is written by a task of its own. When the client leaves, the next piece finds nobody, and the task ends.
/// What cannot be finished is cut off, so that nobody takes half of an answer for all of it.
pub(crate) fn body<W>(request_id: &str, write: impl FnOnce(Outflow) -> W) -> Body
where
    W: Future<Output = Result<(), Unfinished>> + Send + 'static,
{
    let (sender, mut receiver) = mpsc::channel(WAITING);
    let request_id = request_id.to_owned();
    let writing = write(Outflow(sender.clone()));
    tokio::spawn(async move {
        match writing.await {
            Ok(()) => {}
            Err(Unfinished::Closed(_)) => tracing::info!(request_id, "the client left before the end"),
            Err(Unfinished::Failed(error)) => {
                tracing::error!(request_id, reason = %error, "an answer was cut off");
                let _ = sender.send(Err(io::Error::other("the answer could not be finished"))).await;
            }
        }
    });
    Body::from_stream(stream::poll_fn(move |context| receiver.poll_recv(context)))
}
