//! What `stepwell text-host` does: one file, in a room of its own.

use super::{NoText, docx, pdf};
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
        Err(why) => ExitCode::from(why.code()),
    }
}

fn serve(arguments: &[OsString]) -> Result<(), NoText> {
    let mut line = clear().map_err(broken)?;
    limit(Allowed { memory_mb: TEXT_MEMORY_MB, cpu_s: TEXT_CPU_S }).map_err(broken)?;
    let mut file = Vec::new();
    line.read_to_end(&mut file).map_err(broken)?;
    let text = match arguments {
        [format] if format == "docx" => docx::text(&file).ok_or(NoText::Broken)?,
        [format] if format == "pdf" => pdf::text(file)?,
        _ => return Err(NoText::Broken),
    };
    line.write_all(text.as_bytes()).map_err(broken)
}

/// Whoever asked sees nothing of the system's error but that there is no text.
fn broken(_: io::Error) -> NoText {
    NoText::Broken
}
