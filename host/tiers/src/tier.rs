//! One tier: a component, its limits, its breaker and its counters.

use crate::breaker::Breaker;
use crate::config::{FaultPolicy, Kind, Limits, Origin, TierConfig};
use crate::fault::TierFault;
use crate::fields::{Allowance, EmptyHand, Hand};
use crate::limits;
use crate::lock::{LockState, Locked};
use crate::native::{Native, Talk};
use crate::pace::Pace;
use crate::phase::Phase;
use crate::runtime::{
    Cache, Loaded, Runtime, State, Stop, Wanted, admit, classify, hex_digest, load, read_file,
};
use crate::status::{Health, TierStatus};
use crate::tiers::{Place, Terms};
use crate::watch::Watch;
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
    /// The versions of it that are spoken, without their last number, the newest first.
    const VERSIONS: &'static [&'static str] = &["0.1"];

    /// The default component.
    fn builtin() -> &'static [u8];
    /// Defines what its components may import.
    fn link(linker: &mut Linker<State>) -> wasmtime::Result<()>;
    /// Finds the exports of a linked component, which are of one of the versions.
    fn ready(instance: InstancePre<State>, version: &str) -> wasmtime::Result<Self::Ready>;
    /// Makes an instance, and asks it nothing.
    fn start(ready: &Self::Ready, store: &mut Store<State>) -> wasmtime::Result<()>;
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
    pace: Pace,
    last_fault: Mutex<Option<TierFault>>,
    calls: AtomicU64,
    faults: [AtomicU64; Phase::ALL.len()],
    messages: AtomicU64,
    /// Nanoseconds.
    spent: AtomicU64,
}

/// What is known of a component whatever became of it.
#[derive(Default)]
struct Known {
    digest: Option<String>,
    locked: Option<Locked>,
    lock: Option<LockState>,
}

impl Known {
    /// Asks the lock whether this is what was accepted. What tools a plugin adds is known only once it was asked.
    fn ask<W: World>(
        &mut self,
        name: &str,
        config: &TierConfig,
        terms: &Terms,
        wit: Option<String>,
        imports: Vec<String>,
    ) -> Result<(), TierFault> {
        let kind = match config.kind {
            Kind::Component => "component",
            Kind::Native => "native",
        };
        let now = self.locked.insert(Locked {
            tier: W::NAME.to_owned(),
            kind: kind.to_owned(),
            sha256: self.digest.clone().unwrap_or_default(),
            wit,
            imports,
            limits: config.limits.into(),
            tools: terms.lock.plugins().get(name).map(|accepted| accepted.tools.clone()).unwrap_or_default(),
        });
        let checked = terms.lock.check(name, now);
        self.lock = match &checked {
            Ok(state) => Some(*state),
            Err(TierFault::NotAsLocked { .. }) => Some(LockState::Changed),
            Err(_) => None,
        };
        checked.map(drop)
    }
}

struct Ready<W: World> {
    code: Code<W>,
    version: String,
    was_cached: bool,
}

/// What a tier consists of.
enum Code<W: World> {
    Component(W::Ready),
    Native(Arc<Native>),
}

/// A tier that is to be asked: an instance is made in the store, or a process was started.
pub(crate) enum Guest<'a, 't, W: World> {
    Component(&'a W::Ready, &'a mut Store<State>),
    Native(&'a mut Talk<'t>),
}

