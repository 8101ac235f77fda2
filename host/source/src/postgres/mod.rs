//! The embedded store on Postgres: any number of replicas on one database.

mod fields;
mod filter;
mod learn;
mod ledger;
mod migrate;
mod reader;
mod store;
mod tls;

pub(crate) use learn::LEARN;

use crate::embedded::Embedded;
use crate::embedded::engine::{Batch, Engine, StoredBatch};
use crate::embedded::row::{Cell, Param, Row};
use crate::embedded::statement::{Reads, Statement};
use crate::error::Failure;
use crate::ledger::NewEntries;
use crate::source::StoreUse;
use crate::terms::Stem;
use async_trait::async_trait;
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use reader::{InUse, READ_MAX, stopped};
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tokio_postgres::Config;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How many reads run at a time; a server shares its database with others.
const READERS: usize = 8;

/// How many connections write: an import, and the ledger beside it.
const WRITERS: usize = 2;

/// How long to wait for a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait for an answer to a read, or to an entry of the ledger. The server itself ends a read earlier, so
/// whoever says nothing for so long is no longer there.
const ANSWER: Duration = Duration::from_secs(15);

/// How long a transaction that writes may take. A full batch takes seconds; this is for a server that is gone.
const WRITTEN: Duration = Duration::from_secs(300);

/// How long a connection is silent before it is asked whether there is still someone.
const SILENCE: Duration = Duration::from_secs(30);

/// All tables live in a schema of their own, so that a shared database stays tidy.
pub(crate) const SCHEMA: &str = "stepwell";

/// What a connection that writes is set to: what it acknowledged survives a crash, and it works for the owner.
const WRITER: &str = "SET synchronous_commit = on; SET stepwell.owner = 'on'";

/// How a connection that reads plans. Statements are written so that one plan does for all values, and most take longer to plan
/// than to run. They go along indexes in the order that they want; as long as Postgres knows little about the tables, it would
/// take reading and sorting a whole one for as good.
const READER: &str =
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_sort = off";

/// Says for whom the next statement reads, which the policies of the tables go by.
const READS_FOR: &str =
    "SELECT set_config('stepwell.grant_id', $1, false), set_config('stepwell.owner', $2, false)";

const BAD_ADDRESS: &str = "the address is not of the form postgres://user:password@host:port/database?option=value, \
                           or has characters that must be percent-encoded";

/// Opens a store in a database.
pub async fn open(url: &str) -> Result<Embedded, Failure> {
    let config = configure(url)?;
    let writer = pool(&config, WRITERS, WRITER)?;
    migrate::migrate(&mut *connection(&writer).await?, SCHEMA).await?;
    // A second line behind the statements themselves: what reads cannot write, and sees what its grant covers.
    let set =
        format!("SET default_transaction_read_only = on; SET statement_timeout = '{READ_MAX}'; {READER}");
    let readers = pool(&config, READERS, set)?;
    Ok(Embedded::new(Box::new(Postgres {
        readers,
        writer,
        tls: tls::connector()?,
        unlearnt: AtomicU64::new(0),
    })))
}

/// Opens one connection that can write, and leaves the database as it is.
pub(crate) async fn connect_bare(url: &str) -> Result<Object, Failure> {
    connection(&pool(&configure(url)?, 1, WRITER)?).await
}

/// Opens one connection that can write to the tables of a schema, and brings them up to date.
pub(crate) async fn connect(url: &str, schema: &'static str) -> Result<Object, Failure> {
    let mut client = connect_bare(url).await?;
    client.batch_execute(&format!("SET search_path TO {schema}")).await?;
    migrate::migrate(&mut client, schema).await?;
    Ok(client)
}

fn configure(url: &str) -> Result<Config, Failure> {
    // The parser's own words could repeat a part of a password that was not percent-encoded.
    let mut config: Config = url.parse().map_err(|_| Failure::Store(BAD_ADDRESS.into()))?;
    config.application_name("stepwell").connect_timeout(PATIENCE);
    config
        .keepalives_idle(SILENCE)
        .keepalives_interval(PATIENCE)
        .keepalives_retries(3)
        .tcp_user_timeout(SILENCE);
    Ok(config)
}

