//! The server behind a real listener, with a real store and, where one is needed, a real authorization server.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "these are tests")]

mod authorization_server;
mod client;
mod encryption;
mod limits;
mod messages;
mod metadata;
mod operations;
mod plain;
mod rest;
mod slow_clients;
mod token_matrix;
mod v1_doors;
mod world;
