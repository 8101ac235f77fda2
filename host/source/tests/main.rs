//! The store as its users see it: one body for each test, run on SQLite and on Postgres.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "these are tests")]

mod beside;
mod care;
mod changes;
mod dice;
mod equal_answers;
mod expanding;
mod faults;
mod grants;
mod huge;
mod ledger;
mod ledger_cost;
mod listing;
mod names;
mod nested;
mod oracle;
mod packages;
mod phrases;
mod queries;
mod records;
mod refusals;
mod rewrites;
mod search_cost;
mod search_model;
mod second_line;
mod sorting;
mod tallying;
mod tokens;
mod vault;
mod whole;
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

/// The same for what is run by hand.
macro_rules! on_both_engines_ignored {
    ($body:ident) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "prints figures"]
        async fn on_sqlite() {
            $body($crate::world::World::sqlite().await).await;
        }
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "prints figures"]
        async fn on_postgres() {
            $body($crate::world::World::postgres().await).await;
        }
    };
}
pub(crate) use on_both_engines_ignored;
