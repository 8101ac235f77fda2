//! Makes entries of the ledger durable: at once for whoever comes alone, and on a thread of its own for everyone who waits at
//! that moment together.

use crate::error::Failure;
use crate::ledger::{Durable, NewEntries};
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

/// How many have to come together before anybody is waited for.
const MANY: usize = 6;

/// How long nobody has to come until nobody is waited for any more, and how long others are waited for at most.
const MOMENT: Duration = Duration::from_micros(150);
const LONGEST: Duration = Duration::from_millis(2);

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
            file: Mutex::new(File { store, ledger_ends, open: None, unfolded: None, is_unsynced: false }),
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
    /// Whether some of that is not durable yet.
    is_unsynced: bool,
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
            file.is_unsynced |= entries.durable == Durable::Soon;
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
            // What is in the way may be gone once it was folded, which is tried as if there were something to fold.
            None => Pending::open(&self.store, self.ledger_ends).inspect_err(|_| {
                self.unfolded.get_or_insert_with(Instant::now);
            })?,
        };
        file.add(group.iter().map(|waiting| &waiting.entries))?;
        self.is_unsynced |= group.iter().all(|waiting| waiting.entries.durable == Durable::Soon);
        self.open = Some(file);
        self.unfolded.get_or_insert_with(Instant::now);
        Ok(())
    }
}

/// Writes one group after the other, and has them put into the ledger now and then.
fn work_through(beside: &Beside, news: &Receiver<News>, jobs: &Jobs) {
    let mut company = Company::default();
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
        add_waiting(&mut group, news);
        if !group.is_empty() {
            company.gather(&mut group, news);
            let outcome = beside.add(&group).map_err(Arc::new);
            for one in group {
                // A caller that went away was shown nothing; the entry errs on the safe side.
                let _ = one.done.send(outcome.clone().map_err(Failure::Shared));
            }
        }
        let mut file = beside.file();
        if file.unfolded.is_some_and(|since| since.elapsed() >= FOLD_AFTER) {
            file.unfolded = None;
            // The store may be busy for a while; this is not.
            if std::mem::take(&mut file.is_unsynced)
                && let Some(journal) = &file.open
            {
                say(journal.sync());
            }
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
fn add_waiting(group: &mut Vec<Waiting>, news: &Receiver<News>) -> bool {
    let before = group.len();
    group.extend(news.try_iter().take(GROUP.saturating_sub(before)).filter_map(News::entries));
    group.len() > before
}

/// How many came together lately.
#[derive(Default)]
struct Company(usize);

impl Company {
    /// Where many come, waits for most of them: to make a group durable takes about as much of a processor as to read a
    /// window. The others come while it is written, so that nothing stands still meanwhile, and nobody is waited for who stays
    /// away.
    fn gather(&mut self, group: &mut Vec<Waiting>, news: &Receiver<News>) {
        let (expected, started) = (self.expected(), Instant::now());
        while group.len() < expected && started.elapsed() < LONGEST {
            std::thread::sleep(MOMENT);
            if !add_waiting(group, news) {
                break;
            }
        }
        self.saw(group.len());
    }

    fn expected(&self) -> usize {
        if self.0 < MANY { 0 } else { self.0 * 3 / 4 }
    }

    /// More are noticed at once, fewer by and by.
    fn saw(&mut self, count: usize) {
        self.0 = count.max(self.0 - self.0.saturating_sub(count).div_ceil(8));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_alone_is_never_kept_and_a_crowd_is_forgotten_by_and_by() {
        let mut company = Company::default();
        (0..1_000).for_each(|at| company.saw(1 + at % (MANY - 1)));
        assert_eq!(company.expected(), 0, "few");
        company.saw(16);
        assert_eq!(company.expected(), 12);
        company.saw(15);
        assert_eq!(company.expected(), 11);
        (0..100).for_each(|_| company.saw(1));
        assert_eq!(company.expected(), 0);
    }

    #[test]
    fn nobody_is_waited_for_who_does_not_come() {
        let (_sender, news) = channel();
        let (mut company, mut group) = (Company(64), Vec::new());
        let started = Instant::now();
        company.gather(&mut group, &news);
        assert!(group.is_empty() && company.expected() < 48);
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
