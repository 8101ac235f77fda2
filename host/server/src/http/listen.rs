//! Takes connections, each within its limits, until the server ends.

use super::patient::Patient;
use super::steady::Steady;
use super::times::Times;
use super::tls::Tls;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The largest head of a request, give or take what one read brings. The longest token is a quarter of it.
const LARGEST_HEAD: usize = 32 * 1024;
/// The most headers of a request.
const MOST_HEADERS: usize = 64;
/// How long to wait when the machine has no room for another connection.
const BREATH: Duration = Duration::from_millis(200);

/// What connections are served with.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<Arc<Tls>>,
    /// How many connections are open at a time.
    pub(crate) most: usize,
    pub(crate) times: Times,
    pub(crate) closing: CancellationToken,
}

impl Listening {
    /// Serves until `closing` fires, and then until the requests in flight are answered.
    pub(crate) async fn serve(self, router: Router) {
        let (connections, places) = (TaskTracker::new(), Arc::new(Semaphore::new(self.most)));
        loop {
            let taken = async {
                // Nobody is taken from the machine's queue for whom there is no place.
                let place = places.clone().acquire_owned().await;
                (place, self.listener.accept().await)
            };
            let (place, stream) = tokio::select! {
                () = self.closing.cancelled() => break,
                (place, accepted) = taken => match accepted {
                    Ok((stream, _)) => (place, stream),
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be taken");
                        tokio::time::sleep(BREATH).await;
                        continue;
                    }
                },
            };
            let (router, tls) = (router.clone(), self.tls.clone());
            let (times, closing) = (self.times.clone(), self.closing.clone());
            connections.spawn(async move {
                encrypted_or_not(stream, tls, router, &times, closing).await;
                drop(place);
            });
        }
        // Whoever connects now is told at once that nobody is here.
        drop(self.listener);
        connections.close();
        connections.wait().await;
    }
}

async fn encrypted_or_not(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    router: Router,
    times: &Times,
    closing: CancellationToken,
) {
    // An answer is one small write after another; waiting to fill a packet would cost 40 ms each.
    let _ = stream.set_nodelay(true);
    let stream = Patient::new(stream, times.answer);
    let Some(tls) = tls else { return serve(stream, router, times, closing).await };
    // A handshake that fails says nothing about this server; whoever scans ports makes many.
    if let Ok(Ok(stream)) = tokio::time::timeout(times.handshake, tls.acceptor().accept(stream)).await {
        serve(stream, router, times, closing).await;
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    router: Router,
    times: &Times,
    closing: CancellationToken,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(times.head)
        .max_buf_size(LARGEST_HEAD)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let (mut connection, steady) = (pin!(connection), Steady::default());
    tokio::select! {
        // What breaks here is the client's connection, which its own side knows best.
        _ = poll_fn(|context| steady.poll(connection.as_mut(), context)) => return,
        () = closing.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
