//! Calls on the thread that asks: only what neither reads nor lasts stays there, and nobody can tell.

use crate::support::{Memory, RUNTIME, place, record, replaced, row, with};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};
use stepwell_contract::Span;
use stepwell_tiers::{FieldShape, Fields, ReadRefusal, Slot, TierFault, Tiers};
use stepwell_tiers_fixtures::hostile;

const FIELDS: [(&str, &str); 2] = [("title", "T"), ("body", "some words of a record")];

/// Remembers which threads read.
struct Watched(Arc<Memory>, Mutex<Vec<ThreadId>>);

impl Fields for Watched {
    fn read(&self, slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        self.1.lock().unwrap().push(thread::current().id());
        self.0.read(slot, path, at)
    }

    fn children(&self, slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        self.0.children(slot, pointer)
    }
}

#[tokio::test]
async fn what_reads_does_so_where_it_may_wait_and_is_called_once() {
    let tiers = replaced(&hostile("read_flood"), |config| &mut config.preview);
    let hand = Arc::new(Watched(Memory::of(&FIELDS), Mutex::default()));
    let mut answers = Vec::new();
    // The first calls are tried here, the later ones no more.
    for call in 1..=6 {
        answers.push(tiers.preview().unwrap().compose(vec![record(&FIELDS)], &row(), hand.clone()).await);
        let status = tiers.status().remove(0);
        assert_eq!(status.calls, call, "a call that is made again counts once");
    }
    let read_by = hand.1.lock().unwrap();
    assert!(!read_by.is_empty() && read_by.iter().all(|id| *id != thread::current().id()));
    assert!(read_by.len().is_multiple_of(6), "each call has the whole allowance: {}", read_by.len());
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

/// The test has one thread for all tasks. Were the guest to keep it, nothing else would come to its turn meanwhile.
#[tokio::test]
async fn what_lasts_does_not_keep_others_waiting() {
    let mut config = with(&hostile("loops"), |config| &mut config.preview);
    config.preview.limits.deadline = Duration::from_secs(2);
    let tiers = Tiers::load_in(&RUNTIME, &config, &place());
    let others = tokio::spawn(async {
        let (started, mut turns) = (Instant::now(), 0_u32);
        while started.elapsed() < Duration::from_secs(2) {
            tokio::time::sleep(Duration::from_millis(5)).await;
            turns += 1;
        }
        turns
    });
    let answer = tiers.preview().unwrap().compose(vec![record(&FIELDS)], &row(), Memory::of(&FIELDS)).await;
    assert!(matches!(answer, Err(TierFault::Deadline(_))), "{answer:?}");
    // A guest that kept the thread to its deadline would leave them one.
    assert!(others.await.unwrap() > 5);
}
