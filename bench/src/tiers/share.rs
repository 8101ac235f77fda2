//! How much of a tool call is spent in tiers: a search of 25 hits on a store of mail, in this process.

use crate::Plan;
use crate::server::world::World;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stepwell_bench::measure::Samples;
use stepwell_bench::report::{self, Report};
use stepwell_ladder::{Asker, Client, Ladder, LedgerPolicy, Settings};
use stepwell_source::Source as _;
use stepwell_tiers::{Config, Links, Place, Tiers};

const HITS: usize = 25;

pub(super) async fn run(plan: Plan, report: &Report) -> anyhow::Result<()> {
    report.heading(
        format_args!("tiers: a search of {HITS} hits"),
        "times the whole call, from its arguments to what the ledger has written down",
    )?;
    let world = World::fill().await?;
    let store = world.store().await?;
    let caller = store.authenticate(world.token()).await?;
    let mut config = Config::default();
    // Every client gets links here, so that the resources tier is asked too.
    config.resources.links = Links::Always;
    let tiers = Arc::new(Tiers::load(&config, &Place::default())?);
    let settings =
        Settings { provider_url: "stepwell:bench".to_owned(), keys: None, ledger: LedgerPolicy::default() };
    let ladder = Ladder::new(Arc::new(store), Arc::clone(&tiers), settings).await?;
    let asker = Asker { caller: &caller, client: Client { follows_links: true }, exports: None };
    let arguments = json!({ "q": crate::server::QUERY, "limit": HITS });
    let spent = || tiers.status().iter().map(|tier| tier.spent).sum::<Duration>();
    let (mut whole, mut in_tiers) = (Samples::default(), Samples::default());
    for round in 0..=plan.calls {
        let (started, before) = (Instant::now(), spent());
        let result = ladder.search(&asker, &arguments).await;
        let took = started.elapsed();
        anyhow::ensure!(result.is_ok(), "the search failed");
        if round > 0 {
            whole.push(took);
            in_tiers.push(spent() - before);
        }
    }
    report.line("the whole call", 1.0, report::time(whole.median()))?;
    report.line("in tiers", in_tiers.over(&whole), report::time(in_tiers.median()))
}
