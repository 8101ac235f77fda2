//! What the tests share.
//!
//! - [`Postgres`]: a throw-away server on loopback. It finds a Postgres or installs one, runs it in a temporary
//!   directory, and is gone when the test process is gone, however that ended.
//! - [`WireTap`]: a proxy that records what a server and its client say to each other, so that a test can prove what
//!   never left the database.
//! - [`WireCut`]: a proxy that breaks connections, in the middle of an answer or by falling silent.
//! - [`resource_server`]: a PDPP resource server with the habits of the public one, which records what it is asked and
//!   breaks on demand.
//! - [`picture`]: what a program printed as an SVG; `stepwell-pictures` makes those of `docs/pictures/`.
//! - [`rss_kb`] and [`peak_rss_kb`]: how much memory a process holds.
//!
//! Set-up that fails cannot be handled by a test, so this crate panics with a sentence that says what to do.

#![allow(clippy::expect_used, reason = "only tests use this crate, and a panic is how a test fails")]

mod memory;
pub mod picture;
mod postgres;
pub mod resource_server;
mod wire_cut;
mod wire_tap;

pub use memory::{peak_rss_kb, rss_kb};
pub use postgres::{Postgres, target_dir};
pub use wire_cut::{WireCut, wire_cut};
pub use wire_tap::{WireTap, wire_tap};
