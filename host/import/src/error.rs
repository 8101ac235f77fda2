//! What ends an import.

use crate::intake::Stopped;
use crate::kind::Kind;
use std::io;
use std::path::{Path, PathBuf};

/// An import cannot begin or go on. What was handed over before stays.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is something else than it was said to be.
    #[error("{} is no {kind}: {why}", path.display())]
    NotOfKind {
        /// Which one.
        path: PathBuf,
        /// What it was said to be.
        kind: Kind,
        /// What was looked for and not found.
        why: String,
    },
    /// An option names something that is not there.
    #[error("{0}")]
    Option(String),
    /// Whoever takes the records has stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl ImportError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn not(kind: Kind, path: &Path, why: impl Into<String>) -> Self {
        Self::NotOfKind { path: path.to_owned(), kind, why: why.into() }
    }
}
