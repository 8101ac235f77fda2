//! The owner's care of a store: looking whether it is sound, measuring it, tidying it up, and moving it elsewhere.
//!
//! None of it is reachable through a [`Source`](crate::Source): it stands beside the reading path, takes no
//! [`Caller`](crate::Caller), and is for whoever owns the file or the database. What it reports names records, fields and
//! sizes, and never repeats what stands in a record.

mod backup;
pub mod check;
mod chunk;
mod copy;
mod erase;
mod foresee;
mod pages;
mod samples;
mod session;
mod stats;
mod tables;
mod timeline;
mod unused;
mod vacuum;
mod watch;
mod work;

pub use backup::{backup, restore};
pub use check::{Checked, check};
pub use copy::{Copied, Share, copy};
pub use erase::{Erased, erase_connection};
pub use foresee::{Foreseen, foresee};
pub use stats::{Room, Stats, StreamStats, stats};
pub use timeline::{Day, timeline};
pub use vacuum::{Thoroughness, Vacuumed, vacuum};
pub use watch::{Problem, ProblemCode, Quiet, Watch};
pub use work::Existing;
