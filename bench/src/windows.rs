//! The first claim: a window costs the same wherever it lies and however long its field is.

use crate::Plan;
use crate::shelf::Shelf;
use stepwell_bench::measure::in_turns;
use stepwell_bench::report::{self, Report, count};
use stepwell_contract::budget::DEFAULT_LIMIT;
use stepwell_contract::selector::WindowArguments;

struct Case {
    size: usize,
    place: &'static str,
    offset: u64,
    selected: u64,
}

pub(crate) async fn run(shelf: &Shelf, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let mut cases = Vec::new();
    for &size in plan.fields {
        let total = shelf.client.window(size, at(0)).await?.window.total;
        let last = total.saturating_sub(DEFAULT_LIMIT).get();
        for (place, offset) in [("start", 0), ("middle", last / 2), ("end", last)] {
            shelf.client.take_selected();
            shelf.client.window(size, at(offset)).await?;
            cases.push(Case { size, place, offset, selected: shelf.client.take_selected() });
        }
    }
    let samples = in_turns(plan.windows, &cases, async |case| {
        shelf.client.window(case.size, at(case.offset)).await.map(drop)
    })
    .await?;
    report.heading(
        format_args!("{}: a window of {} chars", shelf.engine, count(DEFAULT_LIMIT.get() as usize)),
        "times the same window at the start of the smallest field; bytes are all that the database selected for it",
    )?;
    for (case, times) in cases.iter().zip(&samples) {
        let what = format!("{}, {}", report::size(case.size), case.place);
        let raw = format!("{}, {} bytes", report::time(times.median()), count(case.selected as usize));
        report.line(what, times.over(&samples[0]), raw)?;
    }
    Ok(())
}

fn at(offset: u64) -> WindowArguments {
    WindowArguments {
        offset_chars: Some(offset),
        limit_chars: Some(DEFAULT_LIMIT.get()),
        ..WindowArguments::default()
    }
}
