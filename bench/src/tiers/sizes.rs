//! A tier that is handed more and more text: what it costs to take it across.

use super::{BYTES, context};
use crate::Plan;
use anyhow::Context as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use stepwell_bench::measure::Samples;
use stepwell_bench::report::{self, Report};
use stepwell_bench::text;
use stepwell_contract::Chars;
use stepwell_sdk::testing as native;
use stepwell_tiers::{EmptyHand, FieldShape, RecordShape, Slot, Tiers};

const SIZES: [usize; 3] = [4_096, 65_536, 1 << 20];

pub(super) async fn run(tiers: &Tiers, plan: Plan, report: &Report) -> anyhow::Result<()> {
    report.heading(
        "tiers: a preview that is handed so much text, in an instance of its own",
        "times the same function compiled for this machine and called directly, with nothing in between or checked",
    )?;
    let tier = tiers.preview().context("no preview tier")?;
    let (context, native_context) =
        (context(), native::context(stepwell_sdk::Purpose::Row, u32::try_from(BYTES)?));
    for size in SIZES {
        let body = text::prose(size, size as u64);
        let field = FieldShape::text("body", &body, Chars(u64::MAX));
        let records = vec![RecordShape::new(Slot(0), "notes", vec![field])];
        let field = stepwell_sdk::FieldShape { head: Some(body.clone()), ..native::text("body", &body) };
        let natives = vec![native::record("notes", vec![field])];
        let reader = native::Memory::default();
        let (mut direct, mut called) = (Samples::default(), Samples::default());
        // A megabyte takes longer; the medians are as good with fewer.
        let rounds = (plan.tier_calls * SIZES[0] / size).max(20);
        for round in 0..=rounds {
            let started = Instant::now();
            black_box(stepwell_tier_preview::compose(black_box(&natives), &native_context, &reader));
            let direct_took = started.elapsed();
            let records = records.clone();
            let started = Instant::now();
            black_box(tier.compose(records, &context, Arc::new(EmptyHand)).await?);
            let called_took = started.elapsed();
            if round > 0 {
                direct.push(direct_took);
                called.push(called_took);
            }
        }
        let what = format!("{} KB", size / 1_024);
        report.line(format_args!("{what}, native"), 1.0, report::time(direct.median()))?;
        let raw = format!("{}, at best {}", report::time(called.median()), report::time(called.least()));
        report.line(format_args!("{what}, tier"), called.over(&direct), raw)?;
    }
    Ok(())
}
