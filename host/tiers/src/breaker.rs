//! Lets a tier rest that keeps failing, so that a page does not wait for the same deadline again and again.

use crate::limits::{BREAKER_FAULTS, BREAKER_FIRST_REST, BREAKER_LONGEST_REST};
use std::time::{Duration, Instant};

/// Counts faults in a row. Time is handed in, so that tests need not wait.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    in_a_row: u32,
    rests_until: Option<Instant>,
}

impl Breaker {
    /// Whether a call may go ahead; if not, how long the tier still rests. After a rest one call tries, and the others
    /// rest on until its outcome is known.
    pub(crate) fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        match self.rests_until {
            Some(until) if now < until => Err(until - now),
            Some(_) => {
                self.rests_until = Some(now + self.rest());
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Takes note of a good call.
    pub(crate) fn succeed(&mut self) {
        *self = Self::default();
    }

    /// Takes note of a fault, and says how long the tier rests now, if it does.
    pub(crate) fn fail(&mut self, now: Instant) -> Option<Duration> {
        self.in_a_row = self.in_a_row.saturating_add(1);
        let rest = (self.in_a_row >= BREAKER_FAULTS).then(|| self.rest())?;
        self.rests_until = Some(now + rest);
        Some(rest)
    }

    /// Whether the tier rests now.
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    fn rest(&self) -> Duration {
        let doublings = self.in_a_row.saturating_sub(BREAKER_FAULTS).min(16);
        BREAKER_FIRST_REST.saturating_mul(1 << doublings).min(BREAKER_LONGEST_REST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_after_repeated_faults_longer_each_time_and_recovers() {
        let mut breaker = Breaker::default();
        let mut now = Instant::now();
        for _ in 0..BREAKER_FAULTS {
            assert_eq!(breaker.admit(now), Ok(()));
            breaker.fail(now);
        }
        assert_eq!(breaker.admit(now), Err(BREAKER_FIRST_REST));
        now += BREAKER_FIRST_REST;
        assert_eq!(breaker.admit(now), Ok(()));
        assert!(breaker.admit(now).is_err(), "only one call tries");
        breaker.fail(now);
        assert_eq!(breaker.admit(now), Err(BREAKER_FIRST_REST * 2));
        now += BREAKER_FIRST_REST * 2;
        assert_eq!(breaker.admit(now), Ok(()));
        breaker.succeed();
        assert!(breaker.admit(now).is_ok() && !breaker.is_open(now));
    }

    #[test]
    fn a_rest_has_an_end() {
        let mut breaker = Breaker::default();
        let now = Instant::now();
        assert_eq!(breaker.fail(now), None);
        for _ in 0..200 {
            breaker.fail(now);
        }
        assert_eq!(breaker.admit(now), Err(BREAKER_LONGEST_REST));
    }
}