impl<W: World> Tier<W> {
    /// Loads a tier. A component that cannot be loaded is a fault of the tier, not of the whole.
    pub(crate) fn load(
        runtime: &Arc<Runtime>,
        name: &str,
        config: &TierConfig,
        place: &Place,
        cache: Option<&Cache>,
        terms: &Terms,
    ) -> Self {
        let started = Instant::now();
        let mut known = Known::default();
        let component = prepare(runtime, name, config, place, cache, terms, &mut known);
        if component.is_ok() && known.lock == Some(LockState::Unlocked) {
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
            pace: Pace::default(),
            last_fault: Mutex::default(),
            calls: AtomicU64::new(0),
            faults: Default::default(),
            messages: AtomicU64::new(0),
            spent: AtomicU64::new(0),
        }))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// What of it is locked, or would be.
    pub(crate) fn locked(&self) -> Option<&Locked> {
        self.0.known.locked.as_ref()
    }

    /// Its component, if it has one that can be asked.
    pub(crate) fn ready(&self) -> Option<&W::Ready> {
        match &self.0.component {
            Ok(Ready { code: Code::Component(ready), .. }) => Some(ready),
            _ => None,
        }
    }

    pub(crate) fn config(&self) -> &TierConfig {
        &self.0.config
    }

    /// Calls the tier: at once on this thread, if its calls are short, else on a blocking thread, in its turn. `hand` deals
    /// what the call may read, `ask` asks and checks; both may be needed twice. The call counts from when the host `started` to
    /// make it ready.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        started: Instant,
        hand: impl Fn(Allowance, Instant) -> Hand + Send + 'static,
        ask: impl Fn(Guest<'_, '_, W>) -> Result<T, Stop> + Send + 'static,
    ) -> Result<T, TierFault> {
        let outcome = self.called(hand, ask).await;
        let spent = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.0.spent.fetch_add(spent, Relaxed);
        outcome
    }

    async fn called<T: Send + 'static>(
        &self,
        hand: impl Fn(Allowance, Instant) -> Hand + Send + 'static,
        ask: impl Fn(Guest<'_, '_, W>) -> Result<T, Stop> + Send + 'static,
    ) -> Result<T, TierFault> {
        let inner = Arc::clone(&self.0);
        inner.calls.fetch_add(1, Relaxed);
        if let Err(fault) = &inner.component {
            // Whoever loaded it was told why; a line for every call would say nothing new.
            inner.count(fault);
            return Err(fault.clone());
        }
        // An author wants to see every fault, so a tier that is watched does not rest.
        if inner.watch.is_none() {
            lock(&inner.breaker).admit(Instant::now()).map_err(TierFault::Resting)?;
        }
        if let Some(outcome) = inner.in_passing(&hand, &ask) {
            return outcome;
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

    /// Calls the tier on this thread while it is being loaded. The pool keeps one place free for that.
    pub(crate) fn call_now<T>(
        &self,
        hand: impl FnOnce(Allowance, Instant) -> Hand,
        ask: impl FnOnce(Guest<'_, '_, W>) -> Result<T, Stop>,
    ) -> Result<T, TierFault> {
        let _one_at_a_time = lock(self.0.runtime.loading());
        self.0.run(hand, ask)
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
            faults: Phase::ALL.map(|phase| (phase, inner.faults[phase as usize].load(Relaxed))),
            spent: Duration::from_nanos(inner.spent.load(Relaxed)),
            messages: inner.messages.load(Relaxed),
            last_fault: lock(&inner.last_fault).clone(),
            ..status_of(&inner.name, &inner.config, health)
        }
    }
}

impl<W: World> Inner<W> {
    /// Tries a call on this thread. None if it has to be made elsewhere: nothing of it counts then.
    fn in_passing<T>(
        &self,
        hand: impl FnOnce(Allowance, Instant) -> Hand,
        ask: impl FnOnce(Guest<'_, '_, W>) -> Result<T, Stop>,
    ) -> Option<Result<T, TierFault>> {
        // Whoever watches wants to see how a call fares under its own limits.
        if self.watch.is_some() || !self.pace.is_brief() {
            return None;
        }
        let Ok(Ready { code: Code::Component(instance), .. }) = &self.component else { return None };
        let _permit = self.runtime.permits().try_acquire_owned().ok()?;
        let limits = self.config.limits;
        let started = Instant::now();
        let hand = hand(self.allowance(), started + limits.deadline);
        let asked = |store: &mut Store<State>| ask(Guest::Component(instance, store));
        let (outcome, state) = self.runtime.in_passing(hand, limits, asked);
        let was_early = matches!(&outcome, Err(stop) if stop.was_early());
        self.pace.note(started.elapsed(), was_early);
        if was_early {
            return None;
        }
        self.messages.fetch_add(state.messages(), Relaxed);
        Some(self.settled(outcome.map_err(|stop| classify(stop, &state, limits))))
    }

    /// What a call may read at the most.
    fn allowance(&self) -> Allowance {
        let limits = self.config.limits;
        Allowance { reads: limits.reads, bytes: u64::from(limits.read_kb) * 1_024 }
    }

    fn run<T>(
        &self,
        hand: impl FnOnce(Allowance, Instant) -> Hand,
        ask: impl FnOnce(Guest<'_, '_, W>) -> Result<T, Stop>,
    ) -> Result<T, TierFault> {
        let ready = self.component.as_ref().map_err(Clone::clone)?;
        let limits = self.config.limits;
        let allowance = self.allowance();
        let started = Instant::now();
        let hand = hand(allowance, started + limits.deadline);
        let is_watched = self.watch.is_some();
        let (outcome, state) = match &ready.code {
            Code::Component(instance) => self
                .runtime
                .in_store(hand, limits, is_watched, |store| ask(Guest::Component(instance, store))),
            Code::Native(native) => native.call(hand, limits, is_watched, |talk| ask(Guest::Native(talk))),
        };
        self.pace.note(started.elapsed(), state.has_read(allowance));
        self.messages.fetch_add(state.messages(), Relaxed);
        let outcome = outcome.map_err(|stop| classify(stop, &state, limits));
        if let Some(watch) = &self.watch {
            watch.saw(state.observed(allowance, started.elapsed()));
        }
        self.settled(outcome)
    }

