//! The one thread that writes.

use crate::error::Failure;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Something that the thread does with its connection.
type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The way to the thread for whoever does not wait for what it does. As long as this is there, so is the thread.
pub(super) struct Jobs(Sender<Job>);

impl Jobs {
    pub(super) fn send(&self, job: impl FnOnce(&mut Connection) + Send + 'static) {
        // It ends only when nobody can send anything any more.
        let _ = self.0.send(Box::new(job));
    }
}

/// Owns the only connection that can write, on a thread of its own: writes never wait for each other's locks.
pub(super) struct Writer {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(mut connection: Connection) -> Result<Self, Failure> {
        let (jobs, waiting) = channel::<Job>();
        let thread = std::thread::Builder::new()
            .name("stepwell-writer".into())
            .spawn(move || waiting.into_iter().for_each(|job| job(&mut connection)));
        let thread = thread.map_err(|error| Failure::Store(format!("no thread to write from: {error}")))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// The way to the thread for another one.
    pub(super) fn jobs(&self) -> Result<Jobs, Failure> {
        Ok(Jobs(self.jobs.clone().ok_or(Failure::Gone)?))
    }

    /// Runs a piece of work in a transaction. When it returns, the work is durable; if it fails, nothing of it is there.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.with(move |connection| {
            let transaction = begin(connection)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })
        .await
    }

    /// Runs a piece of work with transactions of its own.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (done, result) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // A caller that went away has no use for the answer; the work is done all the same.
            let _ = done.send(work(connection));
        });
        self.jobs.as_ref().ok_or(Failure::Gone)?.send(job).map_err(|_| Failure::Gone)?;
        result.await.map_err(|_| Failure::Gone)?
    }
}

/// Begins a transaction that writes.
pub(super) fn begin(connection: &mut Connection) -> Result<Transaction<'_>, Failure> {
    end_transaction(connection)?;
    // IMMEDIATE takes the write lock at once, so that two processes queue instead of failing half-way.
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// Ends a transaction that failed in the middle: it is open, and nobody holds it who could end it.
pub(super) fn end_transaction(connection: &Connection) -> Result<(), Failure> {
    if !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK")?;
    }
    Ok(())
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
