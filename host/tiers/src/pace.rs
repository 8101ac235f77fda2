//! Whether a tier's calls are so short that they are made where they are asked for.
//!
//! Waking another thread and being woken by it costs more than most calls. So a call is tried on the thread that asks: for a
//! few milliseconds, and without reading anything that has to be waited for. A call that needs more is made again from its
//! beginning on a thread that may wait. Nobody can tell, because a guest has no clock and leaves nothing behind.

use crate::limits;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// What a call that was too long for its place, or had to wait, counts against as many short ones.
const LAPSE: u32 = 8;
/// From here on calls are made elsewhere at once: after the second lapse in a row.
const ELSEWHERE: u32 = 2 * LAPSE - 4;
/// The most that is held against a tier. So many short calls later it is tried again.
const MOST: u32 = 8 * LAPSE;

/// How long the last calls of a tier were: a score that lapses raise, and short calls lower.
#[derive(Debug, Default)]
pub(crate) struct Pace(AtomicU32);

impl Pace {
    /// Whether the next call is worth a try where it is asked for.
    pub(crate) fn is_brief(&self) -> bool {
        self.0.load(Relaxed) < ELSEWHERE
    }

    /// Takes note of a call that was made: how long it took, and whether it read anything.
    pub(crate) fn note(&self, took: Duration, has_read: bool) {
        let is_lapse = has_read || took > limits::BRIEF;
        let next = |score: u32| {
            if is_lapse { score.saturating_add(LAPSE).min(MOST) } else { score.saturating_sub(1) }
        };
        // Two calls at a time may lose one of their notes; it is a habit that is looked for, not a sum.
        self.0.store(next(self.0.load(Relaxed)), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_that_lapses_goes_elsewhere_and_comes_back() {
        let pace = Pace::default();
        assert!(pace.is_brief());
        pace.note(Duration::ZERO, true);
        assert!(pace.is_brief(), "once is chance");
        pace.note(limits::BRIEF * 2, false);
        assert!(!pace.is_brief());
        (0..1_000).for_each(|_| pace.note(Duration::ZERO, true));
        let calls = (1..).take_while(|_| {
            pace.note(Duration::ZERO, false);
            !pace.is_brief()
        });
        assert!((8..100).contains(&calls.count()), "a habit is not kept for ever");
    }

    #[test]
    fn a_slow_moment_now_and_then_changes_nothing() {
        let pace = Pace::default();
        for call in 0..1_000 {
            assert!(pace.is_brief());
            pace.note(if call % 20 == 0 { limits::BRIEF * 9 } else { Duration::ZERO }, false);
        }
    }
}
