//! What standard libraries import from WASI without being asked to, in versions that do nothing.
//!
//! Some toolchains cannot build a component without them. With `wasi = "inert"` such a component is admitted, and finds
//! no arguments and no environment, input that is at its end, output that nobody reads, no terminal, and one constant
//! where others have a seed. There is no clock, no file and no network among them: see [`is_inert`].

use super::State;
use crate::limits;
use wasmtime::Trap;
use wasmtime::component::{HasSelf, Linker, Resource};

mod bindings {
    wasmtime::component::bindgen!({
        path: "src/runtime/inert.wit",
        world: "stepwell:inert/leftovers",
        imports: { default: trappable },
    });
}

use bindings::wasi::cli::{
    environment, exit, stderr, stdin, stdout, terminal_input, terminal_output, terminal_stderr,
    terminal_stdin, terminal_stdout,
};
use bindings::wasi::io::{error, poll, streams};
use bindings::wasi::random::insecure_seed;
use streams::{InputStream, OutputStream, StreamError};

/// All that `wasi = "inert"` admits.
const ADMITTED: [&str; 14] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/stderr",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:cli/terminal-stderr",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure-seed",
];

/// Whether an import has an inert version here. Within 0.2 every version can be linked to ours.
pub(super) fn is_inert(import: &str) -> bool {
    import.split_once('@').is_some_and(|(name, version)| {
        let patch = version.strip_prefix("0.2.").unwrap_or_default();
        ADMITTED.contains(&name) && !patch.is_empty() && patch.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Defines all of them.
pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    bindings::Leftovers::add_to_linker::<_, HasSelf<_>>(linker, |state| state)
}

/// What a hash map is seeded with: the same for everyone, so that a tier answers the same every time.
const SEED: (u64, u64) = (0x5354_4550_5745_4c4c, 0x4c41_4444_4552);

/// How much a guest may write in one go. It is thrown away, so any number would do.
const ROOM: u64 = 64 * 1_024;

impl State {
    /// Hands out a handle, of which a guest may hold only so many: they cost the host memory that no limit of the guest
    /// counts.
    fn handle<T: 'static>(&mut self) -> wasmtime::Result<Resource<T>> {
        self.handles += 1;
        if self.handles > limits::INERT_HANDLES {
            return Err(Trap::UnreachableCodeReached.into());
        }
        Ok(Resource::new_own(0))
    }

    fn dropped(&mut self) -> wasmtime::Result<()> {
        self.handles = self.handles.saturating_sub(1);
        Ok(())
    }
}

impl environment::Host for State {
    fn get_environment(&mut self) -> wasmtime::Result<Vec<(String, String)>> {
        Ok(Vec::new())
    }

    fn get_arguments(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn initial_cwd(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(None)
    }
}

impl exit::Host for State {
    /// A tier answers or fails; leaving is a failure, whatever its status.
    fn exit(&mut self, _status: Result<(), ()>) -> wasmtime::Result<()> {
        Err(Trap::UnreachableCodeReached.into())
    }
}

impl stdin::Host for State {
    fn get_stdin(&mut self) -> wasmtime::Result<Resource<InputStream>> {
        self.handle()
    }
}

impl stdout::Host for State {
    fn get_stdout(&mut self) -> wasmtime::Result<Resource<OutputStream>> {
        self.handle()
    }
}

impl stderr::Host for State {
    fn get_stderr(&mut self) -> wasmtime::Result<Resource<OutputStream>> {
        self.handle()
    }
}

impl terminal_input::Host for State {}
impl terminal_input::HostTerminalInput for State {
    fn drop(&mut self, _: Resource<terminal_input::TerminalInput>) -> wasmtime::Result<()> {
        self.dropped()
    }
}

impl terminal_output::Host for State {}
impl terminal_output::HostTerminalOutput for State {
    fn drop(&mut self, _: Resource<terminal_output::TerminalOutput>) -> wasmtime::Result<()> {
        self.dropped()
    }
}

impl terminal_stdin::Host for State {
    fn get_terminal_stdin(&mut self) -> wasmtime::Result<Option<Resource<terminal_input::TerminalInput>>> {
        Ok(None)
    }
}

impl terminal_stdout::Host for State {
    fn get_terminal_stdout(&mut self) -> wasmtime::Result<Option<Resource<terminal_output::TerminalOutput>>> {
        Ok(None)
    }
}

impl terminal_stderr::Host for State {
    fn get_terminal_stderr(&mut self) -> wasmtime::Result<Option<Resource<terminal_output::TerminalOutput>>> {
        Ok(None)
    }
}

impl error::Host for State {}
impl error::HostError for State {
    fn to_debug_string(&mut self, _: Resource<error::Error>) -> wasmtime::Result<String> {
        Ok(String::new())
    }

    fn drop(&mut self, _: Resource<error::Error>) -> wasmtime::Result<()> {
        self.dropped()
    }
}

/// Nothing is ever waited for: every stream is at its end or takes everything at once.
impl poll::Host for State {
    fn poll(&mut self, all: Vec<Resource<poll::Pollable>>) -> wasmtime::Result<Vec<u32>> {
        Ok((0..).take(all.len()).collect())
    }
}

impl poll::HostPollable for State {
    fn ready(&mut self, _: Resource<poll::Pollable>) -> wasmtime::Result<bool> {
        Ok(true)
    }

    fn block(&mut self, _: Resource<poll::Pollable>) -> wasmtime::Result<()> {
        Ok(())
    }

    fn drop(&mut self, _: Resource<poll::Pollable>) -> wasmtime::Result<()> {
        self.dropped()
    }
}

impl streams::Host for State {}

type Read<T> = wasmtime::Result<Result<T, StreamError>>;

/// Input that is at its end.
impl streams::HostInputStream for State {
    fn read(&mut self, _: Resource<InputStream>, _len: u64) -> Read<Vec<u8>> {
        Ok(Err(StreamError::Closed))
    }

    fn blocking_read(&mut self, _: Resource<InputStream>, _len: u64) -> Read<Vec<u8>> {
        Ok(Err(StreamError::Closed))
    }

    fn skip(&mut self, _: Resource<InputStream>, _len: u64) -> Read<u64> {
        Ok(Err(StreamError::Closed))
    }

    fn blocking_skip(&mut self, _: Resource<InputStream>, _len: u64) -> Read<u64> {
        Ok(Err(StreamError::Closed))
    }

    fn subscribe(&mut self, _: Resource<InputStream>) -> wasmtime::Result<Resource<poll::Pollable>> {
        self.handle()
    }

    fn drop(&mut self, _: Resource<InputStream>) -> wasmtime::Result<()> {
        self.dropped()
    }
}

/// Output that nobody reads. It may hold record text, so it is not even counted.
impl streams::HostOutputStream for State {
    fn check_write(&mut self, _: Resource<OutputStream>) -> Read<u64> {
        Ok(Ok(ROOM))
    }

    fn write(&mut self, _: Resource<OutputStream>, _contents: Vec<u8>) -> Read<()> {
        Ok(Ok(()))
    }

    fn blocking_write_and_flush(&mut self, _: Resource<OutputStream>, _contents: Vec<u8>) -> Read<()> {
        Ok(Ok(()))
    }

    fn flush(&mut self, _: Resource<OutputStream>) -> Read<()> {
        Ok(Ok(()))
    }

    fn blocking_flush(&mut self, _: Resource<OutputStream>) -> Read<()> {
        Ok(Ok(()))
    }

    fn subscribe(&mut self, _: Resource<OutputStream>) -> wasmtime::Result<Resource<poll::Pollable>> {
        self.handle()
    }

    fn write_zeroes(&mut self, _: Resource<OutputStream>, _len: u64) -> Read<()> {
        Ok(Ok(()))
    }

    fn blocking_write_zeroes_and_flush(&mut self, _: Resource<OutputStream>, _len: u64) -> Read<()> {
        Ok(Ok(()))
    }

    fn splice(&mut self, _: Resource<OutputStream>, _: Resource<InputStream>, _len: u64) -> Read<u64> {
        Ok(Err(StreamError::Closed))
    }

    fn blocking_splice(
        &mut self,
        _: Resource<OutputStream>,
        _: Resource<InputStream>,
        _len: u64,
    ) -> Read<u64> {
        Ok(Err(StreamError::Closed))
    }

    fn drop(&mut self, _: Resource<OutputStream>) -> wasmtime::Result<()> {
        self.dropped()
    }
}

impl insecure_seed::Host for State {
    fn insecure_seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        Ok(SEED)
    }
}

#[cfg(test)]
mod tests {
    use super::is_inert;

    #[test]
    fn only_what_can_tell_nothing_is_admitted() {
        for good in
            ["wasi:cli/environment@0.2.0", "wasi:io/streams@0.2.6", "wasi:random/insecure-seed@0.2.10"]
        {
            assert!(is_inert(good), "{good}");
        }
        for never in [
            "wasi:clocks/monotonic-clock@0.2.6",
            "wasi:clocks/wall-clock@0.2.6",
            "wasi:random/random@0.2.6",
            "wasi:random/insecure@0.2.6",
            "wasi:filesystem/types@0.2.6",
            "wasi:filesystem/preopens@0.2.6",
            "wasi:sockets/tcp@0.2.6",
            "wasi:http/outgoing-handler@0.2.6",
            "wasi:cli/run@0.2.6",
            "wasi:cli/environment@0.3.0",
            "wasi:cli/environment@0.2.",
            "wasi:cli/environment@0.2.6-draft",
            "wasi:cli/environment",
        ] {
            assert!(!is_inert(never), "{never}");
        }
    }
}
