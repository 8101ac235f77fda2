//! A bounded place with a bounded queue before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long someone waits. Whoever would wait longer had better come again later.
const TURN: Duration = Duration::from_secs(2);

/// Where so many are let in at a time, and as many wait, in the order in which they came.
#[derive(Debug)]
pub(super) struct Lane {
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
    most: usize,
}

impl Lane {
    pub(super) fn new(most: usize) -> Self {
        Self { slots: Arc::new(Semaphore::new(most)), waiting: AtomicUsize::new(0), most }
    }

    /// Goes in, at once or after a wait. None if too many wait already, or the wait was too long.
    pub(super) async fn enter(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(slot) = self.slots.clone().try_acquire_owned() {
            return Some(slot);
        }
        let place = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.most {
            return None;
        }
        let slot = tokio::time::timeout(TURN, self.slots.clone().acquire_owned()).await;
        drop(place);
        slot.ok()?.ok()
    }

    /// Whether nobody is in it.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.available_permits() == self.most
    }
}

/// A place in the queue, given up however the wait ends.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future as _;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[tokio::test]
    async fn as_many_wait_as_fit_in_and_the_rest_is_turned_away() {
        let lane = Lane::new(2);
        let (first, second) = (lane.enter().await.unwrap(), lane.enter().await.unwrap());
        let (mut third, mut fourth) = (pin!(lane.enter()), pin!(lane.enter()));
        let mut context = Context::from_waker(Waker::noop());
        assert!(third.as_mut().poll(&mut context).is_pending());
        assert!(fourth.as_mut().poll(&mut context).is_pending());
        assert!(lane.enter().await.is_none(), "the queue is full");
        drop(first);
        assert!(fourth.as_mut().poll(&mut context).is_pending(), "who came first goes first");
        let Poll::Ready(Some(third)) = third.as_mut().poll(&mut context) else { panic!("the third goes in") };
        drop((second, third));
        assert!(matches!(fourth.as_mut().poll(&mut context), Poll::Ready(Some(_))));
    }

    #[tokio::test]
    async fn whoever_stops_waiting_leaves_the_queue() {
        let lane = Lane::new(1);
        let slot = lane.enter().await.unwrap();
        for _ in 0..5 {
            let mut wait = Box::pin(lane.enter());
            assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        drop(slot);
        assert!(lane.enter().await.is_some() && lane.is_empty());
    }
}
