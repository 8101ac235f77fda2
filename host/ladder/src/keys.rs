//! The keys that seal cursors: read again now and then, so that a rotation reaches every replica of the server.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use stepwell_contract::cursor::Keyring;
use stepwell_source::Source;

/// How old the keys may be before they are read again. Cursors of the key before still open, so nothing hurries.
const KEEP: Duration = Duration::from_secs(60);

/// How often a cursor under an unknown key makes us look: another replica may have rotated a moment ago, and anybody can
/// send nonsense.
const LOOK: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Keys {
    /// Where the keys come from; keys of the configuration never change.
    source: Option<Arc<dyn Source>>,
    current: Mutex<(Arc<Keyring>, Instant)>,
}

impl Keys {
    pub(crate) fn of_source(source: Arc<dyn Source>, keys: Keyring) -> Self {
        Self { source: Some(source), current: Mutex::new((Arc::new(keys), Instant::now())) }
    }

    pub(crate) fn fixed(keys: Keyring) -> Self {
        Self { source: None, current: Mutex::new((Arc::new(keys), Instant::now())) }
    }

    /// The keys as they were last read.
    pub(crate) fn last_read(&self) -> Arc<Keyring> {
        self.state().0
    }

    /// The keys to open a cursor with, or to seal with.
    pub(crate) async fn current(&self, cursor: Option<&str>) -> Arc<Keyring> {
        let (keys, read_at) = self.state();
        let unknown = cursor.is_some_and(|cursor| keys.is_foreign(cursor));
        let age = read_at.elapsed();
        let Some(source) = self.source.as_ref().filter(|_| age > KEEP || unknown && age > LOOK) else {
            return keys;
        };
        // A store that does not answer is found out by the read itself; until then the old keys are good.
        let read = source.keyring().await.map_or(keys, Arc::new);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = (read.clone(), Instant::now());
        read
    }

    fn state(&self) -> (Arc<Keyring>, Instant) {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
