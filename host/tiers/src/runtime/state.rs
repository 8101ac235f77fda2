//! What a store holds for one call: the hand, the limits, and what they refused.

mod records;

use crate::config::Limits;
use crate::convert;
use crate::fault::{GuestRefusal, Invalid, TierFault};
use crate::fields::{Allowance, Hand, Wanted};
use crate::limits;
use crate::shape::Slot;
use crate::watch::{Messages, Observed};
use crate::wit::v0_1::imports::{fields, log, shapes};
use std::time::{Duration, Instant};
use wasmtime::{PoolConcurrencyLimitError, ResourceLimiter, Trap};

/// The state of one call.
pub(crate) struct State {
    hand: Hand,
    limiter: Limiter,
    messages: u64,
    /// Handles to inert streams that the guest holds.
    pub(super) handles: u32,
    /// What the messages say, if somebody watches.
    said: Option<Messages>,
    /// Whether this thread may wait for what the guest reads.
    may_wait: bool,
}

impl State {
    pub(crate) fn new(hand: Hand, limits: Limits, is_watched: bool, may_wait: bool) -> Self {
        let limiter =
            Limiter { memory: limits.memory_mb as usize * 1024 * 1024, held: 0, was_refused: false };
        let said = is_watched.then(Messages::default);
        Self { hand, limiter, messages: 0, handles: 0, said, may_wait }
    }

    /// The hand, for reading. Ends the call where nobody may wait for what is read.
    fn reading(&mut self) -> wasmtime::Result<&mut Hand> {
        if self.may_wait { Ok(&mut self.hand) } else { Err(MustWait.into()) }
    }

    pub(super) fn limiter(&mut self) -> &mut dyn ResourceLimiter {
        &mut self.limiter
    }

    /// What the guest had in hand at the end of the call.
    pub(crate) const fn hand(&self) -> &Hand {
        &self.hand
    }

    /// What became of the call, for whoever watches it. `dealt` is the allowance that it started with.
    pub(crate) fn observed(self, dealt: Allowance, took: Duration) -> Observed {
        let left = self.hand.left();
        Observed {
            took,
            memory: self.limiter.held as u64,
            reads: dealt.reads - left.reads,
            read_bytes: dealt.bytes - left.bytes,
            messages: self.said.unwrap_or_default(),
        }
    }

    /// Whether the guest read anything of what it was dealt.
    pub(crate) fn has_read(&self, dealt: Allowance) -> bool {
        self.hand.left() != dealt
    }

    /// How many messages the guest wrote. Unless somebody watches, what they said is gone.
    pub(crate) const fn messages(&self) -> u64 {
        self.messages
    }

    /// Epochs do not interrupt the host's own functions, so each looks at the time before it returns to the guest.
    fn in_time<T>(&self, answer: T) -> wasmtime::Result<T> {
        if Instant::now() < self.hand.until() { Ok(answer) } else { Err(Trap::Interrupt.into()) }
    }
}

impl shapes::Host for State {}

impl fields::Host for State {
    fn read(&mut self, what: Vec<fields::Wanted>) -> wasmtime::Result<Vec<Result<String, fields::Refusal>>> {
        // A span that ends before it starts is a bug of the guest that no answer could mend.
        let wanted = what.into_iter().map(|one| {
            let at = convert::span(one.at).map_err(|_| Trap::UnreachableCodeReached)?;
            Ok(Wanted { slot: Slot(one.slot), path: one.path, at })
        });
        let wanted = wanted.collect::<wasmtime::Result<Vec<_>>>()?;
        let answers =
            self.reading()?.read(wanted).into_iter().map(|one| one.map_err(convert::refusal_out)).collect();
        self.in_time(answers)
    }

    fn children(
        &mut self,
        slot: u32,
        pointer: String,
    ) -> wasmtime::Result<Result<Vec<shapes::FieldShape>, fields::Refusal>> {
        let children = self.reading()?.children(Slot(slot), &pointer).map_err(convert::refusal_out);
        self.in_time(children.map(|children| children.into_iter().map(convert::field_out).collect()))
    }

    fn left(&mut self) -> wasmtime::Result<fields::Allowance> {
        let left = self.hand.left();
        self.in_time(fields::Allowance { reads: left.reads, bytes: convert::saturating(left.bytes) })
    }
}

