//! MCP over standard input and output, for one client and one token.

use crate::server::Server;
use crate::signal::Ending;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use stepwell_source::Token;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// Serves until standard input closes or a signal comes. Calls in flight are finished; subscriptions end at once,
/// because nobody is left to be notified.
pub async fn serve(server: &Server, token: Token) -> io::Result<()> {
    let closing = server.offer.closing.clone();
    tokio::select! {
        outcome = session(server.with_token(token), closing.clone()) => outcome,
        () = Ending::watch().wished() => {
            closing.cancel();
            Ok(())
        }
    }
}

async fn session(server: Server, closing: CancellationToken) -> io::Result<()> {
    let (reader, writer) = stdio_pipes();
    match server.serve((UntilEnd { reader, closing }, writer)).await {
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

/// A reader that says when there is nothing more to read.
struct UntilEnd<R> {
    reader: R,
    closing: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilEnd<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let poll = Pin::new(&mut this.reader).poll_read(context, buffer);
        match &poll {
            Poll::Ready(Ok(())) if buffer.filled().len() > before || buffer.remaining() == 0 => {}
            Poll::Ready(_) => this.closing.cancel(),
            Poll::Pending => {}
        }
        poll
    }
}
