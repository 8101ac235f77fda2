//! Someone who calls tools on the whole ladder, and a look into the ledger from behind.

use crate::world::World;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use stepwell_ladder::{Asker, Client, Ladder, LedgerPolicy, Settings, ToolResult};
use stepwell_source::grant::StreamRequest;
use stepwell_source::ledger::{LedgerEntry, LedgerFilter};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Caller, Embedded, SourceUrl};
use stepwell_tiers::{Config, Place, Tiers};

/// The ladder with all tiers on, under one grant.
pub(crate) struct Desk {
    pub(crate) ladder: Ladder,
    pub(crate) caller: Caller,
    store: Arc<Embedded>,
    seen: AtomicUsize,
}

impl Desk {
    pub(crate) async fn new(world: &World, streams: Vec<StreamRequest>, ledger: LedgerPolicy) -> Self {
        Self::with(world, streams, ledger, &Config::default()).await
    }

    /// The same with other tiers.
    pub(crate) async fn with(
        world: &World,
        streams: Vec<StreamRequest>,
        ledger: LedgerPolicy,
        config: &Config,
    ) -> Self {
        let caller = world.grant(streams).await;
        let url: SourceUrl = world.url.parse().expect("a store's address");
        let store = Arc::new(url.open(Missing::Refuse).await.expect("the store"));
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tiers");
        let place = Place { cache: Some(cache), ..Place::default() };
        let tiers = Arc::new(Tiers::load(config, &place).expect("the tiers"));
        let settings = Settings { provider_url: "stepwell:test".to_owned(), keys: None, ledger };
        let ladder = Ladder::new(store.clone(), tiers, settings).await.expect("a ladder");
        Self { ladder, caller, store, seen: AtomicUsize::new(0) }
    }

    pub(crate) fn asker(&self) -> Asker<'_> {
        Asker { caller: &self.caller, client: Client::default(), exports: None }
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> ToolResult {
        let (ladder, asker) = (&self.ladder, &self.asker());
        match tool {
            "aggregate" => ladder.aggregate(asker, &args).await,
            "fetch" => ladder.fetch(asker, &args).await,
            "query_records" => ladder.query_records(asker, &args).await,
            "read_record_field" => ladder.read_record_field(asker, &args).await,
            "schema" => ladder.schema(asker, &args).await,
            "search" => ladder.search(asker, &args).await,
            _ => panic!("no tool {tool}"),
        }
    }

    /// The entries of this grant since this was last asked, the newest first.
    pub(crate) async fn new_entries(&self) -> Vec<LedgerEntry> {
        let filter = LedgerFilter { grant: Some(self.caller.grant().to_owned()), ..LedgerFilter::default() };
        let mut entries = self.store.ledger_page(&filter, None, 100_000).await.expect("the ledger");
        let before = self.seen.swap(entries.len(), Ordering::Relaxed);
        entries.truncate(entries.len() - before);
        entries
    }

    /// All that the ledger's tables hold, as text.
    pub(crate) async fn dump(&self, world: &World) -> String {
        // Whoever looks at the ledger sees to it that all entries are in it.
        self.store.ledger_sum(&LedgerFilter::default()).await.expect("the ledger");
        if let Some(path) = world.url.strip_prefix("sqlite:") {
            let file = rusqlite::Connection::open(path).expect("the file");
            let mut dump = String::new();
            for table in ["disclosure", "disclosure_tombstone"] {
                let mut select = file.prepare(&format!("SELECT * FROM {table}")).expect("a table");
                let columns = select.column_count();
                let mut rows = select.query([]).expect("rows");
                while let Some(row) = rows.next().expect("a row") {
                    for column in 0..columns {
                        dump.push_str(&format!("{:?} ", row.get::<_, rusqlite::types::Value>(column)));
                    }
                }
            }
            return dump;
        }
        let select = "SELECT string_agg(d::text, ' ') FROM (SELECT d::text AS d FROM stepwell.disclosure d
                      UNION ALL SELECT t::text FROM stepwell.disclosure_tombstone t) AS d";
        behind(&world.url, async |client| client.query_one(select, &[]).await.expect("a dump").get(0)).await
    }

    /// The store's own files, where it has some.
    pub(crate) fn files(&self, world: &World) -> Vec<Vec<u8>> {
        let Some(path) = world.url.strip_prefix("sqlite:") else { return Vec::new() };
        ["", "-wal", "-pending"]
            .iter()
            .map(|end| format!("{path}{end}"))
            .filter_map(|path| std::fs::read(path).ok())
            .collect()
    }
}

impl World {
    /// Lets nothing more into the ledger.
    pub(crate) async fn fill_up_the_ledger(&self) {
        if let Some(path) = self.url.strip_prefix("sqlite:") {
            // Where a file should be in which entries wait, something else is.
            std::fs::create_dir(format!("{path}-pending")).expect("no entry was made yet");
            return;
        }
        let rename = "ALTER TABLE stepwell.disclosure RENAME TO elsewhere";
        behind(&self.url, async |client| client.batch_execute(rename).await.expect("another name")).await;
    }
}

async fn behind<T>(url: &str, work: impl AsyncFnOnce(&tokio_postgres::Client) -> T) -> T {
    let (client, connection) =
        tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("the database");
    let connection = tokio::spawn(connection);
    let outcome = work(&client).await;
    drop(client);
    let _ = connection.await;
    outcome
}
