//! What came of many requests.

use std::time::Duration;

/// The outcomes of many requests, and how long the answered ones took.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    answered: Vec<Duration>,
    shed: usize,
    failed: usize,
    time: Duration,
}

impl Tally {
    /// Counts one request by the status of its answer; 0 stands for none.
    pub(super) fn count(&mut self, status: u16, took: Duration) {
        match status {
            200 => self.answered.push(took),
            429 | 503 => self.shed += 1,
            _ => self.failed += 1,
        }
    }

    /// Takes in what another counted.
    pub(super) fn add(&mut self, other: Self) {
        self.answered.extend(other.answered);
        self.shed += other.shed;
        self.failed += other.failed;
        self.time += other.time;
    }

    /// Says how long the whole of it lasted.
    pub(super) fn lasted(&mut self, time: Duration) {
        self.time = time;
    }

    pub(super) fn per_second(&self) -> f64 {
        if self.time.is_zero() { 0.0 } else { self.answered.len() as f64 / self.time.as_secs_f64() }
    }

    /// The time that this part of the answers stayed below.
    pub(super) fn slowest_of(&self, part: f64) -> Duration {
        let mut sorted = self.answered.clone();
        sorted.sort_unstable();
        let at = (sorted.len() as f64 * part) as usize;
        sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
    }

    pub(super) const fn shed(&self) -> usize {
        self.shed
    }

    pub(super) const fn failed(&self) -> usize {
        self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_answered_counts_as_speed() {
        let mut tally = Tally::default();
        (1..=100).for_each(|ms| tally.count(200, Duration::from_millis(ms)));
        [429, 503, 500, 0].into_iter().for_each(|status| tally.count(status, Duration::ZERO));
        tally.lasted(Duration::from_secs(2));
        assert_eq!((tally.shed(), tally.failed()), (2, 2));
        assert!((tally.per_second() - 50.0).abs() < 1e-9);
        assert_eq!(tally.slowest_of(0.99), Duration::from_millis(100));
        assert_eq!(tally.slowest_of(0.5), Duration::from_millis(51));
        let mut both = Tally::default();
        both.add(tally.clone());
        both.add(tally);
        assert!((both.per_second() - 50.0).abs() < 1e-9);
        assert_eq!(Tally::default().slowest_of(0.99), Duration::ZERO);
    }
}
