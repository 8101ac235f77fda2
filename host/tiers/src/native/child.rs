//! What `stepwell tier-host` does: one library, one call, in a room of its own.

use super::frame::Kind;
use super::library;
use super::pipe::Pipe;
use std::ffi::{OsStr, OsString};
use std::io;
use std::process::ExitCode;
use stepwell_room::{self as room, Allowed};

/// What the host says to the process, as arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) library: OsString,
    pub(super) allowed: Allowed,
    /// The largest message of the library, in bytes.
    pub(super) output: u64,
}

impl Order {
    pub(super) fn to_arguments(&self) -> [OsString; 4] {
        let Allowed { memory_mb, cpu_s } = self.allowed;
        [
            self.library.clone(),
            memory_mb.to_string().into(),
            cpu_s.to_string().into(),
            self.output.to_string().into(),
        ]
    }

    fn parse(arguments: &[OsString]) -> Option<Self> {
        let number = |text: &OsStr| text.to_str()?.parse::<u64>().ok();
        let [library, memory_mb, cpu_s, output] = arguments else { return None };
        let allowed = Allowed { memory_mb: number(memory_mb)?, cpu_s: number(cpu_s)? };
        Some(Self { library: library.clone(), allowed, output: number(output)? })
    }
}

/// Runs a native tier for one call, as the process that [`Place::tier_host`](crate::Place::tier_host) starts.
///
/// Call it first in a program, before anything is opened or started: it closes every descriptor but the standard ones.
#[must_use]
pub fn tier_host(arguments: &[OsString]) -> ExitCode {
    let Some(order) = Order::parse(arguments) else { return ExitCode::from(64) };
    match room::clear().and_then(Pipe::open).and_then(|pipe| serve(&order, &pipe)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(order: &Order, pipe: &Pipe) -> io::Result<()> {
    room::limit(order.allowed)?;
    let table = match library::load(&order.library) {
        Ok(table) => table,
        Err(why) => return pipe.send(Kind::Refused, why.as_bytes()),
    };
    pipe.send(Kind::Ready, &[])?;
    let (Kind::Call, request) = pipe.receive()? else { return Err(io::ErrorKind::InvalidData.into()) };
    let cap = usize::try_from(order.output).unwrap_or(usize::MAX);
    let status = library::call(table, &request, pipe, cap);
    pipe.send(Kind::End, &status.to_le_bytes())?;
    // The host ends this process. To leave by itself would run handlers of the library that nobody waits for.
    pipe.receive().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_command_line() {
        let allowed = Allowed { memory_mb: 64, cpu_s: 2 };
        let order = Order { library: "/a b/c.so".into(), allowed, output: 262_144 };
        assert_eq!(Order::parse(&order.to_arguments()), Some(order));
        assert_eq!(Order::parse(&[]), None);
    }
}
