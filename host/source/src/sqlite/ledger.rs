//! The thread that makes entries of the ledger durable, for everyone who waits at that moment at once.

use crate::error::Failure;
use crate::ledger::NewEntries;
use crate::sqlite::pending::{self, ATTEMPTS, Pending};
use crate::sqlite::writer::Jobs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How many answers share one commit at most, so that the first of them does not wait for all that come after.
const GROUP: usize = 256;

/// How long entries are gathered where several answers were waiting the last time: to make a group durable costs the same for
/// one as for many. Whoever reads alone waits for nobody.
const GATHER: Duration = Duration::from_micros(250);

/// How long entries wait beside the store at most before they are put into its ledger.
const FOLD_AFTER: Duration = Duration::from_secs(1);

/// The entries of one answer, and who waits for them to be durable.
struct Waiting {
    entries: NewEntries,
    done: oneshot::Sender<Result<(), Failure>>,
}

/// Takes entries, on a thread of its own.
pub(super) struct Ledger {
    answers: Option<Sender<Waiting>>,
    thread: Option<JoinHandle<()>>,
}

impl Ledger {
    /// Starts the thread. What it gathers goes into the store through the writer's jobs.
    pub(super) fn start(store: PathBuf, ledger_ends: i64, jobs: Jobs) -> Result<Self, Failure> {
        let (answers, waiting) = channel();
        let thread = std::thread::Builder::new().name("stepwell-ledger".into()).spawn(move || {
            let beside = Beside { store, ledger_ends, file: None };
            work_through(beside, &waiting, &jobs);
        });
        let thread = thread.map_err(|error| Failure::Store(format!("no thread to write from: {error}")))?;
        Ok(Self { answers: Some(answers), thread: Some(thread) })
    }

    /// Adds entries. When it returns, they are durable.
    pub(super) async fn append(&self, entries: NewEntries) -> Result<(), Failure> {
        let (done, result) = oneshot::channel();
        let answers = self.answers.as_ref().ok_or(Failure::Gone)?;
        answers.send(Waiting { entries, done }).map_err(|_| Failure::Gone)?;
        result.await.map_err(|_| Failure::Gone)?
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        drop(self.answers.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The file beside the store, which is made with the first entry.
struct Beside {
    store: PathBuf,
    ledger_ends: i64,
    file: Option<Pending>,
}

impl Beside {
    fn add(&mut self, group: &[Waiting]) -> Result<(), Failure> {
        for _ in 0..ATTEMPTS {
            let file = match self.file.take() {
                Some(file) => file,
                None => Pending::open(&self.store, self.ledger_ends)?,
            };
            let file = self.file.insert(file);
            if file.add(group.iter().map(|waiting| &waiting.entries))? {
                return Ok(());
            }
            // Another program took it away when it ended. The next one is a new one.
            self.file = None;
        }
        Err(Failure::Store(
            "the file beside the store, in which entries of the ledger wait, does not stay".into(),
        ))
    }
}

/// Writes one group after the other, and has them put into the ledger now and then.
fn work_through(mut beside: Beside, waiting: &Receiver<Waiting>, jobs: &Jobs) {
    let (mut were_several, mut unfolded) = (false, None::<Instant>);
    loop {
        let first = match unfolded {
            None => waiting.recv().map_err(RecvTimeoutError::from),
            Some(since) => waiting.recv_timeout(FOLD_AFTER.saturating_sub(since.elapsed())),
        };
        match first {
            Ok(first) => {
                if were_several {
                    std::thread::sleep(GATHER);
                }
                let mut group = vec![first];
                group.extend(waiting.try_iter().take(GROUP - 1));
                were_several = group.len() > 1;
                let outcome = beside.add(&group).map_err(Arc::new);
                for one in group {
                    // A caller that went away was shown nothing; the entry errs on the safe side.
                    let _ = one.done.send(outcome.clone().map_err(Failure::Shared));
                }
                unfolded.get_or_insert_with(Instant::now);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if unfolded.is_some_and(|since| since.elapsed() >= FOLD_AFTER) {
            unfolded = None;
            fold(&beside.store, jobs);
        }
    }
    let Beside { store, file, .. } = beside;
    if file.is_some() {
        drop(file);
        jobs.send(move |connection| say(pending::finish(&store, connection)));
    }
}

/// Asks for what is beside the store to be put into it. If that fails, it stays there for the next time.
fn fold(store: &Path, jobs: &Jobs) {
    let store = store.to_owned();
    jobs.send(move |connection| say(pending::fold(&store, connection)));
}

fn say(outcome: Result<(), Failure>) {
    if let Err(error) = outcome {
        tracing::warn!(reason = %error, "entries of the ledger wait beside the store");
    }
}
