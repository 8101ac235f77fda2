//! Everything that knows wasmtime: one engine for all tiers, and what it takes to run a guest safely.

mod admission;
mod cache;
mod engine;
mod inert;
mod load;
mod state;
mod ticker;

pub(crate) use admission::{Admitted, PACKAGE, Wanted, admit, outermost, version_of};
pub(crate) use cache::Cache;
pub(crate) use load::{Loaded, hex_digest, load, read_file};
pub(crate) use state::{State, Stop, classify};

use crate::config::Limits;
use crate::fields::Hand;
use crate::limits;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use ticker::Ticker;
use tokio::sync::Semaphore;
use wasmtime::{Engine, Store};

/// Why the tiers as a whole cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The engine does not start on this machine.
    #[error("the WebAssembly engine does not start: {0}")]
    Engine(String),
}

/// The engine that runs all tiers: a process needs one, and a reload keeps it.
#[derive(Debug)]
pub struct Runtime {
    engine: Engine,
    ticker: Ticker,
    permits: Arc<Semaphore>,
    /// Whoever calls a guest while it loads it holds this, and needs no permit.
    loading: Mutex<()>,
}

impl Runtime {
    /// Starts the engine.
    pub fn new() -> Result<Self, LoadError> {
        let engine = engine::start().map_err(|error| LoadError::Engine(format!("{error:#}")))?;
        let ticker = Ticker::start(&engine).map_err(|error| LoadError::Engine(error.to_string()))?;
        let permits = Arc::new(Semaphore::new(limits::CONCURRENT_CALLS as usize));
        Ok(Self { engine, ticker, permits, loading: Mutex::default() })
    }

    pub(crate) const fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn permits(&self) -> Arc<Semaphore> {
        Arc::clone(&self.permits)
    }

    pub(crate) const fn loading(&self) -> &Mutex<()> {
        &self.loading
    }

    /// Runs one call in a store of its own, which knows nothing of any other call. What the guest says is kept only if
    /// somebody watches.
    pub(crate) fn in_store<T>(
        &self,
        hand: Hand,
        limits: Limits,
        is_watched: bool,
        run: impl FnOnce(&mut Store<State>) -> Result<T, Stop>,
    ) -> (Result<T, Stop>, State) {
        self.run(State::new(hand, limits, is_watched, true), limits, limits.deadline, run)
    }

    /// The same on a thread that others wait for: a call that reads anything, or takes a while, ends early.
    pub(crate) fn in_passing<T>(
        &self,
        hand: Hand,
        limits: Limits,
        run: impl FnOnce(&mut Store<State>) -> Result<T, Stop>,
    ) -> (Result<T, Stop>, State) {
        let longest = limits.deadline.min(limits::BRIEF_MAX);
        self.run(State::new(hand, limits, false, false), limits, longest, run)
    }

    fn run<T>(
        &self,
        state: State,
        limits: Limits,
        longest: Duration,
        run: impl FnOnce(&mut Store<State>) -> Result<T, Stop>,
    ) -> (Result<T, Stop>, State) {
        let _ticking = self.ticker.enter();
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| state.limiter());
        store.set_hostcall_fuel(limits.output_kb as usize * 1_024);
        store.set_epoch_deadline(ticker::ticks(longest));
        let outcome = run(&mut store);
        (outcome, store.into_data())
    }
}
