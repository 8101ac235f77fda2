//! A remote resource server behind the door of a store, against one that records what it is asked and breaks on demand.

mod blobs;
mod catalogue;
mod desk;
mod faults;
mod large;
mod ledger;
mod listing;
mod tls;
mod tokens;
mod windows;
