//! Makes entries of the ledger durable: at once for whoever comes alone, and on a thread of its own for everyone who waits at
//! that moment together.

use crate::error::Failure;
use crate::ledger::NewEntries;
use crate::sqlite::pending::{self, Pending};
use crate::sqlite::writer::Jobs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How many answers share one commit at most, so that the first of them does not wait for all that come after.
const GROUP: usize = 256;

/// How many answers in one commit are many.
const MANY: usize = 4;

/// How long after the start of a commit the next one starts, while many come. Measured: with less there are more commits than
/// a small machine has time for, with more its processors have nothing to do meanwhile.
const APART: Duration = Duration::from_micros(800);

/// How long nobody has to come until nobody is waited for any more.
const MOMENT: Duration = Duration::from_micros(150);

/// How long entries wait beside the store at most before they are put into its ledger.
const FOLD_AFTER: Duration = Duration::from_secs(1);

/// How long a commit may keep a thread that answers: about as long as a few reads from the disk. One that took longer is not
/// made there again for a while.
const AT_ONCE: Duration = Duration::from_millis(1);

/// How many answers come alone, one after the other, before the next one is taken for alone.
const ALONE_AFTER: u32 = 32;

/// The entries of one answer, and who waits for them to be durable.
struct Waiting {
    entries: NewEntries,
    done: oneshot::Sender<Result<(), Failure>>,
}

/// What the thread is told.
enum News {
    Entries(Waiting),
    /// There is something beside the store now.
    Unfolded,
}

/// Takes entries.
pub(super) struct Ledger {
    beside: Arc<Beside>,
    news: Option<Sender<News>>,
    thread: Option<JoinHandle<()>>,
}

impl Ledger {
    /// Starts the thread. What is gathered goes into the store through the writer's jobs.
    pub(super) fn start(store: PathBuf, ledger_ends: i64, jobs: Jobs) -> Result<Self, Failure> {
        let beside = Arc::new(Beside {
            file: Mutex::new(File { store, ledger_ends, open: None, unfolded: None }),
            company: AtomicU32::new(0),
        });
        let (sender, news) = channel();
        let shared = Arc::clone(&beside);
        let thread = std::thread::Builder::new()
            .name("stepwell-ledger".into())
            .spawn(move || work_through(&shared, &news, &jobs));
        let thread = thread.map_err(|error| Failure::Store(format!("no thread to write from: {error}")))?;
        Ok(Self { beside, news: Some(sender), thread: Some(thread) })
    }

    /// Adds entries. When it returns, they are durable.
    pub(super) async fn append(&self, entries: NewEntries) -> Result<(), Failure> {
        let news = self.news.as_ref().ok_or(Failure::Gone)?;
        if let Some(was_folded) = self.beside.add_at_once(&entries) {
            if was_folded {
                // It has nothing to wait for otherwise.
                news.send(News::Unfolded).map_err(|_| Failure::Gone)?;
            }
            return Ok(());
        }
        let (done, result) = oneshot::channel();
        news.send(News::Entries(Waiting { entries, done })).map_err(|_| Failure::Gone)?;
        result.await.map_err(|_| Failure::Gone)?
    }
}

