//! What tests do to a file, and what they see of it.

use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard};

/// What was done to a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Write(u64, Vec<u8>),
    Sync,
    Cut(u64),
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// How often something was made durable.
    pub(crate) syncs: usize,
    /// The disk is full where the file gets longer than this.
    pub(crate) room: Option<u64>,
    /// How many writes and syncs go well until one fails.
    pub(crate) fails_after: Option<usize>,
    /// Everything that is done, if it is to be kept.
    pub(crate) acts: Option<Vec<Act>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Trial(Arc<Mutex<State>>);

impl Trial {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// As much of the bytes as can be written, and how that ends.
    pub(super) fn write<'a>(&self, bytes: &'a [u8], at: u64) -> (&'a [u8], io::Result<()>) {
        let mut state = self.state();
        let (bytes, outcome) = match state.room {
            Some(room) if at + bytes.len() as u64 > room => {
                let fits = usize::try_from(room.saturating_sub(at)).unwrap();
                (&bytes[..fits], Err(ErrorKind::StorageFull.into()))
            }
            _ => match state.fails() {
                true => (&bytes[..bytes.len() / 2], Err(io::Error::other("a broken disk"))),
                false => (bytes, Ok(())),
            },
        };
        state.note(|| Act::Write(at, bytes.to_vec()));
        (bytes, outcome)
    }

    /// Says whether the disk is to be waited for. Where all is kept that is done, it is known what is durable without that.
    pub(super) fn sync(&self) -> io::Result<bool> {
        let mut state = self.state();
        if state.fails() {
            return Err(io::Error::other("a broken disk"));
        }
        state.syncs += 1;
        state.note(|| Act::Sync);
        Ok(state.acts.is_none())
    }

    pub(super) fn cut(&self, len: u64) {
        self.state().note(|| Act::Cut(len));
    }
}

impl State {
    fn fails(&mut self) -> bool {
        let fails = self.fails_after == Some(0);
        self.fails_after = self.fails_after.and_then(|left| left.checked_sub(1));
        fails
    }

    fn note(&mut self, act: impl FnOnce() -> Act) {
        if let Some(acts) = &mut self.acts {
            acts.push(act());
        }
    }
}
