//! A connection whose other end has to keep reading.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How long the other end may leave an answer lying. Its request holds a place meanwhile.
const PATIENCE: Duration = Duration::from_secs(60);

/// Gives up when nothing can be written for too long.
#[derive(Debug)]
pub(super) struct Patient<S> {
    stream: S,
    patience: Duration,
    /// Since when a write waits, and until when it may.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, patience: PATIENCE, until: None }
    }

    /// Starts the clock when a write has to wait, and stops it when one was made.
    fn timed<T>(&mut self, poll: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.until = None;
            return poll;
        }
        let patience = self.patience;
        let until = self.until.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let poll = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.timed(poll, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let poll = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.timed(poll, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let poll = Pin::new(&mut this.stream).poll_flush(context);
        this.timed(poll, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let poll = Pin::new(&mut this.stream).poll_shutdown(context);
        this.timed(poll, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[tokio::test]
    async fn whoever_does_not_read_is_given_up() {
        let (near, mut far) = tokio::io::duplex(8);
        let mut near = Patient { patience: Duration::from_millis(50), ..Patient::new(near) };
        near.write_all(&[7; 8]).await.unwrap();
        let error = near.write_all(&[7; 8]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let mut read = [0; 8];
        far.read_exact(&mut read).await.unwrap();
        assert_eq!(read, [7; 8]);
    }

    #[tokio::test]
    async fn whoever_reads_gets_all_of_it() {
        let (near, mut far) = tokio::io::duplex(8);
        let mut near = Patient::new(near);
        let reader = tokio::spawn(async move {
            let mut all = Vec::new();
            far.read_to_end(&mut all).await.map(|_| all)
        });
        near.write_all(&[7; 1_000]).await.unwrap();
        near.shutdown().await.unwrap();
        drop(near);
        assert_eq!(reader.await.unwrap().unwrap(), [7; 1_000]);
    }
}
