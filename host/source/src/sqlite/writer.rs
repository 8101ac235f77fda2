//! The one thread that writes.

use crate::error::Failure;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Owns the only connection that can write, on a thread of its own: writes never wait for each other's locks.
pub(super) struct Writer {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(mut connection: Connection) -> Result<Self, Failure> {
        let (jobs, waiting) = channel::<Job>();
        let thread = std::thread::Builder::new().name("stepwell-writer".into()).spawn(move || {
            for job in waiting {
                job(&mut connection);
            }
        });
        let thread = thread.map_err(|error| Failure::Store(format!("no thread to write from: {error}")))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs a piece of work in a transaction. When it returns, the work is durable; if it fails, nothing of it is there.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (done, result) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // IMMEDIATE takes the write lock at once, so that two processes queue instead of failing half-way.
            let outcome =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Failure::from);
            let outcome = outcome.and_then(|transaction| {
                let value = work(&transaction)?;
                transaction.commit()?;
                Ok(value)
            });
            // A caller that went away has no use for the answer; the work is done all the same.
            let _ = done.send(outcome);
        });
        let jobs = self.jobs.as_ref().ok_or(Failure::Gone)?;
        jobs.send(job).map_err(|_| Failure::Gone)?;
        result.await.map_err(|_| Failure::Gone)?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.jobs.take());
        // Waiting lets SQLite fold its log back into the file.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
