//! The engines that stores are made on, each store in a place that is thrown away.

use crate::report::Report;
use std::panic::{catch_unwind, set_hook, take_hook};
use stepwell_source::SourceUrl;
use stepwell_testkit::Postgres;
use tempfile::TempDir;

/// An engine that can be had on this machine.
#[derive(Debug)]
pub enum Engine {
    Sqlite,
    Postgres(Box<Postgres>),
}

/// An empty place for a database. It goes with this value, or, on Postgres, with its server.
#[derive(Debug)]
pub struct Place {
    pub url: SourceUrl,
    _folder: Option<TempDir>,
}

impl Engine {
    /// SQLite, and Postgres if it is wanted and can be had.
    pub fn all(with_postgres: bool, report: &Report) -> anyhow::Result<Vec<Self>> {
        let mut engines = vec![Self::Sqlite];
        if with_postgres {
            match Self::postgres() {
                Ok(engine) => engines.push(engine),
                Err(reason) => report.note(format_args!("Postgres is left out: {reason}"))?,
            }
        }
        Ok(engines)
    }

    /// Starts a Postgres of our own, or says why there is none.
    fn postgres() -> Result<Self, String> {
        // The test kit panics when a machine has no Postgres. Here that is a remark and not the end.
        let hook = take_hook();
        set_hook(Box::new(|_| ()));
        let outcome = catch_unwind(Postgres::start);
        set_hook(hook);
        match outcome {
            Ok(server) => Ok(Self::Postgres(Box::new(server))),
            Err(panic) => {
                Err(panic.downcast::<String>().map_or("it does not start".to_owned(), |text| *text))
            }
        }
    }

    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres(_) => "Postgres",
        }
    }

    /// Makes room for one database.
    pub fn place(&self) -> anyhow::Result<Place> {
        match self {
            Self::Sqlite => {
                let folder = tempfile::Builder::new().prefix("stepwell-bench-").tempdir()?;
                let url = SourceUrl::Sqlite(folder.path().join("bench.sqlite"));
                Ok(Place { url, _folder: Some(folder) })
            }
            Self::Postgres(server) => {
                Ok(Place { url: SourceUrl::Postgres(server.fresh_database()), _folder: None })
            }
        }
    }
}
