//! Takes a changed configuration up while the server runs.
//!
//! The new set is built beside the old one and takes its place as a whole, or not at all: whatever is wrong with it is
//! logged, and the old one goes on serving.

mod hangup;
mod stamps;

pub(super) use hangup::Hangup;
pub(super) use stamps::Stamps;

use super::counters;
use crate::config_args::ConfigArguments;
use crate::settings::{Settings, broken};
use anyhow::Context as _;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use stepwell_server::Server;
use stepwell_server::http::Tls;
use stepwell_source::{Embedded, Source};
use stepwell_tiers::{Runtime, Tiers};
use tokio::time::MissedTickBehavior;

/// How often the files are looked at. Looking costs microseconds, and works where notices of the file system do not: on
/// network drives, in containers, and with editors that replace a file instead of writing to it.
const LOOK: Duration = Duration::from_secs(1);

/// A server and what it takes to give it another configuration.
pub(super) struct Reload {
    pub(super) config: ConfigArguments,
    /// The files that decide, as they were when they were last read.
    pub(super) stamps: Stamps,
    /// Whether there ever was a configuration: then its absence is no wish for the defaults.
    pub(super) has_file: bool,
    /// What the server started with.
    pub(super) started: Settings,
    pub(super) source: Arc<dyn Source>,
    pub(super) provider: String,
    pub(super) runtime: Arc<Runtime>,
    pub(super) server: Server,
    pub(super) ledger: Arc<Embedded>,
    pub(super) keep_days: Arc<AtomicU32>,
    pub(super) hangup: Hangup,
    /// What HTTP is encrypted with, where it is.
    pub(super) tls: Option<Arc<Tls>>,
}

impl Reload {
    /// Watches the files, and for SIGHUP, for as long as it is polled.
    pub(super) async fn watch(mut self) -> Infallible {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut before = None;
        loop {
            tokio::select! {
                () = self.hangup.received() => {}
                _ = look.tick() => {
                    let now = self.stamps.again().await;
                    // A file that is still being written looks different the next time.
                    let is_settled = before.replace(now.clone()) == Some(now.clone());
                    if now == self.stamps || !is_settled {
                        continue;
                    }
                }
            }
            self.reload().await;
        }
    }

    async fn reload(&mut self) {
        match self.take_up().await {
            Ok(settings) => {
                tracing::info!("took up the changed configuration");
                let fixed = settings.fixed_besides(&self.started);
                if !fixed.is_empty() {
                    tracing::warn!("from the next start on, and not before, counts: {}", fixed.join(", "));
                }
                settings.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
            }
            Err(error) => {
                let reason = format!("{error:#}").replace('\n', "; ");
                tracing::error!(
                    "the changed configuration is refused, the old one goes on serving: {reason}"
                );
            }
        }
    }

    async fn take_up(&mut self) -> anyhow::Result<Settings> {
        let (config, stamps, runtime) = (self.config.clone(), self.stamps.clone(), self.runtime.clone());
        let has_file = self.has_file;
        // A component may have to be compiled, which takes seconds at worst.
        let loading = tokio::task::spawn_blocking(move || {
            let mut now = stamps.of_configuration();
            let loaded = load(&config, has_file, &stamps, &mut now, &runtime);
            (now, loaded)
        });
        let (stamps, loaded) = loading.await.context("the configuration was not read")?;
        self.has_file |= stamps.has_configuration();
        self.stamps = stamps;
        let (settings, tiers) = loaded?;
        let tls = settings.tls()?;
        let ladder = settings.ladder_on(self.source.clone(), &self.provider, tiers).await?;
        counters::log(&self.server);
        self.server.replace(ladder, &settings.server)?;
        if let (Some(tls), Some(new)) = (&self.tls, tls) {
            tls.replace(new);
        }
        self.keep_days.store(settings.ledger.keep_days, Ordering::Relaxed);
        self.ledger.keep_ledger(settings.ledger.durable.into());
        Ok(settings)
    }
}

/// Reads the configuration and loads its tiers, all of them or none.
fn load(
    config: &ConfigArguments,
    has_file: bool,
    before: &Stamps,
    now: &mut Stamps,
    runtime: &Arc<Runtime>,
) -> anyhow::Result<(Settings, Tiers)> {
    let read = config.text().and_then(|text| match text {
        None if has_file => anyhow::bail!("the file is gone; write it again, or start the server again"),
        text => Settings::of(text),
    });
    let settings = match read {
        Ok(settings) => settings,
        Err(error) => {
            // What it will name is not known; the components of the old one may still change.
            now.keep_components(before);
            return Err(error);
        }
    };
    now.add(settings.files());
    let tiers = settings.load_tiers_in(runtime);
    let faults: Vec<String> = tiers.status().iter().filter_map(broken).collect();
    anyhow::ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok((settings, tiers))
}
