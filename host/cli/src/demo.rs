//! `stepwell demo`: the climb before the reader's eyes, on sample data in a store that is thrown away.

mod climb;
mod config;
mod fill;
mod printed;
pub(crate) mod show;

pub(crate) use fill::fill;

use crate::config_args::ConfigArguments;
use crate::output::Output;
use anyhow::Context as _;
use clap::Args;
use climb::Climb;
use serde_json::json;
use show::Show;
use std::sync::Arc;
use std::time::Instant;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_ladder::Ladder;
use stepwell_sample::known;
use stepwell_source::grant::{Grant, GrantRequest, StreamRequest};
use stepwell_source::sqlite::{self, Missing};
use stepwell_tiers::Health;

/// Shows the whole climb on sample data; the store is thrown away afterwards
#[derive(Debug, Args)]
pub(crate) struct Demo {
    #[command(flatten)]
    config: ConfigArguments,
}

impl Demo {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let (show, started) = (Show::new(output), Instant::now());
        let settings = self.config.read()?;
        let folder = tempfile::tempdir().context("no temporary folder for the demo's store")?;
        let store = sqlite::open(&folder.path().join("demo.sqlite"), Missing::Create).await?;
        let records = fill(&store).await?;
        let filled = started.elapsed();
        show.remark(
            "store",
            format_args!(
                "{records} invented records from two mail accounts and a chat export, in {filled:.1?}"
            ),
            json!({ "records": records, "ms": filled.as_millis() }),
        )?;
        let (grant, token) = store.create_grant(&request()?).await?;
        granted(&show, &grant)?;
        let ladder = settings.ladder(Arc::new(store), settings.load_tiers()?).await?;
        loaded(&show, &ladder)?;
        let caller = ladder.source().authenticate(&token).await?;
        Climb { ladder, caller, show: &show }.run().await?;
        config::show(&show)?;
        output.line(format_args!("\nThe whole climb took {:.1?}.", started.elapsed()))
    }
}

/// What the demo's agent may read. It leaves out the headers of the mails, and more, so that there is something to refuse.
fn request() -> anyhow::Result<GrantRequest> {
    let (text, file) = (known::LONG_TEXT, known::LARGE_BLOB);
    let fields = ["subject", "from", "sent_at", text.field, "attachment_name", file.field];
    Ok(GrantRequest {
        client: "demo agent".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams: vec![StreamRequest {
            name: StreamName::new(known::MESSAGES)?,
            connections: vec![ConnectionId::new(text.connection)?, ConnectionId::new(file.connection)?],
            fields: Some(fields.map(str::to_owned).to_vec()),
            since: None,
            until: None,
            resources: None,
        }],
    })
}

fn granted(show: &Show<'_>, grant: &Grant) -> anyhow::Result<()> {
    let streams: Vec<String> = grant
        .streams
        .iter()
        .map(|stream| format!("\n   {}/{}: {}", stream.connection_id, stream.name, stream.fields.join(", ")))
        .collect();
    let what = format!("\"{}\" may read this and nothing else{}", grant.client, streams.concat());
    show.remark("grant", what, json!({ "grant": grant }))
}

fn loaded(show: &Show<'_>, ladder: &Ladder) -> anyhow::Result<()> {
    let mut tiers = ladder.tiers().status();
    tiers.retain(|tier| tier.health != Health::Off);
    let names: Vec<&str> = tiers.iter().map(|tier| tier.name.as_str()).collect();
    if let Some(tier) = tiers.iter().find(|tier| matches!(tier.health, Health::Broken(_))) {
        anyhow::bail!("the tier {} cannot be used; `stepwell plugin list` says why", tier.name);
    }
    let cached = tiers.iter().filter(|tier| tier.was_cached).count();
    let time: std::time::Duration = tiers.iter().map(|tier| tier.load_time).sum();
    let what = format!(
        "{}, loaded in {time:.1?}, {cached} of {} compiled before\n   \
         (compiled ones stay in your cache folder, the only thing that the demo keeps)",
        names.join(", "),
        names.len()
    );
    show.remark("tiers", what, json!({ "tiers": names, "cached": cached, "ms": time.as_millis() }))
}
