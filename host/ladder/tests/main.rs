//! The proof that comes before any tool: windows are bounded, under the grant, and the same on SQLite and Postgres.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "these are tests")]

mod channels;
mod cursors;
mod hundred_megabytes;
mod ledger;
mod ledger_world;
mod memory;
mod plugin_tools;
mod pointers;
mod refusals;
mod scripts;
mod search;
mod windows;
mod wire;
mod world;

/// Runs each of the named test bodies on both engines.
macro_rules! on_both_engines {
    ($($body:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() {
                super::$body($crate::world::World::sqlite().await).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() {
                super::$body($crate::world::World::postgres().await).await;
            })*
        }
    };
}
pub(crate) use on_both_engines;
