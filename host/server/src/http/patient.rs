//! A connection whose other end has to keep reading.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How much the other end has to take while the patience lasts. Whoever takes a byte now and then would keep a place for
/// ever; the slowest line that people use takes this much in seconds.
const ENOUGH: usize = 64 * 1024;

/// Gives up when too little can be written for too long.
#[derive(Debug)]
pub(super) struct Patient<S> {
    stream: S,
    patience: Duration,
    wait: Option<Wait>,
}

/// A write that has to wait.
#[derive(Debug)]
struct Wait {
    /// When the patience ends.
    until: Pin<Box<Sleep>>,
    /// How much was taken since it began.
    taken: usize,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, wait: None }
    }

    /// Starts the clock when a write has to wait.
    fn timed<T>(&mut self, poll: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            return poll;
        }
        let patience = self.patience;
        let wait =
            self.wait.get_or_insert_with(|| Wait { until: Box::pin(tokio::time::sleep(patience)), taken: 0 });
        ready!(wait.until.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Stops the clock when enough was taken.
    fn written(
        &mut self,
        poll: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if let (Poll::Ready(Ok(count)), Some(wait)) = (&poll, &mut self.wait) {
            wait.taken += count;
            if wait.taken >= ENOUGH {
                self.wait = None;
            }
        }
        self.timed(poll, context)
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
        this.written(poll, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let poll = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.written(poll, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let poll = Pin::new(&mut this.stream).poll_flush(context);
        if poll.is_ready() {
            // There is nothing left to take.
            this.wait = None;
        }
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
        let mut near = Patient::new(near, Duration::from_millis(50));
        near.write_all(&[7; 8]).await.unwrap();
        let error = near.write_all(&[7; 8]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let mut read = [0; 8];
        far.read_exact(&mut read).await.unwrap();
        assert_eq!(read, [7; 8]);
    }

    #[tokio::test]
    async fn whoever_reads_a_byte_now_and_then_is_given_up_too() {
        let (near, mut far) = tokio::io::duplex(8);
        let mut near = Patient::new(near, Duration::from_millis(200));
        let reader = tokio::spawn(async move {
            let mut read = 0;
            while matches!(far.read(&mut [0]).await, Ok(1)) {
                read += 1;
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            read
        });
        let error = near.write_all(&[7; 2 * ENOUGH]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(near);
        assert!(reader.await.unwrap() < ENOUGH);
    }

    #[tokio::test]
    async fn taking_enough_or_all_of_it_stops_the_clock() {
        let (near, _far) = tokio::io::duplex(64);
        let mut near = Patient::new(near, Duration::from_secs(60));
        let wait = |taken| Some(Wait { until: Box::pin(tokio::time::sleep(Duration::from_secs(60))), taken });
        near.wait = wait(0);
        near.write_all(&[7]).await.unwrap();
        assert!(near.wait.is_some(), "a byte is not enough");
        near.flush().await.unwrap();
        assert!(near.wait.is_none(), "a pause between answers is not the reader's");
        near.wait = wait(ENOUGH - 1);
        near.write_all(&[7]).await.unwrap();
        assert!(near.wait.is_none());
    }

    #[tokio::test]
    async fn whoever_reads_gets_all_of_it() {
        let (near, mut far) = tokio::io::duplex(8);
        let mut near = Patient::new(near, Duration::from_secs(60));
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
