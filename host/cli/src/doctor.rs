//! `stepwell doctor`: looks at everything that a server and its clients need.

mod clients;
mod configuration;
mod finding;
mod listening;
mod machine;
mod store;
mod tiers;
mod token;

use crate::exit::AlreadySaid;
use crate::output::{BAD, BOLD, DIM, GOOD, Output};
use crate::store_args::StoreArguments;
use crate::token_args::TokenArguments;
use clap::Args;
use finding::{Finding, State};
use serde_json::json;

/// Checks what a server and its clients need, and says how to fix what is wrong
#[derive(Debug, Args)]
#[command(after_help = "\
It looks at the configuration, the store and its ledger, the tiers, the token, the address, the
files, the clock, the disk, and at the clients that know this program. It changes nothing, but for
one thing: a store of an earlier version is brought up to date, as by every command that opens it.

Exit codes: 0 nothing is broken, 1 something is. Warnings alone are no reason for 1.")]
pub(crate) struct Doctor {
    #[command(flatten)]
    store: StoreArguments,
    #[command(flatten)]
    token: TokenArguments,
}

impl Doctor {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let (mut findings, settings) = configuration::look(self.store.config());
        let (found, opened) = store::look(&self.store).await;
        findings.extend(found);
        if let Some(settings) = &settings {
            findings.extend(tiers::look(settings));
        }
        findings.extend(token::look(&self.token, opened.as_ref()).await);
        if let Some(settings) = &settings {
            findings.extend(listening::look(settings.server.http).await);
        }
        findings.extend(machine::look(&self.store));
        findings.extend(clients::look());
        let is_broken = findings.iter().any(|finding| finding.state == State::Broken);
        if output.is_json() {
            let findings: Vec<_> = findings.iter().map(Finding::to_json).collect();
            output.json(&json!({ "ok": !is_broken, "findings": findings }))?;
        } else {
            findings.iter().try_for_each(|finding| show(finding, output))?;
            let warnings = findings.iter().filter(|finding| finding.state == State::Warning).count();
            match (is_broken, warnings) {
                (true, _) => output.line(format_args!("{BAD}something is broken{BAD:#}"))?,
                (false, 0) => output.line(format_args!("{GOOD}nothing is wrong{GOOD:#}"))?,
                (false, _) => output.line(format_args!("nothing is broken; warnings: {warnings}"))?,
            }
        }
        if is_broken { Err(AlreadySaid.into()) } else { Ok(()) }
    }
}

fn show(finding: &Finding, output: &Output) -> anyhow::Result<()> {
    let (style, word) = match finding.state {
        State::Good => (GOOD, "good"),
        State::Warning => (BOLD, "warning"),
        State::Broken => (BAD, "broken"),
    };
    output.line(format_args!("{style}{word:<8}{style:#}{:<14} {}", finding.area, finding.message))?;
    match &finding.fix {
        Some(fix) => output.line(format_args!("{DIM}{:<23}{fix}{DIM:#}", "")),
        None => Ok(()),
    }
}
