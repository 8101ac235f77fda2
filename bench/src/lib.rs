//! What the measurements share, and those on real records, which need neither tiers nor a server.

pub mod corpus;
pub mod engine;
pub mod measure;
pub mod report;
pub mod text;
