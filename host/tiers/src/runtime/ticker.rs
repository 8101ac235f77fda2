//! The clock behind deadlines: a thread that advances the engine's epoch while calls run, and sleeps otherwise.

use crate::limits::TICK;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wasmtime::Engine;

/// How many ticks a deadline takes. One more than it seems, because the next tick may come at once.
pub(super) fn ticks(deadline: Duration) -> u64 {
    u64::try_from(deadline.as_nanos().div_ceil(TICK.as_nanos())).unwrap_or(u64::MAX).saturating_add(1)
}

#[derive(Debug, Default)]
struct Shared {
    running: Mutex<Running>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Running {
    calls: usize,
    ended: bool,
}

impl Shared {
    /// A panic cannot leave a counter half changed, so a poisoned lock is as good as any.
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
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
            loop {
                let idle = own.changed.wait_while(own.lock(), |running| running.calls == 0 && !running.ended);
                if idle.unwrap_or_else(PoisonError::into_inner).ended {
                    return;
                }
                std::thread::sleep(TICK);
                let Some(engine) = engine.upgrade() else { return };
                engine.increment_epoch();
            }
        })?;
        Ok(Self(shared))
    }

    /// Keeps the clock going until the guard is dropped.
    pub(super) fn enter(&self) -> Ticking<'_> {
        self.0.lock().calls += 1;
        self.0.changed.notify_one();
        Ticking(&self.0)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_one();
    }
}

/// A call that the clock ticks for.
pub(super) struct Ticking<'a>(&'a Shared);

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.0.lock().calls -= 1;
    }
}
