//! MCP: the only crate that knows rmcp and axum.
//!
//! A [`Server`] wraps a [`Ladder`](stepwell_ladder::Ladder) in the protocol: it authenticates every request,
//! checks arguments against the tool's schema, asks the ladder, and puts the answer into the shape that clients expect.
//! It keeps no state between requests. What it offers can be replaced as a whole while it runs.
//!
//! | file | holds |
//! |---|---|
//! | `server`, `handler` | what there is to offer, and the protocol's methods |
//! | `tools`, `arguments` | the listed tools, and the check of what a call brings |
//! | `answer`, `resource` | the shape of results and refusals |
//! | `wire` | results for a program that shows them instead of sending them |
//! | `notices` | who is told that a list changed |
//! | `door` | who is asking |
//! | `clients` | which clients can follow links |
//! | `stdio`, `http/` | the two transports |
//! | `v1/` | the resource server's own API |
//! | `export/` | blobs, texts and record sets as files |
//! | `file`, `byte_range`, `outflow` | bodies that leave a piece at a time |
//! | `config`, `ledger` | the `[server]` and `[ledger]` tables of plugins.toml |

mod answer;
mod arguments;
mod byte_range;
mod clients;
pub mod config;
mod door;
pub mod export;
mod file;
mod handler;
pub mod http;
pub mod ledger;
mod notices;
mod outflow;
mod request_id;
mod resource;
mod server;
mod signal;
pub mod stdio;
mod tools;
pub mod v1;
pub mod wire;

pub use config::ServerConfig;
pub use ledger::LedgerConfig;
pub use server::{Server, StartError};
pub use signal::Ending;
pub use v1::config::V1Config;
