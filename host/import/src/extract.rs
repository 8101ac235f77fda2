//! The text of files that are not text: DOCX and PDF.
//!
//! Such files come from anybody. So each is read in a process of its own, `stepwell text-host`, with
//! no environment, no files but a line to this one, and limits on its memory and time. It is asked once and is gone.

mod docx;
mod format;
#[cfg(unix)]
mod host;
#[cfg(unix)]
mod pdf;
#[cfg(unix)]
mod process;

pub use format::Format;
#[cfg(unix)]
pub use host::text_host;

use std::path::PathBuf;

/// Why a file has no text here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoText {
    /// It took too long.
    #[error("its text could not be read in time")]
    Late,
    /// It is broken, or needs more memory than it may have.
    #[error("its text could not be read")]
    Broken,
    /// It is locked by a password.
    #[error("it needs a password")]
    Locked,
    /// There is none, or far too much.
    #[error("it has no text, or too much")]
    Empty,
    /// No process could be started for it.
    #[error("nothing could be started to read it")]
    NotStarted,
}

impl NoText {
    /// What a process ends with to say it, if it can.
    #[cfg(unix)]
    const fn code(self) -> u8 {
        match self {
            Self::Locked => 3,
            _ => 1,
        }
    }
}

/// Takes the text out of files.
#[derive(Clone, Debug)]
pub struct Extractor {
    program: PathBuf,
}

impl Extractor {
    /// Takes the program that does it: itself, when it is started as `program text-host FORMAT`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program }
    }

    /// The text of a file.
    #[cfg(unix)]
    pub fn text(&self, format: Format, file: &[u8]) -> Result<String, NoText> {
        process::ask(&self.program, format, file)
    }

    /// Processes cannot be limited here, so nothing is read.
    #[cfg(not(unix))]
    pub fn text(&self, _format: Format, _file: &[u8]) -> Result<String, NoText> {
        Err(NoText::NotStarted)
    }
}
