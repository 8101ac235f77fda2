//! The operator's wish to end.

use tokio_util::sync::CancellationToken;

/// Watches for Ctrl-C or, on Unix, for the signal by which services are stopped.
///
/// It watches from the moment it is made, so whoever makes it before saying that the server is up is not ended by a
/// signal in between.
#[derive(Debug)]
pub struct Ending {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    told: CancellationToken,
}

impl Ending {
    /// Starts to watch.
    #[must_use]
    pub fn watch() -> Self {
        Self {
            // Without a handler the signal ends the process by itself.
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).ok(),
            told: CancellationToken::new(),
        }
    }

    /// The same, and whoever holds the token may wish it too.
    #[must_use]
    pub fn or_when(self, told: CancellationToken) -> Self {
        Self { told, ..self }
    }

    /// Waits for the wish.
    pub(crate) async fn wished(self) {
        let told = self.told.clone();
        tokio::select! {
            () = told.cancelled() => {}
            () = self.signalled() => {}
        }
    }

    async fn signalled(self) {
        #[cfg(unix)]
        if let Some(mut terminate) = self.terminate {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
