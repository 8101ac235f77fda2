//! MCP over standard input and output, for one client and one token.

use crate::server::{Server, Shared};
use crate::signal::Ending;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;
use stepwell_source::Token;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::Sleep;

/// Serves until standard input closes or a signal comes. Calls in flight are finished; subscriptions end at once,
/// because nobody is left to be notified.
pub async fn serve(server: &Server, token: Token, ending: Ending) -> io::Result<()> {
    tokio::select! {
        outcome = session(server.with_token(token)) => outcome,
        () = ending.wished() => {
            server.shared.closing.cancel();
            Ok(())
        }
    }
}

async fn session(server: Server) -> io::Result<()> {
    let (reader, writer) = stdio_pipes();
    let reader = UntilEnd { reader, shared: server.shared.clone(), farewell: None };
    match server.serve((reader, writer)).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // A client that only looks whether the program starts.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(format!("the client did not open the session: {}", kind(&error)))),
    }
}

/// Names the failure without repeating the message that caused it.
fn kind(error: &ServerInitializeError) -> &'static str {
    match error {
        ServerInitializeError::ExpectedInitializeRequest(_) => "it began with another message",
        ServerInitializeError::TransportError { .. } => "the connection broke",
        _ => "the first request failed",
    }
}

/// How long subscriptions have to say goodbye. They do so through the protocol library's loop, which stops at the end of
/// the input and would then wait five seconds for them.
const FAREWELL: Duration = Duration::from_millis(100);

/// A reader that ends the subscriptions before it says that there is nothing more to read.
struct UntilEnd<R> {
    reader: R,
    shared: Arc<Shared>,
    farewell: Option<Pin<Box<Sleep>>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilEnd<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(farewell) = &mut this.farewell {
            return farewell.as_mut().poll(context).map(Ok);
        }
        let before = buffer.filled().len();
        let poll = Pin::new(&mut this.reader).poll_read(context, buffer);
        let ended = match &poll {
            Poll::Ready(Ok(())) => buffer.filled().len() == before && buffer.remaining() > 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if !ended {
            return poll;
        }
        this.shared.closing.cancel();
        if !this.shared.subscribed.load(Ordering::Relaxed) {
            return poll;
        }
        let farewell = this.farewell.insert(Box::pin(tokio::time::sleep(FAREWELL)));
        farewell.as_mut().poll(context).map(Ok)
    }
}
