//! End to end: the built program, driven as its users drive it, on real stores.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "these are tests")]

mod authoring;
mod beside;
mod caring;
mod classes;
mod clients;
mod configuring;
mod conformance;
mod connecting;
mod contract;
mod demo;
mod deploying;
mod disclosing;
mod doctoring;
mod everyday;
mod exporting;
mod failing;
mod granting;
mod help;
mod importing;
mod ingesting;
mod journey;
mod kill;
mod mcp;
mod packaging;
mod pages;
mod program;
mod quick_start;
mod reading;
mod refusals;
mod remote;
mod secrets;
mod terminal;

/// Runs each of the named test bodies on both engines.
macro_rules! on_both_engines {
    ($($body:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[test]
            fn $body() {
                super::$body(&$crate::program::Store::sqlite());
            })*
        }
        mod on_postgres {
            $(#[test]
            fn $body() {
                super::$body(&$crate::program::Store::postgres());
            })*
        }
    };
}
pub(crate) use on_both_engines;
