//! Importers on inputs that are made as the real programs make them, hostile ones among them.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "these are tests")]

mod chats;
mod desk;
mod files;
mod mail;
mod mangled;
mod packed;
mod tables;
