//! Takes times, and makes one figure of many.

use std::time::{Duration, Instant};

/// The times of one case.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<Duration>);

impl Samples {
    pub fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// The time that half of the runs stayed below: one slow run does not move it.
    pub fn median(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }

    /// The time that 95 of 100 runs stayed below.
    pub fn slow(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let place = (sorted.len() * 95).div_ceil(100).saturating_sub(1);
        sorted.get(place).copied().unwrap_or_default()
    }

    /// The shortest time: what is possible when nothing else runs.
    pub fn least(&self) -> Duration {
        self.0.iter().min().copied().unwrap_or_default()
    }

    /// How many times as long as the other, by their shortest times.
    pub fn at_best_over(&self, other: &Self) -> f64 {
        self.least().as_secs_f64() / other.least().as_secs_f64()
    }

    /// How many times as long as the other, by their medians.
    pub fn over(&self, other: &Self) -> f64 {
        self.median().as_secs_f64() / other.median().as_secs_f64()
    }
}

/// Times every case once a round, after a round that does not count. Taking turns means that a neighbour's burst of work
/// falls on all cases alike instead of on one.
pub async fn in_turns<C>(
    rounds: usize,
    cases: &[C],
    run: impl AsyncFn(&C) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<Samples>> {
    let mut samples = vec![Samples::default(); cases.len()];
    for round in 0..=rounds {
        for (case, samples) in cases.iter().zip(&mut samples) {
            let started = Instant::now();
            run(case).await?;
            if round > 0 {
                samples.push(started.elapsed());
            }
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_run_does_not_move_the_median() {
        let of = |millis: &[u64]| Samples(millis.iter().map(|&ms| Duration::from_millis(ms)).collect());
        assert_eq!(of(&[3, 900, 1, 2, 4]).median(), Duration::from_millis(3));
        assert_eq!(of(&[3, 900, 1, 2, 4]).slow(), Duration::from_millis(900));
        let hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(of(&hundred).slow(), Duration::from_millis(95));
        assert_eq!(of(&[]).slow(), Duration::ZERO);
        assert!((of(&[6, 8, 600]).at_best_over(&of(&[3, 5])) - 2.0).abs() < 1e-9);
        assert!((of(&[6, 6, 600]).over(&of(&[3])) - 2.0).abs() < 1e-9);
    }
}
