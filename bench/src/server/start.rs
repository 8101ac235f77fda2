//! How long a client waits for a server that it starts: an MCP host starts one for every conversation.

use super::connection::Connection;
use super::{Kind, Stage, Transport};
use crate::Plan;
use std::time::Instant;
use stepwell_bench::measure::Samples;
use stepwell_bench::report::{self, Report};

pub(super) fn run(stage: &Stage, plan: Plan, report: &Report) -> anyhow::Result<()> {
    report.heading(
        "server: from its start to the reply to initialize",
        "times a bare server of the same library (rmcp), with a store of mail and compiled tiers in the cache",
    )?;
    for transport in Transport::BOTH {
        let (mut bare, mut stepwell) = (Samples::default(), Samples::default());
        // The first round compiles the tiers and warms the disk's cache, so it does not count.
        for round in 0..=plan.starts {
            for (kind, samples) in [(Kind::Bare, &mut bare), (Kind::Stepwell, &mut stepwell)] {
                let started = Instant::now();
                let connection = Connection::open(stage, kind, transport)?;
                let took = started.elapsed();
                drop(connection);
                if round > 0 {
                    samples.push(took);
                }
            }
        }
        let name = transport.name();
        report.line(format_args!("{name}, bare"), 1.0, report::time(bare.median()))?;
        let (median, least) = (report::time(stepwell.median()), report::time(stepwell.least()));
        report.line(format_args!("{name}, stepwell serve"), stepwell.over(&bare), &median)?;
        report.note(format_args!("  over {name} it answers {median} after its start, at best {least}"))?;
    }
    Ok(())
}
