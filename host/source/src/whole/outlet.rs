//! Where pieces go.

use async_trait::async_trait;

/// How much is gathered before it is handed on: short values of many records make one write.
const GATHERED: usize = 64 * 1024;

/// Takes pieces in their order: a client's connection, a file.
#[async_trait]
pub trait Outlet: Send {
    /// Takes a piece, and waits until there is room for it.
    async fn put(&mut self, piece: Vec<u8>) -> Result<(), Closed>;
}

/// Nobody takes any more pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("whoever asked for it is gone")]
pub struct Closed;

/// Writes to an outlet, and gathers what is short.
pub struct Pen<'a> {
    outlet: &'a mut dyn Outlet,
    gathered: Vec<u8>,
}

impl std::fmt::Debug for Pen<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never what is written.
        f.debug_struct("Pen").field("gathered", &self.gathered.len()).finish_non_exhaustive()
    }
}

impl<'a> Pen<'a> {
    /// Starts to write.
    pub fn new(outlet: &'a mut dyn Outlet) -> Self {
        Self { outlet, gathered: Vec::new() }
    }

    /// Writes something.
    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), Closed> {
        self.gathered.extend_from_slice(bytes.as_ref());
        if self.gathered.len() < GATHERED { Ok(()) } else { self.flush().await }
    }

    /// Hands on what is gathered.
    pub async fn flush(&mut self) -> Result<(), Closed> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        self.outlet.put(std::mem::take(&mut self.gathered)).await
    }
}
