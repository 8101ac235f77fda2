//! Removes entries of the ledger that are older than it is kept: when the server starts, and once a day.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use stepwell_source::time::{self, Millis};
use stepwell_source::{Embedded, Failure};

const DAY: Duration = Duration::from_secs(86_400);

/// Starts it. It ends with the store, which it does not keep open. How long entries are kept may change meanwhile; 0 means
/// for ever.
pub(super) fn start(store: &Arc<Embedded>, keep_days: Arc<AtomicU32>) {
    tokio::spawn(every_day(Arc::downgrade(store), keep_days));
}

async fn every_day(store: Weak<Embedded>, keep_days: Arc<AtomicU32>) {
    let mut day = tokio::time::interval(DAY);
    loop {
        day.tick().await;
        let keep_days = keep_days.load(Ordering::Relaxed);
        if keep_days == 0 {
            continue;
        }
        let Some(store) = store.upgrade() else { return };
        match prune(&store, keep_days).await {
            Ok(0) => {}
            Ok(entries) => tracing::info!(entries, keep_days, "removed old entries from the ledger"),
            // The next day tries again; until then the ledger holds more than it should, not less.
            Err(failure) => tracing::error!(%failure, "old entries of the ledger could not be removed"),
        }
    }
}

async fn prune(store: &Embedded, keep_days: u32) -> Result<u64, Failure> {
    let kept = Millis::from(keep_days).saturating_mul(86_400_000);
    store.prune_disclosures(time::now().saturating_sub(kept)).await
}