#[cfg(test)]
impl Ledger {
    /// How often entries were made durable.
    pub(super) fn syncs(&self) -> usize {
        self.beside.file().open.as_ref().map_or(0, |file| file.journal().trial().state().syncs)
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        drop(self.news.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The file beside the store, and how many use it.
struct Beside {
    file: Mutex<File>,
    /// More than none if others came at the same time not long ago, or if a commit took long.
    company: AtomicU32,
}

/// The file, which is made with the first entry.
struct File {
    store: PathBuf,
    ledger_ends: i64,
    open: Option<Pending>,
    /// Since when there is something in it.
    unfolded: Option<Instant>,
}

impl Beside {
    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the entries of whoever is alone, on the thread that asks: to wake another one and to be woken by it takes as long
    /// as the commit. Says whether there was nothing in the file before. None if it was not done: the thread does it then, and
    /// whatever went wrong comes up again there.
    fn add_at_once(&self, entries: &NewEntries) -> Option<bool> {
        if self.company.load(Relaxed) > 0 {
            return None;
        }
        let Ok(mut file) = self.file.try_lock() else {
            self.company.store(ALONE_AFTER, Relaxed);
            return None;
        };
        let started = Instant::now();
        let was_folded = file.unfolded.is_none();
        let added = file.open.as_mut()?.add_at_once(entries);
        if added {
            file.unfolded.get_or_insert(started);
        }
        if !added || started.elapsed() > AT_ONCE {
            self.company.store(ALONE_AFTER, Relaxed);
        }
        added.then_some(was_folded)
    }

    /// Adds the entries of everyone who waits.
    fn add(&self, group: &[Waiting]) -> Result<(), Failure> {
        match group {
            // Two at a time may lose one of their notes; it is a habit that is looked for, not a sum.
            [_] => self.company.store(self.company.load(Relaxed).saturating_sub(1), Relaxed),
            _ => self.company.store(ALONE_AFTER, Relaxed),
        }
        self.file().add(group)
    }
}

impl File {
    fn add(&mut self, group: &[Waiting]) -> Result<(), Failure> {
        // One that failed is opened anew: whatever stood in its place may have been moved away.
        let mut file = match self.open.take() {
            Some(file) => file,
            None => Pending::open(&self.store, self.ledger_ends)?,
        };
        file.add(group.iter().map(|waiting| &waiting.entries))?;
        self.open = Some(file);
        self.unfolded.get_or_insert_with(Instant::now);
        Ok(())
    }
}

/// Writes one group after the other, and has them put into the ledger now and then.
fn work_through(beside: &Beside, news: &Receiver<News>, jobs: &Jobs) {
    let mut last = Commit { began: Instant::now(), size: 0 };
    loop {
        let unfolded = beside.file().unfolded;
        let first = match unfolded {
            None => news.recv().map_err(RecvTimeoutError::from),
            Some(since) => news.recv_timeout(FOLD_AFTER.saturating_sub(since.elapsed())),
        };
        let first = match first {
            Ok(first) => Some(first),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let mut group: Vec<Waiting> = first.into_iter().filter_map(News::entries).collect();
        gather(&mut group, news);
        if !group.is_empty() {
            last.await_company(&mut group, news);
            last = Commit { began: Instant::now(), size: group.len() };
            let outcome = beside.add(&group).map_err(Arc::new);
            for one in group {
                // A caller that went away was shown nothing; the entry errs on the safe side.
                let _ = one.done.send(outcome.clone().map_err(Failure::Shared));
            }
        }
        let mut file = beside.file();
        if file.unfolded.is_some_and(|since| since.elapsed() >= FOLD_AFTER) {
            file.unfolded = None;
            let store = file.store.clone();
            jobs.send(move |connection| say(pending::fold(&store, connection)));
        }
    }
    let mut file = beside.file();
    if file.open.take().is_some() || file.unfolded.is_some() {
        let store = file.store.clone();
        jobs.send(move |connection| say(pending::settle(&store, connection)));
    }
}

/// Adds those who wait already to a group. Says whether there were any.
fn gather(group: &mut Vec<Waiting>, news: &Receiver<News>) -> bool {
    let before = group.len();
    group.extend(news.try_iter().take(GROUP.saturating_sub(before)).filter_map(News::entries));
    group.len() > before
}

/// When the last group was made durable, and how large it was.
struct Commit {
    began: Instant,
    size: usize,
}

impl Commit {
    /// Where many come, waits for some of them: to make something durable takes about as much of a processor as to read a
    /// window. Nobody is waited for who does not come.
    fn await_company(&self, group: &mut Vec<Waiting>, news: &Receiver<News>) {
        if self.size < MANY {
            return;
        }
        while self.began.elapsed() < APART && group.len() < GROUP {
            std::thread::sleep(MOMENT);
            if !gather(group, news) {
                return;
            }
        }
    }
}

impl News {
    fn entries(self) -> Option<Waiting> {
        match self {
            Self::Entries(waiting) => Some(waiting),
            Self::Unfolded => None,
        }
    }
}

/// If that failed, all of it stays there for the next time.
fn say(outcome: Result<(), Failure>) {
    if let Err(error) = outcome {
        tracing::warn!(reason = %error, "entries of the ledger wait beside the store");
    }
}
