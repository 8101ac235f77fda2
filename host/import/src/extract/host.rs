//! What `stepwell text-host` does: one file, in a room of its own.

use super::docx;
use crate::limits::{TEXT_CPU_S, TEXT_MEMORY_MB};
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use stepwell_room::{Allowed, clear, limit};

/// Reads a file from the line that is its standard input, and answers with its text.
///
/// Call it first in a program, before anything is opened or started: it closes every descriptor but the standard ones.
#[must_use]
pub fn text_host(arguments: &[OsString]) -> ExitCode {
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(arguments: &[OsString]) -> io::Result<()> {
    let mut line = clear()?;
    limit(Allowed { memory_mb: TEXT_MEMORY_MB, cpu_s: TEXT_CPU_S })?;
    let mut file = Vec::new();
    line.read_to_end(&mut file)?;
    let text = match arguments {
        [format] if format == "docx" => docx::text(&file),
        _ => None,
    };
    line.write_all(text.ok_or(io::ErrorKind::InvalidData)?.as_bytes())
}
