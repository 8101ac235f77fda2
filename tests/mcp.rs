//! The server, spoken to as a client speaks: raw messages over both transports, in both eras of the protocol.

mod endings;
pub(crate) mod errors;
mod hostile;
pub(crate) mod http;
mod http_rules;
mod listing;
mod native;
pub(crate) mod operations;
mod plugin_tools;
mod previews;
mod prompts;
mod quiet;
mod reload;
mod reload_under_load;
pub(crate) mod results;
pub(crate) mod stdio;
mod switched_off;
mod v1;
pub(crate) mod way;
pub(crate) mod world;
