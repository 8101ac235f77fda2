//! The contract as a client meets it: nothing that a result shows is a dead end, nothing is too large, nothing is forged,
//! and every result is as it was reviewed.

mod budgets;
pub(crate) mod desk;
mod exports;
mod forging;
mod golden;
pub(crate) mod handles;
mod replaced;
mod replay;
mod replicas;
