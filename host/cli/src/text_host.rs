//! `stepwell text-host`: what an import starts to take the text out of a file. It is not for people, so no help speaks of it.

use std::ffi::OsString;
use std::process::ExitCode;

/// Takes the text out of a file, if this program was started for that. It goes first in `main`, because it closes whatever was
/// left open.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == "text-host").then(|| run(&arguments.collect::<Vec<OsString>>()))
}

#[cfg(unix)]
fn run(arguments: &[OsString]) -> ExitCode {
    stepwell_import::text_host(arguments)
}

#[cfg(not(unix))]
fn run(_arguments: &[OsString]) -> ExitCode {
    ExitCode::FAILURE
}
