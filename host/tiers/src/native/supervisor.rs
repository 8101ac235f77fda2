//! A native tier as the host sees it: a verified file, and a process for each call.

use super::child::Order;
use super::frame::Kind;
use super::process::{Gone, Process};
use super::talk::Talk;
use crate::check::clean;
use crate::config::{Limits, TierConfig};
use crate::fault::TierFault;
use crate::fields::Hand;
use crate::limits;
use crate::runtime::{Cache, State, Stop, hex_digest, read_file};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use stepwell_room::Allowed;

/// How much is shown of why a library does not load.
const WHY_BYTES: usize = 300;

/// A native tier that was loaded once, so it can be again.
#[derive(Debug)]
pub(crate) struct Native {
    program: PathBuf,
    order: Order,
    /// A process that is ready before it is needed: starting one takes longer than most calls.
    spare: Mutex<Option<Process>>,
}

impl Native {
    /// Verifies a private copy of the library, and loads that once in a process.
    pub(crate) fn load(
        file: &Path,
        config: &TierConfig,
        program: Option<&Path>,
        cache: Option<&Cache>,
        digest: &mut Option<String>,
    ) -> Result<Arc<Self>, TierFault> {
        let (Some(program), Some(cache)) = (program, cache) else {
            let why = "a native tier needs a program that starts it and a private folder for its copy";
            return Err(TierFault::WrongWorld(why.to_owned()));
        };
        let library = verified_copy(file, config, cache, digest)?;
        let limits = config.limits;
        let allowed = Allowed {
            memory_mb: limits.memory_mb.into(),
            cpu_s: (limits.deadline + limits::NATIVE_START).as_secs() + 1,
        };
        let order = Order { library: library.into(), allowed, output: u64::from(limits.output_kb) * 1_024 };
        let native = Self { program: program.to_owned(), order, spare: Mutex::default() };
        let process = native.started(limits::NATIVE_START, Instant::now() + limits::NATIVE_START)?;
        native.keep(process);
        Ok(Arc::new(native))
    }

    /// Asks the tier in a process that no other call has seen or will see.
    pub(crate) fn call<T>(
        self: &Arc<Self>,
        hand: Hand,
        limits: Limits,
        is_watched: bool,
        ask: impl FnOnce(&mut Talk<'_>) -> Result<T, Stop>,
    ) -> (Result<T, Stop>, State) {
        let until = hand.until();
        let mut state = State::new(hand, limits, is_watched, true);
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        let outcome = match spare.map_or_else(|| self.started(limits.deadline, until), Ok) {
            Ok(process) => ask(&mut Talk::new(process, &mut state, limits, until)),
            Err(fault) => Err(Stop::Fault(fault)),
        };
        self.refill();
        (outcome, state)
    }

    /// Starts a process and waits until the library is loaded in it.
    fn started(&self, deadline: Duration, until: Instant) -> Result<Process, TierFault> {
        let mut process = Process::start(&self.program, &self.order).map_err(|error| not_started(&error))?;
        match process.receive(WHY_BYTES * 4, until) {
            Ok((Kind::Ready, _)) => Ok(process),
            Ok((Kind::Refused, why)) => {
                let why = clean(&String::from_utf8_lossy(&why), WHY_BYTES);
                Err(TierFault::WrongWorld(why))
            }
            Err(Gone::Late) => Err(TierFault::Deadline(deadline)),
            _ => Err(crashed(process)),
        }
    }

    fn keep(&self, process: Process) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(process);
    }

    /// Starts the next spare process, beside the answer that is on its way.
    fn refill(self: &Arc<Self>) {
        let own = Arc::clone(self);
        let refill = move || {
            if let Ok(process) = own.started(limits::NATIVE_START, Instant::now() + limits::NATIVE_START) {
                own.keep(process);
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(refill)),
            Err(_) => refill(),
        }
    }
}

/// Names what ended a process that was not to end.
pub(super) fn crashed(process: Process) -> TierFault {
    TierFault::Trap(match process.end() {
        Some(signal) => format!("signal {signal}"),
        None => "its process ended".to_owned(),
    })
}

fn not_started(error: &io::Error) -> TierFault {
    TierFault::WrongWorld(format!("its process does not start: {}", error.kind()))
}

/// Copies the library to a folder that nobody else can write to, and verifies the copy: what was verified is what runs.
fn verified_copy(
    file: &Path,
    config: &TierConfig,
    cache: &Cache,
    digest: &mut Option<String>,
) -> Result<PathBuf, TierFault> {
    let bytes = read_file(file, limits::NATIVE_BYTES)?;
    let not_kept = |error: io::Error| TierFault::WrongWorld(format!("it cannot be copied: {}", error.kind()));
    let draft = cache.draft(&bytes).map_err(not_kept)?;
    let found = digest.insert(hex_digest(&std::fs::read(&draft).map_err(not_kept)?)).clone();
    let expected = config.sha256.clone().unwrap_or_default();
    if found != expected {
        let _ = std::fs::remove_file(&draft);
        return Err(TierFault::DigestMismatch { expected, found });
    }
    cache.keep(&draft, &format!("{found}.native")).map_err(not_kept)
}
