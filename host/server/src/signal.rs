//! The operator's wish to end.

#[cfg(unix)]
use std::task::Poll;

/// Watches for Ctrl-C and, on Unix, for the signal by which services are stopped.
///
/// It watches from the moment it is made: whoever is told that the server listens may stop it at once, and a signal that
/// nobody watches for kills the process.
#[derive(Debug)]
pub struct Ending {
    #[cfg(unix)]
    signals: Vec<tokio::signal::unix::Signal>,
}

impl Ending {
    /// Starts watching, within the runtime.
    #[must_use]
    pub fn watch() -> Self {
        Self {
            // Without a handler the signal ends the process by itself.
            #[cfg(unix)]
            signals: {
                use tokio::signal::unix::{SignalKind, signal};
                let kinds = [SignalKind::terminate(), SignalKind::interrupt()];
                kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect()
            },
        }
    }

    /// Waits for the wish.
    #[cfg(unix)]
    pub(crate) async fn wished(mut self) {
        std::future::poll_fn(|context| {
            let come = self.signals.iter_mut().map(|signal| signal.poll_recv(context).is_ready());
            // Each is polled, so that each wakes this task.
            if come.fold(false, |any, one| any | one) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Waits for the wish.
    #[cfg(not(unix))]
    pub(crate) async fn wished(self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
