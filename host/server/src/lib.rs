//! MCP: the only crate that knows rmcp and axum.
//!
//! A [`Server`] wraps a [`Ladder`](stepwell_ladder::Ladder) in the protocol: it authenticates every request,
//! checks arguments against the tool's schema, asks the ladder, and puts the answer into the shape that clients expect.
//! It keeps no state between requests. What it offers can be replaced as a whole while it runs.
//!
//! | file | holds |
//! |---|---|
//! | `server`, `handler` | what there is to offer, and the protocol's methods |
//! | `call` | one call of a tool, by whichever way it came |
//! | `tools`, `arguments` | the listed tools, and the check of what a call brings |
//! | `answer`, `resource` | the shape of results and refusals |
//! | `prompts` | what a person can start with one choice |
//! | `wire` | results for a program that shows them instead of sending them |
//! | `attend` | what becomes of a request |
//! | `notices` | who is told that a list changed |
//! | `door` | who is asking |
//! | `clients` | which clients can follow links |
//! | `stdio`, `http/` | the two transports |
//! | `v1/` | the resource server's own API |
//! | `export/` | blobs, texts and record sets as files |
//! | `file`, `byte_range`, `outflow` | bodies that leave a piece at a time |
//! | `auth/` | whether a token counts that came over HTTP |
//! | `admin`, `metrics`, `note` | what an operator sees of it all |
//! | `config`, `limits`, `ledger`, `auth/config` | the tables of plugins.toml that are read here |

mod admin;
mod answer;
mod arguments;
mod attend;
pub mod auth;
mod byte_range;
mod call;
mod clients;
pub mod config;
mod door;
pub mod export;
mod file;
mod handler;
pub mod http;
pub mod ledger;
pub mod limits;
mod metrics;
mod note;
mod notices;
mod outflow;
mod prompts;
mod request_id;
mod resource;
pub mod secret_file;
mod server;
mod signal;
pub mod stdio;
mod tools;
pub mod v1;
pub mod wire;

pub use auth::AuthConfig;
pub use config::ServerConfig;
pub use ledger::LedgerConfig;
pub use limits::LimitsConfig;
pub use server::{Server, StartError};
pub use signal::Ending;
pub use v1::V1Config;
