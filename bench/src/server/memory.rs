//! How much memory a server holds.

use super::calls::{constant, requests};
use super::connection::{Connection, Request};
use super::{Kind, Stage, Transport};
use crate::Plan;
use stepwell_bench::report::{self, Report, count};
use stepwell_testkit::rss_kb;

pub(super) fn run(stage: &Stage, plan: Plan, report: &Report) -> anyhow::Result<()> {
    report.heading("server: resident memory over stdio", "times a bare server of the same library")?;
    let bare = held(stage, Kind::Bare, &[constant()], plan.many_calls)?;
    let calls: Vec<_> = requests(stage).into_iter().map(|(_, request)| request).collect();
    let stepwell = held(stage, Kind::Stepwell, &calls, plan.many_calls)?;
    let (Some(bare), Some(stepwell)) = (bare, stepwell) else {
        return report.note("  this system does not tell");
    };
    let calls = format!("after {} calls", count(plan.many_calls));
    for (what, bare, stepwell) in
        [("after initialize", bare.idle, stepwell.idle), (calls.as_str(), bare.busy, stepwell.busy)]
    {
        let raw = format!("{}, bare {}", report::size(stepwell), report::size(bare));
        report.line(what, stepwell as f64 / bare as f64, raw)?;
    }
    Ok(())
}

/// The bytes that a process held.
struct Held {
    idle: usize,
    busy: usize,
}

/// Looks at a server before and after calls, which take turns. A system that does not tell gives nothing.
fn held(stage: &Stage, kind: Kind, requests: &[Request], calls: usize) -> anyhow::Result<Option<Held>> {
    let connection = Connection::open(stage, kind, Transport::Stdio)?;
    let resident = || rss_kb(connection.pid()).map(|kb| kb as usize * 1_024);
    let idle = resident();
    for request in requests.iter().cycle().take(calls) {
        connection.ask(request)?;
    }
    Ok(idle.zip(resident()).map(|(idle, busy)| Held { idle, busy }))
}
