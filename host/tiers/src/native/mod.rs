//! Native tiers: shared libraries, for code that cannot be compiled to WebAssembly.
//!
//! Native code in this process could see tokens, keys and the store, and nothing could stop it. So it runs in a process
//! of its own, `stepwell tier-host`, which has no environment and no open files but a line to the host, and which serves one
//! call: a spare one waits, is asked once, and is killed with all that it started. What a library answers is checked like
//! any other answer, and what it reads passes the same door.
//!
//! | file | holds |
//! |---|---|
//! | `abi` | what a library exports |
//! | `library` | loads and calls one; with the cache the only file with unsafe code |
//! | `child`, `pipe` | what the process does in its `stepwell_room`, and its end of the line |
//! | `frame` | what passes along the line |
//! | `process` | the host's side of one process |
//! | `supervisor` | the spare process, and one for each call |
//! | `talk` | the messages of a call, in the shapes of the WIT |

#[cfg(unix)]
mod abi;
#[cfg(unix)]
mod child;
#[cfg(unix)]
mod frame;
#[cfg(unix)]
mod library;
#[cfg(unix)]
mod pipe;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod supervisor;
#[cfg(unix)]
mod talk;

#[cfg(unix)]
pub use child::tier_host;
#[cfg(unix)]
pub(crate) use {supervisor::Native, talk::Talk};

#[cfg(not(unix))]
mod elsewhere;
#[cfg(not(unix))]
pub use elsewhere::tier_host;
#[cfg(not(unix))]
pub(crate) use elsewhere::{Native, Talk};
