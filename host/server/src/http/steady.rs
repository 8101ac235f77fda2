//! Keeps a connection on the thread that is at it.
//!
//! To take a request's body out of a connection wakes the connection, although it is being looked at just then. The runtime
//! would put it at the end of its queue for that and wake another thread, which finds nothing to do, and each request would
//! cost two changes of threads. So whoever wakes a connection while it is looked at only has it looked at again.

use futures_util::task::AtomicWaker;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// How often something is looked at in one go. One that wants more than this is told to wait for its turn.
const LOOKS: usize = 4;

/// Nobody looks at it; looked at; looked at, and woken meanwhile.
const IDLE: u8 = 0;
const BUSY: u8 = 1;
const WOKEN: u8 = 2;

/// Who is woken for a future, and when that is put off.
#[derive(Debug, Default)]
pub(super) struct Steady(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    state: AtomicU8,
    task: AtomicWaker,
}

impl Steady {
    /// Polls a future, and again if it was woken meanwhile.
    pub(super) fn poll<F: Future>(
        &self,
        mut future: Pin<&mut F>,
        context: &mut Context<'_>,
    ) -> Poll<F::Output> {
        let Inner { state, task } = &*self.0;
        task.register(context.waker());
        let waker = Waker::from(Arc::clone(&self.0));
        for _ in 0..LOOKS {
            state.store(BUSY, Ordering::SeqCst);
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                state.store(IDLE, Ordering::SeqCst);
                return Poll::Ready(output);
            }
            if state.compare_exchange(BUSY, IDLE, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                return Poll::Pending;
            }
        }
        state.store(IDLE, Ordering::SeqCst);
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wake for Inner {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let woken = self.state.compare_exchange(BUSY, WOKEN, Ordering::SeqCst, Ordering::SeqCst);
        if woken == Err(IDLE) {
            self.task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::atomic::AtomicUsize;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Polls a future that wakes itself so many times. Says how often it was polled, and how often its task was woken.
    fn polled(wakes: usize) -> (usize, usize) {
        let (count, mut polls) = (Arc::new(Count::default()), 0);
        let mut future = pin!(poll_fn(|context| {
            polls += 1;
            if polls <= wakes {
                context.waker().wake_by_ref();
                context.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        }));
        let (steady, waker) = (Steady::default(), Waker::from(count.clone()));
        assert!(steady.poll(future.as_mut(), &mut Context::from_waker(&waker)).is_pending());
        (polls, count.0.load(Ordering::SeqCst))
    }

    #[test]
    fn who_is_woken_while_polled_is_polled_again_at_once_and_not_for_ever() {
        assert_eq!(polled(0), (1, 0));
        assert_eq!(polled(1), (2, 0));
        assert_eq!(polled(LOOKS - 1), (LOOKS, 0));
        assert_eq!(polled(usize::MAX), (LOOKS, 1));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_wake_from_another_thread_is_lost() {
        for _ in 0..2_000 {
            let (sender, mut receiver) = tokio::sync::oneshot::channel();
            let sending = tokio::spawn(async move { sender.send(7) });
            let steady = Steady::default();
            let received = poll_fn(|context| steady.poll(Pin::new(&mut receiver), context));
            let received = tokio::time::timeout(std::time::Duration::from_secs(30), received).await;
            assert_eq!(received, Ok(Ok(7)));
            assert!(matches!(sending.await, Ok(Ok(()))));
        }
    }
}
