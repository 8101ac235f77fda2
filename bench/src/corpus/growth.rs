//! One store that grows: the same questions at each size.

use super::Plan;
use super::library::Library;
use super::questions::Question;
use super::versus::{self, Times};
use super::world::World;
use crate::engine::Engine;
use crate::measure::Samples;
use crate::report::{Report, count, time};

/// From this size on questions are asked less often: what costs more with size costs much there.
const LARGE: usize = 500_000;

pub(super) async fn run(
    engine: &Engine,
    library: &Library,
    plan: Plan,
    report: &Report,
) -> anyhow::Result<()> {
    let questions = Question::all(library);
    let mut world = World::new(engine, library).await?;
    let mut history: Vec<Vec<Times>> = Vec::new();
    for &size in plan.sizes {
        world.grow(library, size).await?;
        if size > library.entries.len() {
            let times = size as f64 / library.entries.len() as f64;
            report.note(format_args!("\neach entry comes {times:.1} times, under as many keys"))?;
        }
        let rounds = if size < LARGE { plan.rounds } else { plan.rounds.div_ceil(3) };
        let times = versus::measure(&world, &questions, rounds, report).await?;
        versus::print(engine.name(), size, &questions, &times, report)?;
        history.push(times);
    }
    let [smallest, .., largest] = plan.sizes else { return Ok(()) };
    report.heading(
        format_args!("{}: from {} to {} entries", engine.name(), count(*smallest), count(*largest)),
        "times the same question at the smallest size, by the medians; the shortest times in brackets",
    )?;
    for (index, question) in questions.iter().enumerate() {
        let at_each = |of: fn(&Times) -> &Samples| -> Vec<&Samples> {
            history.iter().filter_map(|times| times.get(index).map(of)).collect()
        };
        let growth = |samples: &[&Samples], over: fn(&Samples, &Samples) -> f64| match samples {
            [first, .., last] => over(last, first),
            _ => 1.0,
        };
        let (store, raw) = (at_each(|times| &times.store), at_each(|times| &times.raw));
        let times: Vec<String> = store.iter().map(|samples| time(samples.median())).collect();
        let figures = format!(
            "p50 {}; at best {:.1}×; plain tables {:.1}×, at best {:.1}×",
            times.join(" → "),
            growth(&store, Samples::at_best_over),
            growth(&raw, Samples::over),
            growth(&raw, Samples::at_best_over),
        );
        report.line(question.what, growth(&store, Samples::over), figures)?;
    }
    Ok(())
}
