//! `stepwell tier-host`: what the server starts to run a native tier in. It is not for people, so no help speaks of it.

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs a native tier, if this program was started for that. It goes first in `main`, because it closes whatever was
/// left open.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == "tier-host")
        .then(|| stepwell_tiers::tier_host(&arguments.collect::<Vec<OsString>>()))
}
