//! Every hostile guest, as its table in `plugins/hostile/README.md` says it.

use crate::support::{Memory, RUNTIME, SHORT, defaults, place, record, row, with};
use std::sync::Arc;
use stepwell_contract::Chars;
use stepwell_tiers::{Asked, BlobShape, Config, EmptyHand, FieldShape, TierConfig, TierFault, Tiers};
use stepwell_tiers_fixtures::{BY_HAND, HOSTILE, hostile};

const TABLE: &str = include_str!("../../../plugins/hostile/README.md");
const FIELDS: [(&str, &str); 2] = [("title", "T"), ("body", "some words of a record")];

/// A guest, the tier that it is for, and how it ends.
fn rows() -> Vec<(&'static str, &'static str, &'static str)> {
    let rows = TABLE.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`'));
        (cells.next().unwrap(), cells.next().unwrap(), cells.next().unwrap())
    })
    .collect()
}

#[test]
fn every_guest_is_in_the_table() {
    // Tools are asked in other ways, and have tests of their own.
    let compiled = HOSTILE.iter().filter(|name| !name.starts_with("tool"));
    let mut known: Vec<_> = compiled.chain(BY_HAND).copied().collect();
    known.sort_unstable();
    assert_eq!(rows().iter().map(|(name, ..)| *name).collect::<Vec<_>>(), known);
    assert!(known.len() >= 24, "{}", known.len());
}

async fn call(tiers: &Tiers, tier: &str) -> Result<(), TierFault> {
    match tier {
        "preview" => {
            let preview = tiers.preview().unwrap();
            preview.compose(vec![record(&FIELDS)], &row(), Memory::of(&FIELDS)).await.map(drop)
        }
        "field-window" => {
            let field = FieldShape::text("body", FIELDS[1].1, Chars(10));
            let asked = Asked::Page { offset: Chars(3), limit: Chars(5) };
            tiers.window().unwrap().place(field, asked, &row(), Arc::new(EmptyHand)).await.map(drop)
        }
        "resources" => {
            let resources = tiers.resources().unwrap();
            resources.links(vec![record(&FIELDS)], &row(), Arc::new(EmptyHand)).await.remove(0).map(drop)
        }
        "binary-export" => {
            let (path, options) = ("x".to_owned(), Vec::new());
            let blob =
                BlobShape { path, mime: None, bytes: None, file_name: None, head: Vec::new(), options };
            tiers.export().unwrap().describe(blob, &row()).await.map(drop)
        }
        other => panic!("the table has an unknown tier {other:?}"),
    }
}

fn tier<'c>(config: &'c mut Config, name: &str) -> &'c mut TierConfig {
    match name {
        "field-window" => &mut config.field_window,
        "resources" => &mut config.resources.tier,
        "binary-export" => &mut config.binary_export,
        _ => &mut config.preview,
    }
}

#[tokio::test]
async fn every_guest_ends_as_the_table_says_and_the_next_call_works() {
    let good = defaults();
    for (name, which, ends) in rows() {
        let mut config = with(&hostile(name), |config| tier(config, which));
        if ["deadline", "instantiate"].contains(&ends) {
            tier(&mut config, which).limits.deadline = SHORT;
        }
        let tiers = Tiers::load_in(&RUNTIME, &config, &place());
        // The second time nothing is new: neither the code nor the pool.
        for _ in 0..2 {
            let outcome = call(&tiers, which).await;
            let found = outcome.as_ref().map_or_else(TierFault::code, |()| "an answer");
            assert_eq!(found, ends, "{name}: {outcome:?}");
            assert_eq!(call(&good, which).await, Ok(()), "the call after {name}");
        }
    }
}
