//! The clock behind deadlines: a thread that advances the engine's epoch while calls run, and sleeps otherwise.

use crate::limits::{IDLE_TICKS, TICK};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wasmtime::Engine;

/// How many ticks a deadline takes. One more than it seems, because the next tick may come at once.
pub(super) fn ticks(deadline: Duration) -> u64 {
    u64::try_from(deadline.as_nanos().div_ceil(TICK.as_nanos())).unwrap_or(u64::MAX).saturating_add(1)
}

/// What calls and the clock share. Calls come and go by a counter alone; only one that finds the clock asleep takes the
/// lock to wake it, which costs more than a short call itself.
#[derive(Debug, Default)]
struct Shared {
    calls: AtomicUsize,
    is_asleep: AtomicBool,
    /// Whether the clock is to end.
    ended: Mutex<bool>,
    changed: Condvar,
}

impl Shared {
    /// A panic cannot leave a flag half changed, so a poisoned lock is as good as any.
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps until a call runs. Says whether the clock is to go on.
    ///
    /// The flag is set before the counter is looked at, and a call counts itself before it looks at the flag, so one of
    /// the two sees the other.
    fn sleep(&self) -> bool {
        let ended = self.lock();
        self.is_asleep.store(true, SeqCst);
        let woken = self.changed.wait_while(ended, |ended| self.calls.load(SeqCst) == 0 && !*ended);
        self.is_asleep.store(false, SeqCst);
        !*woken.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clock. Dropping it ends its thread.
#[derive(Debug)]
pub(super) struct Ticker(Arc<Shared>);

impl Ticker {
    pub(super) fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (engine, own) = (engine.weak(), Arc::clone(&shared));
        std::thread::Builder::new().name("tier-clock".to_owned()).spawn(move || {
            while own.sleep() {
                let mut idle = 0;
                while idle < IDLE_TICKS {
                    std::thread::sleep(TICK);
                    let Some(engine) = engine.upgrade() else { return };
                    engine.increment_epoch();
                    idle = if own.calls.load(SeqCst) == 0 { idle + 1 } else { 0 };
                }
            }
        })?;
        Ok(Self(shared))
    }

    /// Keeps the clock going until the guard is dropped.
    pub(super) fn enter(&self) -> Ticking<'_> {
        self.0.calls.fetch_add(1, SeqCst);
        if self.0.is_asleep.load(SeqCst) {
            // With the lock in hand the clock is either awake or already waits to be told.
            let _told = self.0.lock();
            self.0.changed.notify_one();
        }
        Ticking(&self.0)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        *self.0.lock() = true;
        self.0.changed.notify_one();
    }
}

/// A call that the clock ticks for.
pub(super) struct Ticking<'a>(&'a Shared);

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, SeqCst);
    }
}