    /// Tells the breaker what came of a call.
    fn settled<T>(&self, outcome: Result<T, TierFault>) -> Result<T, TierFault> {
        match outcome {
            Err(fault) if fault.is_fault() => {
                let rest = lock(&self.breaker).fail(Instant::now());
                Err(self.noted(fault, rest))
            }
            answered => {
                lock(&self.breaker).succeed();
                answered
            }
        }
    }

    /// Counts a fault and writes one line about it, in the host's own words.
    fn noted(&self, fault: TierFault, rest: Option<Duration>) -> TierFault {
        self.count(&fault);
        let (phase, code) = (fault.phase().as_str(), fault.code());
        match rest {
            None => tracing::warn!(tier = self.name, phase, code, "tier fault: {fault}"),
            Some(rest) => {
                tracing::warn!(tier = self.name, phase, code, "tier fault, it rests for {rest:?}: {fault}");
            }
        }
        fault
    }

    fn count(&self, fault: &TierFault) {
        self.faults[fault.phase() as usize].fetch_add(1, Relaxed);
        *lock(&self.last_fault) = Some(fault.clone());
    }
}

/// The version of the WIT whose shapes native tiers get as JSON.
const NATIVE_WIT: &str = "0.1.0";

/// Reads, verifies, admits, compiles and links a component, or verifies and loads a library. The lock is
/// asked before anything is compiled or run.
fn prepare<W: World>(
    runtime: &Runtime,
    name: &str,
    config: &TierConfig,
    place: &Place,
    cache: Option<&Cache>,
    terms: &Terms,
    known: &mut Known,
) -> Result<Ready<W>, TierFault> {
    let file;
    let bytes = match &config.component {
        Origin::Builtin => W::builtin(),
        Origin::File(path) if config.kind == Kind::Native => {
            // Its digest stands in the configuration, and no other file is loaded.
            known.digest.clone_from(&config.sha256);
            known.ask::<W>(name, config, terms, None, Vec::new())?;
            let (program, digest) = (place.tier_host.as_deref(), &mut known.digest);
            let native = Native::load(&place.base.join(path), config, program, cache, digest)?;
            return Ok(Ready {
                code: Code::Native(native),
                version: NATIVE_WIT.to_owned(),
                was_cached: false,
            });
        }
        Origin::File(path) => {
            file = read_file(&place.base.join(path), limits::COMPONENT_BYTES)?;
            &file
        }
    };
    let found = hex_digest(bytes);
    known.digest = Some(found.clone());
    if let Some(expected) = config.sha256.as_ref().filter(|expected| **expected != found) {
        return Err(TierFault::DigestMismatch { expected: expected.clone(), found });
    }
    let wanted = Wanted { interface: W::INTERFACE, versions: W::VERSIONS };
    let admitted = admit(bytes, wanted, config.wasi)?;
    if config.component == Origin::Builtin {
        known.lock = Some(LockState::BuiltIn);
    } else {
        let (wit, imports) = (Some(admitted.version.clone()), admitted.imports.clone());
        known.ask::<W>(name, config, terms, wit, imports)?;
    }
    let loaded = load(runtime.engine(), cache, bytes, &found, admitted, config, W::link)?;
    let Loaded { instance, admitted, was_cached } = loaded;
    let instance =
        W::ready(instance, admitted.spoken).map_err(|error| TierFault::WrongWorld(format!("{error:#}")))?;
    try_start::<W>(runtime, &instance, config)?;
    Ok(Ready { code: Code::Component(instance), version: admitted.version, was_cached })
}

/// Makes one instance for nothing: what does not come to life is told now, to the operator who changed something, and not
/// to the first caller. It has more time than a call, because a busy moment must not leave a good tier broken.
fn try_start<W: World>(runtime: &Runtime, instance: &W::Ready, config: &TierConfig) -> Result<(), TierFault> {
    let _one_at_a_time = lock(runtime.loading());
    let limits = Limits { deadline: config.limits.deadline.max(limits::TRIAL_START), ..config.limits };
    let hand = Hand::empty(Arc::new(EmptyHand), Allowance::default(), Instant::now() + limits.deadline);
    let start = |store: &mut Store<State>| W::start(instance, store).map_err(Stop::Start);
    let (started, state) = runtime.in_store(hand, limits, false, start);
    started.map_err(|stop| classify(stop, &state, limits))
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
        faults: Phase::ALL.map(|phase| (phase, 0)),
        spent: Duration::ZERO,
        messages: 0,
        last_fault: None,
    }
}

impl<W: World> Tier<W> {
    pub(crate) fn on_fault(&self) -> FaultPolicy {
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