struct Postgres {
    readers: Pool,
    writer: Pool,
    /// For telling the server to stop a statement, which takes a connection of its own.
    tls: MakeRustlsConnect,
    /// How many records were stored since Postgres last learnt about the tables.
    unlearnt: AtomicU64,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postgres").field("readers", &self.readers).finish_non_exhaustive()
    }
}

fn pool(config: &Config, size: usize, set: impl Into<String>) -> Result<Pool, Failure> {
    let set: String = set.into();
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config.clone(), tls::connector()?, recycling);
    let prepare = Hook::async_fn(move |client, _| {
        let set = format!("SET search_path TO {SCHEMA}; {set}; SET jit = off");
        Box::pin(async move { client.batch_execute(&set).await.map_err(HookError::Backend) })
    });
    Pool::builder(manager)
        .max_size(size)
        .wait_timeout(Some(PATIENCE))
        .create_timeout(Some(PATIENCE))
        .runtime(Runtime::Tokio1)
        .post_create(prepare)
        .build()
        .map_err(|error| Failure::Pool(error.to_string()))
}

async fn connection(pool: &Pool) -> Result<Object, Failure> {
    // The pool's own limits do not cover the first words that are said over a new connection.
    let outcome = timeout(2 * PATIENCE, pool.get()).await.map_err(|_| Failure::NoAnswer)?;
    outcome.map_err(|error| match error {
        deadpool_postgres::PoolError::Backend(error) => error.into(),
        other => Failure::Pool(other.to_string()),
    })
}

/// Gives a connection back, unless it did not answer: then nobody else may wait for it.
fn give_back<T>(client: Object, outcome: Result<Result<T, Failure>, Elapsed>) -> Result<T, Failure> {
    outcome.unwrap_or_else(|_| {
        drop(Object::take(client));
        Err(Failure::NoAnswer)
    })
}

/// Whether a connection had ended before it was used: it was idle when it broke, or when the server said goodbye.
fn had_ended(failure: &Failure) -> bool {
    let Failure::Postgres(error) = failure else { return false };
    let goodbyes = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN];
    error.is_closed() || error.code().is_some_and(|code| goodbyes.contains(code))
}

#[async_trait]
impl Engine for Postgres {
    async fn read(&self, statement: Statement, params: Vec<Param>) -> Result<Vec<Row>, Failure> {
        // The pool does not always know that connections ended while nobody used them. Each try takes one away.
        let sql = statement.postgres();
        let select = || self.select((statement.name(), sql.as_str()), reader(statement, &params), &params);
        for _ in 0..READERS {
            match select().await {
                Err(failure) if had_ended(&failure) => {}
                outcome => return outcome,
            }
        }
        select().await
    }

    async fn write(&self, statements: Vec<(Statement, Vec<Param>)>) -> Result<Vec<u64>, Failure> {
        let mut client = connection(&self.writer).await?;
        let work = async {
            let transaction = client.transaction().await?;
            let mut changed = Vec::with_capacity(statements.len());
            for (statement, params) in &statements {
                let prepared = transaction.prepare_cached(&statement.postgres()).await?;
                changed.push(transaction.execute(&prepared, &bound(params)).await?);
            }
            transaction.commit().await?;
            Ok(changed)
        };
        let outcome = timeout(WRITTEN, work).await;
        give_back(client, outcome)
    }

    async fn append(&self, entries: NewEntries) -> Result<(), Failure> {
        // As for reads. An entry that should be there twice errs on the safe side.
        for _ in 0..WRITERS {
            match self.append_once(&entries).await {
                Err(failure) if had_ended(&failure) => {}
                outcome => return outcome,
            }
        }
        self.append_once(&entries).await
    }

    fn any_word(&self, words: &[Stem]) -> String {
        spelled(words).join(" | ")
    }

    fn all_words(&self, words: &[Stem]) -> String {
        spelled(words).join(" & ")
    }

    fn usage(&self) -> StoreUse {
        let status = self.readers.status();
        let busy = status.size.saturating_sub(status.available);
        StoreUse { connections: status.max_size, busy, waiting: status.waiting, ..StoreUse::default() }
    }

