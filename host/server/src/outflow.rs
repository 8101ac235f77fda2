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
pub(crate) struct Outflow {
    pieces: mpsc::Sender<io::Result<Vec<u8>>>,
    patience: Duration,
}

#[async_trait]
impl Outlet for Outflow {
    async fn put(&mut self, piece: Vec<u8>) -> Result<(), Closed> {
        match tokio::time::timeout(self.patience, self.pieces.send(Ok(piece))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Closed),
        }
    }
}

/// A body that is written by a task of its own. When the client leaves, the work for it ends where it is. What cannot be
/// finished is cut off, so that nobody takes half of an answer for all of it.
pub(crate) fn body<W>(request_id: &str, write: impl FnOnce(Outflow) -> W) -> Body
where
    W: Future<Output = Result<(), Unfinished>> + Send + 'static,
{
    body_within(STALLED, request_id, write)
}

fn body_within<W>(patience: Duration, request_id: &str, write: impl FnOnce(Outflow) -> W) -> Body
where
    W: Future<Output = Result<(), Unfinished>> + Send + 'static,
{
    let (sender, mut receiver) = mpsc::channel(WAITING);
    let request_id = request_id.to_owned();
    let writing = write(Outflow { pieces: sender.clone(), patience });
    tokio::spawn(async move {
        let outcome = tokio::select! {
            outcome = writing => outcome,
            () = sender.closed() => Err(Unfinished::Closed(Closed)),
        };
        match outcome {
            Ok(()) => return,
            Err(Unfinished::Closed(_)) => tracing::info!(request_id, "the client left before the end"),
            Err(Unfinished::Failed(error)) => {
                tracing::error!(request_id, reason = %error, "an answer was cut off");
            }
        }
        // A client that only took too long may still be there: it must not think that this was all.
        let _ = sender.send(Err(io::Error::other("the answer could not be finished"))).await;
    });
    Body::from_stream(stream::poll_fn(move |context| receiver.poll_recv(context)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    async fn write(mut out: Outflow, pieces: usize) -> Result<(), Unfinished> {
        for _ in 0..pieces {
            out.put(vec![7; 10]).await?;
        }
        Ok(())
    }

    #[tokio::test]
    async fn whoever_takes_it_gets_all_of_it() {
        let body = body("req_1", |out| write(out, 100));
        assert_eq!(body.collect().await.unwrap().to_bytes().len(), 1_000);
    }

    #[tokio::test]
    async fn an_answer_that_was_given_up_does_not_look_complete() {
        let mut body = body_within(Duration::from_millis(50), "req_1", |out| write(out, 100));
        assert!(body.frame().await.unwrap().is_ok());
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let mut outcome = Ok(());
        while let Some(frame) = body.frame().await {
            outcome = frame.map(|_| ());
        }
        assert!(outcome.is_err(), "its end is an error");
    }

    #[tokio::test]
    async fn work_ends_when_the_client_leaves() {
        struct Ended(Arc<AtomicBool>);
        impl Drop for Ended {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Ended(has_ended.clone());
        let body = body("req_1", |_| async move {
            let _ended = ended;
            std::future::pending().await
        });
        tokio::task::yield_now().await;
        drop(body);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(has_ended.load(Ordering::Relaxed));
    }
}
