//! One tier: a component, its limits, its breaker and its counters.

use crate::breaker::Breaker;
use crate::config::{OnFault, Origin, TierConfig};
use crate::fault::TierFault;
use crate::fields::{Allowance, Hand};
use crate::limits;
use crate::lock::{LockState, Locked};
use crate::runtime::{Cache, Loaded, Runtime, State, Stop, admit, classify, hex_digest, load, read_file};
use crate::status::{Health, TierStatus};
use crate::tiers::Terms;
use crate::watch::Watch;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wasmtime::Store;
use wasmtime::component::{InstancePre, Linker};

/// A world of the WIT: what its components import and export, and the built-in one.
pub(crate) trait World: 'static {
    /// A component of this world, ready to be instantiated.
    type Ready: Send + Sync;
    /// The tier's name in plugins.toml.
    const NAME: &'static str;
    /// The interface that it must export.
    const INTERFACE: &'static str;

    /// The default component.
    fn builtin() -> &'static [u8];
    /// Defines what its components may import.
    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()>;
    /// Finds the exports of a linked component.
    fn ready(instance: InstancePre<State>) -> wasmtime::Result<Self::Ready>;
}

/// A tier that is switched on. It may still be broken: then every call ends in the fault that loading ended in.
pub(crate) struct Tier<W: World>(Arc<Inner<W>>);

struct Inner<W: World> {
    runtime: Arc<Runtime>,
    name: String,
    config: TierConfig,
    component: Result<Ready<W>, TierFault>,
    known: Known,
    watch: Option<Arc<Watch>>,
    load_time: Duration,
    breaker: Mutex<Breaker>,
    last_fault: Mutex<Option<TierFault>>,
    calls: AtomicU64,
    faults: AtomicU64,
    messages: AtomicU64,
}

/// What is known of a component whatever became of it.
#[derive(Default)]
struct Known {
    digest: Option<String>,
    locked: Option<Locked>,
    lock: Option<LockState>,
}

struct Ready<W: World> {
    instance: W::Ready,
    version: String,
    was_cached: bool,
}

impl<W: World> Tier<W> {
    /// Loads a tier. A component that cannot be loaded is a fault of the tier, not of the whole.
    pub(crate) fn load(
        runtime: &Arc<Runtime>,
        name: &str,
        config: &TierConfig,
        base: &Path,
        cache: Option<&Cache>,
        terms: &Terms,
    ) -> Self {
        let started = Instant::now();
        let mut known = Known::default();
        let component = prepare(runtime, name, config, base, cache, terms, &mut known);
        if let Err(fault) = &component {
            tracing::warn!(tier = name, code = fault.code(), "tier not loaded: {fault}");
        } else if known.lock == Some(LockState::Unlocked) {
            tracing::warn!(
                tier = name,
                "not in plugins.lock, so any change of its file would go unnoticed; run: stepwell plugin accept {name}"
            );
        }
        Self(Arc::new(Inner {
            runtime: Arc::clone(runtime),
            name: name.to_owned(),
            config: config.clone(),
            component,
            known,
            watch: terms.watch.clone(),
            load_time: started.elapsed(),
            breaker: Mutex::default(),
            last_fault: Mutex::default(),
            calls: AtomicU64::new(0),
            faults: AtomicU64::new(0),
            messages: AtomicU64::new(0),
        }))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    pub(crate) fn config(&self) -> &TierConfig {
        &self.0.config
    }

    /// Calls the tier on a blocking thread, in its turn. `hand` deals what the call may read, `ask` asks and checks.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        hand: impl FnOnce(Allowance, Instant) -> Hand + Send + 'static,
        ask: impl FnOnce(&W::Ready, &mut Store<State>) -> Result<T, Stop> + Send + 'static,
    ) -> Result<T, TierFault> {
        let inner = Arc::clone(&self.0);
        inner.calls.fetch_add(1, Relaxed);
        if let Err(fault) = &inner.component {
            return Err(inner.noted(fault.clone()));
        }
        // An author wants to see every fault, so a tier that is watched does not rest.
        if inner.watch.is_none() {
            lock(&inner.breaker).admit(Instant::now()).map_err(TierFault::Resting)?;
        }
        let turn = tokio::time::timeout(limits::QUEUE, inner.runtime.permits().acquire_owned()).await;
        let Ok(Ok(permit)) = turn else { return Err(TierFault::Busy) };
        let called = tokio::task::spawn_blocking(move || {
            // The thread holds the permit, so that a caller who gives up does not let another one overfill the pool.
            let _permit = permit;
            inner.run(hand, ask)
        });
        match called.await {
            Ok(outcome) => outcome,
            Err(error) => match error.try_into_panic() {
                // A bug of the host, not of the tier: it must not be hidden behind a fallback.
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(TierFault::Busy),
            },
        }
    }

