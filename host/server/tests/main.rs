//! The server behind a real listener, with a real store and, where one is needed, a real authorization server.

mod authorization_server;
mod client;
mod encryption;
mod limits;
mod messages;
mod metadata;
mod operations;
mod token_matrix;
mod world;
