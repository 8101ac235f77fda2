//! What it costs that a tier is a WebAssembly component: the default ones, against the same functions called natively.

mod native;
mod share;
mod sizes;
mod start;

use crate::Plan;
use anyhow::Context as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use stepwell_bench::measure::Samples;
use stepwell_bench::report::{self, Report};
use stepwell_contract::{Bytes, Chars, Span};
use stepwell_sample::known;
use stepwell_sdk::testing;
use stepwell_tiers::{
    Asked, Budget, Config, Context, EmptyHand, FieldShape, Place, Purpose, RecordShape, Slot, Tiers,
};

/// A page of search results.
const RECORDS: usize = 10;
/// What each of them may show.
const BYTES: u64 = 400;
/// How much of a text a shape carries, as the server does it.
const HEAD: Chars = Chars(512);
/// A native call that takes nanoseconds is timed by so many at once.
const AT_ONCE: u32 = 1_000;

pub(crate) async fn run(stepwell: PathBuf, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let tiers = Tiers::load(&Config::default(), &Place::default())?;
    report.heading(
        "tiers: a call of a default tier, in an instance of its own",
        "times the same function compiled for this machine and called directly, with nothing in between or checked",
    )?;
    preview(&tiers, plan, report).await?;
    window(&tiers, plan, report).await?;
    let mut hop = Samples::default();
    for _ in 0..plan.tier_calls {
        let started = Instant::now();
        tokio::task::spawn_blocking(|| ()).await?;
        hop.push(started.elapsed());
    }
    let hop = report::time(hop.median());
    report.note(format_args!(
        "  a call that reads or lasts hops to another thread and back, which alone takes {hop}"
    ))?;
    sizes::run(&tiers, plan, report).await?;
    share::run(plan, report).await?;
    start::run(plan, report)?;
    native::run(stepwell, plan, report).await
}

async fn preview(tiers: &Tiers, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let tier = tiers.preview().context("no preview tier")?;
    let texts = texts();
    let shapes: Vec<_> = texts.iter().zip(0..).map(|(fields, slot)| shape(fields, slot)).collect();
    let natives: Vec<_> = texts.iter().zip(0..).map(|(fields, slot)| native_shape(fields, slot)).collect();
    let (context, native_context) = (context(), testing::context(stepwell_sdk::Purpose::Row, BYTES as u32));
    // The heads say all that a row shows, so nothing is read.
    let reader = testing::Memory::default();
    let (mut direct, mut called) = (Samples::default(), Samples::default());
    for round in 0..=plan.tier_calls {
        let started = Instant::now();
        let expected =
            black_box(stepwell_tier_preview::compose(black_box(&natives), &native_context, &reader));
        let direct_took = started.elapsed();
        let shapes = shapes.clone();
        let started = Instant::now();
        let sheets = black_box(tier.compose(shapes, &context, Arc::new(EmptyHand)).await?);
        let called_took = started.elapsed();
        if round > 0 {
            direct.push(direct_took);
            called.push(called_took);
            continue;
        }
        let shown: usize = sheets.iter().map(|sheet| sheet.lines.len()).sum();
        let expected: usize = expected.iter().map(|sheet| sheet.lines.len()).sum();
        anyhow::ensure!(shown == expected, "the tier and its native twin composed different previews");
    }
    let what = format!("preview of {RECORDS} rows");
    report.line(format_args!("{what}, native"), 1.0, report::time(direct.median()))?;
    report.line(format_args!("{what}, tier"), called.over(&direct), report::time(called.median()))
}

async fn window(tiers: &Tiers, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let tier = tiers.window().context("no field-window tier")?;
    let text = "some words ".repeat(10_000);
    let (field, native_field) = (FieldShape::text("body", &text, HEAD), testing::text("body", &text));
    let asked = Asked::Page { offset: Chars(4_096), limit: Chars(4_096) };
    let page = stepwell_sdk::field_window::Page { offset: 4_096, limit: 4_096 };
    let native_asked = stepwell_sdk::field_window::Asked::Page(page);
    let context = context();
    let (mut direct, mut called) = (Samples::default(), Samples::default());
    for round in 0..=plan.tier_calls {
        let started = Instant::now();
        for _ in 0..AT_ONCE {
            let placed =
                stepwell_tier_field_window::place(black_box(&native_field), black_box(&native_asked));
            black_box(placed).ok().context("no window")?;
        }
        let direct_took = started.elapsed() / AT_ONCE;
        let field = field.clone();
        let started = Instant::now();
        let placed = tier.place(field, asked, &context, Arc::new(EmptyHand)).await?;
        let called_took = started.elapsed();
        anyhow::ensure!(placed == Span::at(Chars(4_096), Chars(4_096)), "another window than asked for");
        if round > 0 {
            direct.push(direct_took);
            called.push(called_took);
        }
    }
    report.line("place of a window, native", 1.0, report::time(direct.median()))?;
    report.line("place of a window, tier", called.over(&direct), report::time(called.median()))
}

/// The texts of some of the sample's messages.
fn texts() -> Vec<Vec<(String, String)>> {
    let connections = stepwell_sample::connections();
    let streams = connections.iter().flat_map(|connection| &connection.streams);
    let records = streams.filter(|stream| stream.name == known::MESSAGES).flat_map(|stream| &stream.records);
    let short = records.filter(|record| record.data.to_string().len() < 4_000);
    let texts = |data: &serde_json::Value| {
        let fields = data.as_object().into_iter().flatten();
        fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    };
    short.take(RECORDS).map(|record| texts(&record.data)).collect()
}

fn shape(fields: &[(String, String)], slot: u32) -> RecordShape {
    let fields = fields.iter().map(|(name, text)| FieldShape::text(name, text, HEAD));
    RecordShape::new(Slot(slot), known::MESSAGES, fields.collect())
}

fn native_shape(fields: &[(String, String)], slot: u32) -> stepwell_sdk::RecordShape {
    let fields = fields.iter().map(|(name, text)| testing::text(name, text));
    stepwell_sdk::RecordShape { slot, ..testing::record(known::MESSAGES, fields.collect()) }
}

fn context() -> Context {
    let budget = Budget { bytes: Bytes(BYTES), lines: 8, anchors: 20 };
    Context::new(Purpose::Row, budget, "2026-01-01T00:00:00Z")
}