impl log::Host for State {
    fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        self.messages += 1;
        if let Some(said) = &mut self.said {
            said.push(convert::level(level), message);
        }
        self.in_time(())
    }
}

/// Refuses growth over the limits and remembers that it did: what follows is usually a panic of the guest's allocator.
struct Limiter {
    memory: usize,
    /// What all memories have together. None ever shrinks.
    held: usize,
    was_refused: bool,
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let wanted = self.held.saturating_add(desired.saturating_sub(current));
        let fits = wanted <= self.memory;
        self.was_refused |= !fits;
        if fits {
            self.held = wanted;
        }
        Ok(fits)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= limits::TABLE_ELEMENTS)
    }

    fn instances(&self) -> usize {
        limits::CORE_INSTANCES as usize
    }

    fn tables(&self) -> usize {
        limits::TABLES as usize
    }

    fn memories(&self) -> usize {
        limits::MEMORIES as usize
    }
}

/// Why a call ended without a plan.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The instance did not come to life.
    Start(wasmtime::Error),
    /// The guest was stopped or stopped itself.
    Call(wasmtime::Error),
    /// The guest declined.
    Declined(GuestRefusal),
    /// The answer broke a rule.
    Invalid(Invalid),
    /// A native tier's process ended the call, and this is why.
    Fault(TierFault),
}

impl From<Invalid> for Stop {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// Ends a call that would have to wait, on a thread that must not.
#[derive(Debug, thiserror::Error)]
#[error("what is read has to be waited for")]
struct MustWait;

impl Stop {
    /// Whether the call only needs more time than it had, or a thread that may wait.
    pub(crate) fn was_early(&self) -> bool {
        match self {
            Self::Start(error) | Self::Call(error) => {
                error.is::<MustWait>() || error.downcast_ref::<Trap>() == Some(&Trap::Interrupt)
            }
            Self::Declined(_) | Self::Invalid(_) | Self::Fault(_) => false,
        }
    }
}

/// Names the fault behind a stop.
pub(crate) fn classify(stop: Stop, state: &State, limits: Limits) -> TierFault {
    let error = match stop {
        Stop::Declined(refusal) => return TierFault::Refused(refusal),
        Stop::Invalid(invalid) => return TierFault::InvalidOutput(invalid),
        Stop::Fault(fault) => return fault,
        // A pool that is full is no fault of the tier.
        Stop::Start(error) if error.is::<PoolConcurrencyLimitError>() => return TierFault::Busy,
        // Whichever limit it was, nobody was asked yet.
        Stop::Start(_) => return TierFault::Instantiate,
        Stop::Call(error) => error,
    };
    let trap = error.downcast_ref::<Trap>();
    if trap == Some(&Trap::Interrupt) {
        return TierFault::Deadline(limits.deadline);
    }
    if state.limiter.was_refused {
        return TierFault::Memory(limits.memory_mb);
    }
    // wasmtime keeps the type of this error to itself.
    if format!("{error:#}").contains("fuel allocated for hostcalls") {
        return TierFault::OutputTooLarge(limits.output_kb);
    }
    match trap {
        Some(trap) => TierFault::Trap(trap.to_string()),
        None => TierFault::Trap("malformed answer".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Allowance, EmptyHand};
    use crate::phase::Phase;
    use std::sync::Arc;

    #[test]
    fn the_same_trap_is_another_fault_before_the_call_than_in_it() {
        let (limits, until) = (Limits::default(), Instant::now());
        let hand = Hand::empty(Arc::new(EmptyHand), Allowance { reads: 0, bytes: 0 }, until);
        let state = State::new(hand, limits, false, true);
        let trap = || wasmtime::Error::from(Trap::Interrupt);
        let before = classify(Stop::Start(trap()), &state, limits);
        assert_eq!((before.phase(), before), (Phase::Instantiate, TierFault::Instantiate));
        let during = classify(Stop::Call(trap()), &state, limits);
        assert_eq!((during.phase(), during), (Phase::Call, TierFault::Deadline(limits.deadline)));
        let after = classify(Stop::Invalid(Invalid::Priority), &state, limits);
        assert_eq!(after.phase(), Phase::Validate);
    }
}
