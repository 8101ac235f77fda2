//! A connection that only reads. If nobody waits for its answer any more, the server is told to stop.

use crate::error::Failure;
use crate::postgres::PATIENCE;
use deadpool_postgres::Object;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long one statement may run, in Postgres's words. Reads are bounded, so only a question that is far too broad comes
/// near it.
pub(super) const READ_MAX: &str = "10s";

/// A connection in use.
pub(super) struct InUse {
    client: Option<Object>,
    tls: MakeRustlsConnect,
}

impl InUse {
    /// Takes a connection into use.
    pub(super) fn new(client: Object, tls: MakeRustlsConnect) -> Self {
        Self { client: Some(client), tls }
    }

    /// The connection.
    pub(super) fn client(&self) -> Result<&Object, Failure> {
        self.client.as_ref().ok_or(Failure::Gone)
    }

    /// Gives the connection back: it has answered.
    pub(super) fn answered(mut self) {
        drop(self.client.take());
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let (Some(client), Ok(runtime)) = (self.client.take(), Handle::try_current()) else { return };
        // It is still busy with what nobody waits for, so nobody else may use it: a late "stop" could hit their statement.
        let client = Object::take(client);
        let (stop, tls) = (client.cancel_token(), self.tls.clone());
        runtime.spawn(async move {
            match timeout(PATIENCE, stop.cancel_query(tls)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::debug!(%error, "a statement that nobody waits for could not be stopped");
                }
                Err(_) => tracing::debug!("the database does not answer, not even to stop a statement"),
            }
            drop(client);
        });
    }
}

/// A statement that the server ended is one that took too long.
pub(super) fn stopped(error: tokio_postgres::Error) -> Failure {
    match error.code() {
        Some(code) if *code == SqlState::QUERY_CANCELED => Failure::TooLong,
        _ => error.into(),
    }
}
