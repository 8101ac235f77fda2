//! The API of the resource server and files, on both engines where the store matters.

mod client;
mod exports;
mod openapi;
mod v1_ingest;
mod v1_reads;
mod v1_refusals;
mod v1_whole;
mod world;

/// Runs each of the named test bodies on both engines.
macro_rules! on_both_engines {
    ($($body:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() {
                super::$body($crate::rest::world::World::sqlite().await).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() {
                super::$body($crate::rest::world::World::postgres().await).await;
            })*
        }
    };
}
pub(crate) use on_both_engines;
