//! SIGHUP, by which services are asked to read their configuration again.

/// Watches for the signal, from the moment it is made.
pub(crate) struct Hangup {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangup {
    /// Starts to watch. On a terminal the signal says that the terminal is gone, and ends the program as ever.
    pub(crate) fn watch() -> Self {
        #[cfg(unix)]
        {
            let kind = tokio::signal::unix::SignalKind::hangup();
            let is_service = !std::io::IsTerminal::is_terminal(&std::io::stdin());
            Self { signal: is_service.then(|| tokio::signal::unix::signal(kind).ok()).flatten() }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Waits for the next one.
    pub(crate) async fn received(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}
