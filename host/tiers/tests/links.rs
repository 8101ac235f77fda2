//! Links of several records: in one call from a tier of the second version, record by record from one of the first.

use crate::support::{RUNTIME, place};
use crate::support::{defaults, record, replaced, row, with};
use std::path::Path;
use std::sync::Arc;
use stepwell_contract::{Span, unit};
use stepwell_tiers::{
    EmptyHand, FieldKind, FieldShape, Fields, Invalid, Offer, OnFault, ReadRefusal, RecordShape, Slot,
    Target, TierFault, Tiers,
};
use stepwell_tiers_fixtures::{example, hostile};

const BODIES: [&str; 3] = ["one", "two", "three"];

/// A page of records, whose slots do not start with 0.
fn page() -> Vec<RecordShape> {
    let of = |(slot, body): (u32, &&str)| RecordShape { slot: Slot(slot), ..record(&[("body", body)]) };
    (5..).zip(&BODIES).map(of).collect()
}

/// The bodies of the page, each in its own slot.
struct Page;

impl Fields for Page {
    fn read(&self, slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        assert_eq!(path, "body");
        let body = BODIES.get(slot.0 as usize - 5).ok_or(ReadRefusal::NotInHand)?;
        Ok(unit::slice(body, at).to_owned())
    }

    fn children(&self, slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        assert!((5..8).contains(&slot.0));
        Ok(vec![FieldShape::new(format!("/{pointer}/0"), FieldKind::Text)])
    }
}

fn resources(component: &Path) -> Tiers {
    replaced(component, |config| &mut config.resources.tier)
}

async fn links(tiers: &Tiers, records: Vec<RecordShape>) -> Vec<Result<Vec<Offer>, TierFault>> {
    tiers.resources().unwrap().links(records, &row(), Arc::new(Page)).await
}

fn titles(links: Vec<Result<Vec<Offer>, TierFault>>) -> Vec<String> {
    links.into_iter().flat_map(|links| links.unwrap()).map(|offer| offer.title).collect()
}

fn calls(tiers: &Tiers) -> u64 {
    tiers.status().into_iter().find(|tier| tier.name == "resources").unwrap().calls
}

#[tokio::test]
async fn a_page_is_one_call() {
    let tiers = resources(&hostile("links_at_0_2"));
    let said = "one given two given three given not-in-hand not-in-hand 4";
    assert_eq!(titles(links(&tiers, page()).await), [said; 3]);
    assert_eq!(calls(&tiers), 1);
    assert_eq!(links(&tiers, Vec::new()).await, []);
    assert_eq!(calls(&tiers), 1, "nothing was to be asked");
}

#[tokio::test]
async fn the_first_version_is_asked_record_by_record_and_sees_no_other() {
    let tiers = resources(&hostile("links_at_0_1"));
    let said = BODIES.map(|body| format!("0: {body} not-in-hand given 8"));
    assert_eq!(titles(links(&tiers, page()).await), said);
    assert_eq!(calls(&tiers), 3);
    let parts = tiers.resources().unwrap().layout(page().remove(0), &row(), Arc::new(EmptyHand)).await;
    assert_eq!(parts.unwrap().remove(0).path, "body");
}

#[tokio::test]
async fn with_an_empty_hand_every_import_of_every_version_gives_nothing() {
    let nothing = || vec![RecordShape::new(Slot(5), "messages", Vec::new())];
    for (name, said) in [
        ("links_at_0_1", "0: not-in-hand not-in-hand not-in-hand 10"),
        ("links_at_0_2", "not-in-hand not-in-hand not-in-hand not-in-hand 10"),
    ] {
        // Even a capability that would give something is not asked.
        assert_eq!(titles(links(&resources(&hostile(name)), nothing()).await), [said], "{name}");
    }
}

#[tokio::test]
async fn every_version_is_known_by_what_it_exports() {
    for (component, version) in [
        (hostile("links_at_0_1"), "0.1.0"),
        (hostile("links_at_0_2"), "0.2.0"),
        (example("layout-plain"), "0.2.0"),
    ] {
        let status = resources(&component).status();
        let resources = status.iter().find(|tier| tier.name == "resources").unwrap();
        assert_eq!(resources.wit_version.as_deref(), Some(version), "{}", component.display());
    }
}

#[tokio::test]
async fn an_offer_that_breaks_a_rule_fails_the_whole_page_and_the_next_one_works() {
    for (name, invalid) in [
        ("foreign_link_slot", Invalid::SlotNotInHand(Slot(42))),
        ("foreign_links", Invalid::FieldNotInHand),
        ("many_links", Invalid::TooMany { what: "links", found: 100, most: 64 }),
        ("same_links", Invalid::Duplicate),
    ] {
        let tiers = resources(&hostile(name));
        let fault = Err(TierFault::InvalidOutput(invalid));
        assert_eq!(links(&tiers, page()).await, vec![fault; 3], "{name}");
        let good = links(&defaults(), page()).await;
        let whole = |links: &Result<Vec<Offer>, TierFault>| links.as_ref().unwrap()[0].target.clone();
        assert_eq!(good.iter().map(whole).collect::<Vec<_>>(), [const { Target::WholeRecord }; 3]);
    }
}

#[tokio::test]
async fn where_a_fault_ends_the_request_nobody_else_is_asked() {
    // A preview is no resources tier, so every call ends in the fault of loading it.
    for (policy, asked) in [(OnFault::Fallback, 3), (OnFault::Refuse, 1)] {
        let mut config = with(&hostile("loops"), |config| &mut config.resources.tier);
        config.resources.tier.on_fault = policy.into();
        let tiers = Tiers::load_in(&RUNTIME, &config, &place());
        let answers = links(&tiers, page()).await;
        assert_eq!(answers.len(), 3);
        assert!(answers.iter().all(|answer| matches!(answer, Err(TierFault::WrongWorld(_)))), "{answers:?}");
        assert_eq!(calls(&tiers), asked);
    }
}