    pub(crate) fn status(&self) -> TierStatus {
        let inner = &self.0;
        let health = match &inner.component {
            Err(fault) => Health::Broken(fault.clone()),
            Ok(_) if lock(&inner.breaker).is_open(Instant::now()) => Health::Resting,
            Ok(_) => Health::Ready,
        };
        let ready = inner.component.as_ref().ok();
        TierStatus {
            digest: inner.known.digest.clone(),
            lock: inner.known.lock,
            locked: inner.known.locked.clone(),
            wit_version: ready.map(|ready| ready.version.clone()),
            load_time: inner.load_time,
            was_cached: ready.is_some_and(|ready| ready.was_cached),
            calls: inner.calls.load(Relaxed),
            faults: inner.faults.load(Relaxed),
            messages: inner.messages.load(Relaxed),
            last_fault: lock(&inner.last_fault).clone(),
            ..status_of(&inner.name, &inner.config, health)
        }
    }
}

impl<W: World> Inner<W> {
    fn run<T>(
        &self,
        hand: impl FnOnce(Allowance, Instant) -> Hand,
        ask: impl FnOnce(&W::Ready, &mut Store<State>) -> Result<T, Stop>,
    ) -> Result<T, TierFault> {
        let ready = self.component.as_ref().map_err(Clone::clone)?;
        let limits = self.config.limits;
        let allowance = Allowance { reads: limits.reads, bytes: u64::from(limits.read_kb) * 1_024 };
        let started = Instant::now();
        let hand = hand(allowance, started + limits.deadline);
        let is_watched = self.watch.is_some();
        let (outcome, state) =
            self.runtime.in_store(hand, limits, is_watched, |store| ask(&ready.instance, store));
        self.messages.fetch_add(state.messages(), Relaxed);
        let outcome = outcome.map_err(|stop| classify(stop, &state, limits));
        if let Some(watch) = &self.watch {
            watch.saw(state.observed(allowance, started.elapsed()));
        }
        match outcome {
            Err(fault) if fault.is_fault() => {
                lock(&self.breaker).fail(Instant::now());
                Err(self.noted(fault))
            }
            answered => {
                lock(&self.breaker).succeed();
                answered
            }
        }
    }

    /// Counts a fault and writes one line about it, in the host's own words.
    fn noted(&self, fault: TierFault) -> TierFault {
        self.faults.fetch_add(1, Relaxed);
        tracing::warn!(tier = self.name, code = fault.code(), "tier fault: {fault}");
        *lock(&self.last_fault) = Some(fault.clone());
        fault
    }
}

/// Reads, verifies, admits, compiles and links a component. The lock is asked before anything is compiled.
fn prepare<W: World>(
    runtime: &Runtime,
    name: &str,
    config: &TierConfig,
    base: &Path,
    cache: Option<&Cache>,
    terms: &Terms,
    known: &mut Known,
) -> Result<Ready<W>, TierFault> {
    let file;
    let bytes = match &config.component {
        Origin::Builtin => W::builtin(),
        Origin::File(path) => {
            file = read_file(&base.join(path))?;
            &file
        }
    };
    let found = &*known.digest.insert(hex_digest(bytes));
    if let Some(expected) = config.sha256.as_ref().filter(|expected| *expected != found) {
        return Err(TierFault::DigestMismatch { expected: expected.clone(), found: found.clone() });
    }
    let admitted = admit(bytes, W::INTERFACE)?;
    known.lock = Some(LockState::BuiltIn);
    if config.component != Origin::Builtin {
        let now = known.locked.insert(Locked {
            tier: W::NAME.to_owned(),
            kind: "component".to_owned(),
            sha256: found.clone(),
            wit: Some(admitted.version.clone()),
            imports: admitted.imports.clone(),
            limits: config.limits.into(),
            tools: BTreeMap::new(),
        });
        let checked = terms.lock.check(name, now);
        known.lock = match &checked {
            Ok(state) => Some(*state),
            Err(TierFault::NotAsLocked { .. }) => Some(LockState::Changed),
            Err(_) => None,
        };
        checked?;
    }
    let loaded = load(runtime.engine(), cache, bytes, found, admitted, config.limits, W::link)?;
    let Loaded { instance, admitted, was_cached } = loaded;
    let instance = W::ready(instance).map_err(|error| TierFault::WrongWorld(format!("{error:#}")))?;
    Ok(Ready { instance, version: admitted.version, was_cached })
}

/// The status of a tier of which nothing but its configuration is known.
pub(crate) fn status_of(name: &str, config: &TierConfig, health: Health) -> TierStatus {
    let origin = match &config.component {
        Origin::Builtin => "builtin".to_owned(),
        Origin::File(path) => path.display().to_string(),
    };
    TierStatus {
        name: name.to_owned(),
        rule: None,
        health,
        origin,
        digest: None,
        lock: None,
        locked: None,
        wit_version: None,
        limits: config.limits,
        on_fault: config.on_fault,
        load_time: Duration::ZERO,
        was_cached: false,
        calls: 0,
        faults: 0,
        messages: 0,
        last_fault: None,
    }
}

impl<W: World> Tier<W> {
    pub(crate) fn on_fault(&self) -> OnFault {
        self.0.config.on_fault
    }
}

impl<W: World> std::fmt::Debug for Tier<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(W::NAME).field("config", &self.0.config).finish_non_exhaustive()
    }
}

/// A panic cannot leave a counter half changed, so a poisoned lock is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
