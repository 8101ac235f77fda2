//! Every question, asked of the store and of the plain tables in turns.

use super::questions::Question;
use super::world::World;
use crate::measure::{Samples, in_turns};
use crate::report::{self, Report, time};
use std::cell::Cell;

/// The times of one question.
#[derive(Debug)]
pub(super) struct Times {
    pub(super) store: Samples,
    pub(super) raw: Samples,
}

#[derive(Clone, Copy, Debug)]
enum Side {
    Store,
    Raw,
}

/// Asks everything so often.
pub(super) async fn measure(
    world: &World,
    questions: &[Question],
    rounds: usize,
    report: &Report,
) -> anyhow::Result<Vec<Times>> {
    for question in questions {
        let (store, raw) = (world.ask(question, 0).await?, world.raw.ask(question, 0).await?);
        if store != raw {
            report
                .note(format_args!("{}: {store} of the store, {raw} of the plain tables", question.what))?;
        }
    }
    let sides = questions.iter().flat_map(|question| [Side::Store, Side::Raw].map(|side| (question, side)));
    let cases: Vec<(&Question, Side, Cell<usize>)> =
        sides.map(|(question, side)| (question, side, Cell::new(0))).collect();
    let samples = in_turns(rounds, &cases, async |(question, side, turn)| {
        turn.set(turn.get() + 1);
        match side {
            Side::Store => world.ask(question, turn.get()).await?,
            Side::Raw => world.raw.ask(question, turn.get()).await?,
        };
        Ok(())
    })
    .await?;
    let pair = |pair: &[Samples]| Times { store: pair[0].clone(), raw: pair[1].clone() };
    Ok(samples.chunks_exact(2).map(pair).collect())
}

/// Prints the ratios of the medians, and those of the shortest times beside them. The store hands each statement to another
/// thread, and on a busy machine a call that does so waits for whatever else runs; a plain table on SQLite is read without. On
/// the other hand a question that is asked with several values is at its best with the easiest of them.
pub(super) fn print(
    engine: &str,
    entries: usize,
    questions: &[Question],
    times: &[Times],
    report: &Report,
) -> anyhow::Result<()> {
    report.heading(
        format_args!("{engine}: questions about {} entries and the documents", report::count(entries)),
        "times the same question in SQL by hand over plain tables, by the medians; both at their best, and the times, in brackets",
    )?;
    for (question, Times { store, raw }) in questions.iter().zip(times) {
        let figures = format!(
            "at best {:.1}×; p50 {}, p95 {}, least {}; plain p50 {}, p95 {}, least {}",
            store.at_best_over(raw),
            time(store.median()),
            time(store.slow()),
            time(store.least()),
            time(raw.median()),
            time(raw.slow()),
            time(raw.least()),
        );
        report.line(question.what, store.over(raw), figures)?;
    }
    Ok(())
}
