//! The one thread that writes.

use crate::error::Failure;
use crate::ledger::NewEntries;
use crate::sqlite::ledger::{self, Waiting};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// How many answers share one commit at most, so that the first of them does not wait for all that come after.
const GROUP: usize = 256;

/// How long entries are gathered where several answers were waiting the last time. To make a group durable costs the same for
/// one as for many, and makes every reader look at its pages again. Whoever reads alone waits for nobody.
const GATHER: Duration = Duration::from_micros(250);

/// What the thread is asked to do.
enum Job {
    /// Something with a transaction of its own.
    Work(Work),
    /// To add to the ledger, together with whoever else waits for that.
    Append(Waiting),
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
            .spawn(move || work_through(&mut connection, &waiting));
        let thread = thread.map_err(|error| Failure::Store(format!("no thread to write from: {error}")))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs a piece of work in a transaction. When it returns, the work is durable; if it fails, nothing of it is there.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (done, result) = oneshot::channel();
        let work: Work = Box::new(move |connection| {
            let outcome = begin(connection).and_then(|transaction| {
                let value = work(&transaction)?;
                transaction.commit()?;
                Ok(value)
            });
            // A caller that went away has no use for the answer; the work is done all the same.
            let _ = done.send(outcome);
        });
        self.send(Job::Work(work))?;
        result.await.map_err(|_| Failure::Gone)?
    }

    /// Adds entries to the ledger. When it returns, they are durable.
    pub(super) async fn append(&self, entries: NewEntries) -> Result<(), Failure> {
        let (done, result) = oneshot::channel();
        self.send(Job::Append(Waiting { entries, done }))?;
        result.await.map_err(|_| Failure::Gone)?
    }

    fn send(&self, job: Job) -> Result<(), Failure> {
        self.jobs.as_ref().ok_or(Failure::Gone)?.send(job).map_err(|_| Failure::Gone)
    }
}

/// Begins a transaction that writes.
pub(super) fn begin(connection: &mut Connection) -> Result<Transaction<'_>, Failure> {
    // One that failed in the middle of its beginning is open, and nobody holds it who could end it.
    if !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK")?;
    }
    // IMMEDIATE takes the write lock at once, so that two processes queue instead of failing half-way.
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// Does one job after the other. Entries of the ledger that wait next to each other are written together.
fn work_through(connection: &mut Connection, waiting: &Receiver<Job>) {
    let (mut next, mut were_several) = (None, false);
    while let Some(job) = next.take().or_else(|| waiting.recv().ok()) {
        match job {
            Job::Work(work) => work(connection),
            Job::Append(first) => {
                let mut group = vec![first];
                if were_several {
                    std::thread::sleep(GATHER);
                }
                while group.len() < GROUP && next.is_none() {
                    match waiting.try_recv() {
                        Ok(Job::Append(another)) => group.push(another),
                        Ok(other) => next = Some(other),
                        Err(_) => break,
                    }
                }
                were_several = group.len() > 1;
                ledger::append(connection, group);
            }
        }
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
