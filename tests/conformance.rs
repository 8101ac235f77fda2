//! The official tools as judges: the MCP conformance suite in both of its requirement sets, and the MCP Inspector.

mod inspector;
mod proxy;
mod setup;
mod suite;
