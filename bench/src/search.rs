//! `q` at the end of a long field, against looking for the same phrase in memory.

use crate::Plan;
use crate::shelf::Shelf;
use anyhow::Context as _;
use memchr::memmem;
use std::hint::black_box;
use stepwell_bench::measure::in_turns;
use stepwell_bench::report::{self, Report};
use stepwell_bench::text::{PHRASE, prose};
use stepwell_contract::Chars;
use stepwell_contract::selector::WindowArguments;
use stepwell_source::scan::Scanner;

#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// The phrase as it is, bytes in memory: the least that anyone could do.
    Bytes,
    /// The same letters whatever their case, text in memory: what `q` promises, without a store.
    Folded,
    /// The tool's `q`: grant, chunks, carry across their borders, and a window around the match.
    Window,
}

pub(crate) async fn run(shelf: &Shelf, plan: Plan, report: &Report) -> anyhow::Result<()> {
    report.heading(
        format_args!("{}: q with its only match at the end of the field", shelf.engine),
        "times a bare byte search (memmem) over the same text in memory; q also folds case",
    )?;
    for &size in plan.fields.iter().filter(|&&size| size >= 1_000_000) {
        let text = prose(size, size as u64);
        let samples = in_turns(plan.searches, &[Way::Bytes, Way::Folded, Way::Window], async |way| {
            look(shelf, size, &text, *way).await
        })
        .await?;
        let [bytes, folded, window] = &samples[..] else { continue };
        let shown = report::size(size);
        let raw = |samples: &stepwell_bench::measure::Samples| {
            let rate = size as f64 / 1e6 / samples.median().as_secs_f64();
            format!("{}, {rate:.0} MB/s", report::time(samples.median()))
        };
        report.line(format_args!("{shown}, bytes in memory"), 1.0, raw(bytes))?;
        report.line(format_args!("{shown}, folded in memory"), folded.over(bytes), raw(folded))?;
        report.line(format_args!("{shown}, q through the store"), window.over(bytes), raw(window))?;
    }
    Ok(())
}

async fn look(shelf: &Shelf, size: usize, text: &str, way: Way) -> anyhow::Result<()> {
    match way {
        Way::Bytes => drop(black_box(memmem::find(text.as_bytes(), PHRASE.as_bytes())).context("no match")?),
        Way::Folded => {
            let mut scanner = Scanner::new(PHRASE, Chars::ZERO).context("no scanner")?;
            black_box(scanner.feed(text)).context("no match")?;
        }
        Way::Window => {
            let q = Some(PHRASE.to_lowercase());
            let window =
                shelf.client.window(size, WindowArguments { q, ..WindowArguments::default() }).await?;
            black_box(window.hit).context("no match")?;
        }
    }
    Ok(())
}
