//! One connection to a store, for work on the whole of it.

use crate::embedded::row::{Param, Row};
use crate::error::Failure;
use crate::sqlite::{self, Missing};
use crate::url::SourceUrl;
use crate::{bind, postgres};
use deadpool_postgres::Object;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A connection to a store on either engine. It runs constant statements, in SQLite's spelling of parameters.
pub(crate) enum Session {
    Sqlite(Arc<Mutex<Connection>>),
    Postgres(Box<Object>),
}

impl Session {
    /// Opens a store that exists, and brings its schema up to date as every other verb does.
    pub(crate) async fn open(url: &SourceUrl) -> Result<Self, Failure> {
        match url {
            SourceUrl::Sqlite(path) => Self::file(path, Missing::Refuse).await,
            SourceUrl::Postgres(url) => {
                Ok(Self::Postgres(Box::new(postgres::connect(url, postgres::SCHEMA).await?)))
            }
        }
    }

    /// Opens a file.
    pub(crate) async fn file(path: &Path, missing: Missing) -> Result<Self, Failure> {
        let path = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || {
            let mut connection = sqlite::connect(&path, missing)?;
            // Work on the whole of a store is work on the whole of its ledger too.
            sqlite::pending::settle(&path, &mut connection)?;
            Ok::<_, Failure>(connection)
        });
        let connection = opened.await.map_err(|_| Failure::Gone)??;
        Ok(Self::of(connection))
    }

    /// Takes a connection that is open.
    pub(crate) fn of(connection: Connection) -> Self {
        Self::Sqlite(Arc::new(Mutex::new(connection)))
    }

    /// Closes the connection. A file is then by itself, with no log beside it, unless others have it open.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        match self {
            Self::Sqlite(connection) => {
                let close = move || {
                    let connection = Arc::into_inner(connection).ok_or(Failure::Gone)?;
                    let connection = connection.into_inner().map_err(|_| Failure::Gone)?;
                    connection.close().map_err(|(_, error)| Failure::from(error))
                };
                tokio::task::spawn_blocking(close).await.map_err(|_| Failure::Gone)?
            }
            Self::Postgres(client) => {
                drop(client);
                Ok(())
            }
        }
    }

    /// From here on everything is read as of this moment, whoever writes meanwhile.
    pub(crate) async fn hold_still(&self) -> Result<(), Failure> {
        match self {
            Self::Sqlite(_) => self.batch("BEGIN").await?,
            Self::Postgres(_) => self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?,
        }
        // The first read settles the moment.
        self.rows("moment", "SELECT id FROM sealing_key LIMIT 1", bind![]).await.map(|_| ())
    }

    /// Runs a statement and takes all of its rows.
    pub(crate) async fn rows(
        &self,
        name: &'static str,
        sql: &str,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, Failure> {
        match self {
            Self::Sqlite(_) => {
                let sql = sql.to_owned();
                self.on_sqlite(move |connection| sqlite::select(connection, name, &sql, &params)).await
            }
            Self::Postgres(client) => {
                let prepared = client.prepare_cached(&spelled(sql)).await?;
                let rows = client.query(&prepared, &postgres::bound(&params)).await?;
                rows.iter().map(|row| postgres::cells(name, row)).collect()
            }
        }
    }

    /// Runs a statement that gives one number.
    pub(crate) async fn number(&self, name: &'static str, sql: &str) -> Result<u64, Failure> {
        let rows = self.rows(name, sql, bind![]).await?;
        let number = rows.into_iter().next().map(|mut row| row.int_or_null()).transpose()?;
        Ok(number.flatten().unwrap_or_default().unsigned_abs())
    }

    /// Runs a statement that changes rows, and says how many.
    pub(crate) async fn change(&self, sql: &'static str, params: Vec<Param>) -> Result<u64, Failure> {
        match self {
            Self::Sqlite(_) => {
                let change = move |connection: &mut Connection| {
                    let mut prepared = connection.prepare_cached(sql)?;
                    Ok(prepared.execute(rusqlite::params_from_iter(&params))? as u64)
                };
                self.on_sqlite(change).await
            }
            Self::Postgres(client) => {
                let prepared = client.prepare_cached(&spelled(sql)).await?;
                Ok(client.execute(&prepared, &postgres::bound(&params)).await?)
            }
        }
    }

    /// Runs statements that take no values and give none.
    pub(crate) async fn batch(&self, sql: &str) -> Result<(), Failure> {
        match self {
            Self::Sqlite(_) => {
                let sql = sql.to_owned();
                self.on_sqlite(move |connection| Ok(connection.execute_batch(&sql)?)).await
            }
            Self::Postgres(client) => Ok(client.batch_execute(sql).await?),
        }
    }

    /// Does something with SQLite's own connection, on a thread that may wait.
    pub(crate) async fn on_sqlite<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let Self::Sqlite(connection) = self else {
            return Err(Failure::Store("the store is not on SQLite".into()));
        };
        let connection = connection.clone();
        let work = move || work(&mut *connection.lock().map_err(|_| Failure::Gone)?);
        tokio::task::spawn_blocking(work).await.map_err(|_| Failure::Gone)?
    }
}

/// A statement in Postgres's spelling.
fn spelled(sql: &str) -> String {
    sql.replace('?', "$")
}
