//! What one grant may have of the server.

use super::lane::Lane;
use crate::limits::LimitsConfig;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// How many subscriptions of one grant are open at a time. A client has one.
const SUBSCRIPTIONS: usize = 16;
/// From how many grants on those that rest are forgotten.
const REMEMBERED: usize = 1_024;

/// The shares of all grants that asked lately. Only a grant that was checked gets one.
#[derive(Debug)]
pub(super) struct Shares {
    limits: LimitsConfig,
    by_grant: Mutex<HashMap<String, Arc<Share>>>,
}

/// The share of one grant.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) lane: Lane,
    pub(super) subscriptions: Arc<Semaphore>,
    bucket: Mutex<Bucket>,
}

impl Shares {
    pub(super) fn new(limits: LimitsConfig) -> Self {
        Self { limits, by_grant: Mutex::default() }
    }

    /// The share of a grant.
    pub(super) fn of(&self, grant: &str) -> Arc<Share> {
        let mut shares = self.by_grant.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(grant) {
            return share.clone();
        }
        if shares.len() >= REMEMBERED {
            let now = Instant::now();
            shares.retain(|_, share| Arc::strong_count(share) > 1 || !share.is_at_rest(&self.limits, now));
        }
        let share = Arc::new(Share {
            lane: Lane::new(self.limits.per_grant),
            subscriptions: Arc::new(Semaphore::new(SUBSCRIPTIONS)),
            bucket: Mutex::new(Bucket::full(&self.limits, Instant::now())),
        });
        shares.insert(grant.to_owned(), share.clone());
        share
    }

    /// Takes a request out of the grant's allowance, or says how long until there is one.
    pub(super) fn spend(&self, share: &Share) -> Result<(), Duration> {
        let mut bucket = share.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.take(&self.limits, Instant::now())
    }
}

impl Share {
    /// Whether forgetting it makes no difference.
    fn is_at_rest(&self, limits: &LimitsConfig, now: Instant) -> bool {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.fill(limits, now);
        let is_full = bucket.left >= f64::from(limits.burst);
        is_full && self.lane.is_empty() && self.subscriptions.available_permits() == SUBSCRIPTIONS
    }
}

/// Requests that a grant may make at once. Time fills it up again.
#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn full(limits: &LimitsConfig, at: Instant) -> Self {
        Self { left: f64::from(limits.burst), at }
    }

    fn fill(&mut self, limits: &LimitsConfig, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * f64::from(limits.requests_per_second)).min(f64::from(limits.burst));
        self.at = now;
    }

    fn take(&mut self, limits: &LimitsConfig, now: Instant) -> Result<(), Duration> {
        if limits.requests_per_second == 0 {
            return Ok(());
        }
        self.fill(limits, now);
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - self.left) / f64::from(limits.requests_per_second)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_fills_at_its_rate() {
        let limits = LimitsConfig { requests_per_second: 2, burst: 3, ..LimitsConfig::default() };
        let mut now = Instant::now();
        let mut bucket = Bucket::full(&limits, now);
        for _ in 0..3 {
            assert_eq!(bucket.take(&limits, now), Ok(()));
        }
        assert_eq!(bucket.take(&limits, now), Err(Duration::from_millis(500)));
        now += Duration::from_millis(500);
        assert_eq!(bucket.take(&limits, now), Ok(()));
        assert!(bucket.take(&limits, now).is_err());
        now += Duration::from_secs(3_600);
        assert_eq!(
            (0..10).filter(|_| bucket.take(&limits, now).is_ok()).count(),
            3,
            "a rest is worth a burst"
        );
    }

    #[test]
    fn grants_do_not_share_and_are_forgotten_at_rest() {
        let limits = LimitsConfig { requests_per_second: 1, burst: 1, ..LimitsConfig::default() };
        let shares = Shares::new(limits);
        let kept = shares.of("a");
        assert!(shares.spend(&kept).is_ok() && shares.spend(&kept).is_err());
        for number in 0..5 * REMEMBERED {
            let other = shares.of(&number.to_string());
            assert!(other.lane.is_empty());
        }
        assert!(shares.spend(&shares.of("b")).is_ok());
        assert!(shares.spend(&shares.of("a")).is_err(), "what was spent is not forgotten");
        assert!(shares.by_grant.lock().unwrap().len() <= REMEMBERED + 1);
    }
}