    async fn store(&self, batch: Batch) -> Result<StoredBatch, Failure> {
        let mut client = connection(&self.writer).await?;
        let work = async {
            let transaction = client.transaction().await?;
            let outcome = store::store(&transaction, &batch).await?;
            transaction.commit().await?;
            learn::after(&client, &self.unlearnt, outcome.added + outcome.changed).await;
            Ok(outcome)
        };
        let outcome = timeout(WRITTEN, work).await;
        give_back(client, outcome)
    }
}

impl Postgres {
    async fn append_once(&self, entries: &NewEntries) -> Result<(), Failure> {
        let client = connection(&self.writer).await?;
        let outcome = timeout(ANSWER, ledger::append(&client, entries)).await;
        give_back(client, outcome)
    }
}

/// For whom a session reads.
#[derive(Clone, Copy)]
enum Reader<'a> {
    /// For a caller under a grant.
    Grant(&'a str),
    /// For the owner, who looks at the books.
    Owner,
}

/// For whom a statement reads. Every one that reads data names its grant first.
fn reader(statement: Statement, params: &[Param]) -> Reader<'_> {
    match (statement.reads(), params.first()) {
        (Reads::Books, _) => Reader::Owner,
        (_, Some(Param::Text(Some(grant)))) => Reader::Grant(grant),
        // Nobody's grant.
        _ => Reader::Grant(""),
    }
}

impl Postgres {
    /// Runs the text of a statement on a connection that reads, for somebody.
    async fn select(
        &self,
        (name, sql): (&'static str, &str),
        reader: Reader<'_>,
        params: &[Param],
    ) -> Result<Vec<Row>, Failure> {
        let in_use = InUse::new(connection(&self.readers).await?, self.tls.clone());
        let client = in_use.client()?;
        let (grant, owner) = match reader {
            Reader::Grant(grant) => (grant, "off"),
            Reader::Owner => ("", "on"),
        };
        let outcome = async {
            let (reads_for, prepared) =
                (client.prepare_cached(READS_FOR).await?, client.prepare_cached(sql).await?);
            let (whose, bound): ([&(dyn ToSql + Sync); 2], _) = ([&grant, &owner], bound(params));
            // Both are on their way before the first is answered, in this order, so that it costs no round trip.
            let (set, rows) = tokio::join!(
                biased;
                client.query(&reads_for, &whose),
                client.query(&prepared, &bound),
            );
            // Rows that were read for whoever came before are nobody's.
            set.and(rows)
        };
        // Without an answer it is not given back, and goes as if whoever waits had left.
        let outcome = timeout(ANSWER, outcome).await.map_err(|_| Failure::NoAnswer)?;
        in_use.answered();
        outcome.map_err(stopped)?.iter().map(|row| cells(name, row)).collect()
    }
}

fn spelled(words: &[Stem]) -> Vec<String> {
    words.iter().map(|Stem { text, open }| format!("'{text}'{}", if *open { ":*" } else { "" })).collect()
}

/// Binds values.
pub(crate) fn bound(params: &[Param]) -> Vec<&(dyn ToSql + Sync)> {
    fn bind(param: &Param) -> &(dyn ToSql + Sync) {
        match param {
            Param::Int(value) => value,
            Param::Text(value) => value,
            Param::Bytes(value) => value,
        }
    }
    params.iter().map(bind).collect()
}

/// Takes a row apart.
pub(crate) fn cells(statement: &'static str, row: &tokio_postgres::Row) -> Result<Row, Failure> {
    let cell = |column: usize| -> Result<Cell, Failure> {
        let cell = match *row.columns()[column].type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(column)?.map(Cell::Int),
            Type::TEXT => row.try_get::<_, Option<String>>(column)?.map(Cell::Text),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column)?.map(Cell::Bytes),
            _ => return Err(Failure::Row { statement, column }),
        };
        Ok(cell.unwrap_or(Cell::Null))
    };
    let cells = (0..row.len()).map(cell).collect::<Result<_, _>>()?;
    Ok(Row::new(statement, cells))
}

#[cfg(test)]
mod tests;
