//! Several previews on one page.

use crate::support::{Memory, RUNTIME, place, record, row};
use std::path::Path;
use std::time::Duration;
use stepwell_tiers::{
    Composed, Config, File, Health, OnFault, Origin, PreviewConfig, RecordShape, Rule, Slot, TierFault, Tiers,
};
use stepwell_tiers_fixtures::hostile;

const FIELDS: [(&str, &str); 2] = [("subject", "A subject"), ("body", "And what it is about.")];

/// A page with one record of each stream, in slots that count from 0.
fn page(streams: &[&str]) -> Vec<RecordShape> {
    let shape = |(slot, stream): (usize, &&str)| RecordShape {
        slot: Slot(u32::try_from(slot).unwrap()),
        stream: (*stream).to_owned(),
        ..record(&FIELDS)
    };
    streams.iter().enumerate().map(shape).collect()
}

/// A preview for the streams of one glob: the built-in component, or a guest.
fn preview(name: &str, streams: &str, guest: Option<&str>) -> PreviewConfig {
    let mut tier = Config::default().preview;
    if let Some(guest) = guest {
        tier.component = Origin::File(hostile(guest));
        tier.limits.deadline = Duration::from_millis(200);
    }
    let rule = Rule { streams: Some(vec![streams.to_owned().into()]), ..Rule::default() };
    PreviewConfig { name: name.to_owned(), rule, tier }
}

fn load(previews: Vec<PreviewConfig>) -> Tiers {
    Tiers::load_in(&RUNTIME, &Config { previews, ..Config::default() }, &place())
}

async fn composed(tiers: &Tiers, streams: &[&str]) -> Result<Vec<Composed>, TierFault> {
    tiers.previews().compose(page(streams), &row(), Memory::of(&FIELDS)).await
}

/// Who was asked about each record, and whether it had something to say.
fn told(composed: &[Composed]) -> Vec<(Option<&str>, bool)> {
    composed.iter().map(|one| (one.by.as_deref(), one.sheet.is_some())).collect()
}

fn calls(tiers: &Tiers) -> Vec<(String, u64)> {
    tiers.status().into_iter().filter(|tier| tier.calls > 0).map(|tier| (tier.name, tier.calls)).collect()
}

#[tokio::test]
async fn the_first_rule_that_holds_decides_and_each_preview_is_asked_once() {
    let tiers = load(vec![preview("mail", "mail*", None), preview("all-m", "m*", None)]);
    let streams = ["notes", "mail_b", "memos", "mail_a", "notes"];
    let page = composed(&tiers, &streams).await.unwrap();
    let by = [Some("preview"), Some("mail"), Some("all-m"), Some("mail"), Some("preview")];
    assert_eq!(told(&page), by.map(|name| (name, true)));
    // Every sheet stands where its record does.
    for (slot, one) in page.iter().enumerate() {
        assert_eq!(one.sheet.as_ref().unwrap().slot.0 as usize, slot);
    }
    assert_eq!(calls(&tiers), [("mail".into(), 1), ("all-m".into(), 1), ("preview".into(), 1)]);
    // The budget is the same for each record, whoever is asked: so are the sheets of equal records.
    assert!(page.windows(2).all(|two| {
        let [one, other] = [&two[0], &two[1]].map(|one| one.sheet.as_ref().unwrap());
        (&one.title, &one.lines) == (&other.title, &other.lines)
    }));
    assert_eq!(composed(&tiers, &[]).await.unwrap(), []);
    assert_eq!(calls(&tiers).len(), 3, "nobody is asked about nothing");
}

#[tokio::test]
async fn a_fault_concerns_the_records_of_its_own_preview() {
    for guest in ["traps", "loops", "floods", "memory_bomb", "outside"] {
        let mut bad = preview("bad", "bad", Some(guest));
        let tiers = load(vec![bad.clone()]);
        let page = composed(&tiers, &["good", "bad", "good"]).await.unwrap();
        let good = (Some("preview"), true);
        assert_eq!(told(&page), [good, (Some("bad"), false), good], "{guest}");
        bad.tier.on_fault = OnFault::Refuse.into();
        let tiers = load(vec![bad]);
        assert!(composed(&tiers, &["good", "bad"]).await.is_err(), "{guest}");
        // It is not asked about the others, so it cannot refuse them.
        assert_eq!(told(&composed(&tiers, &["good"]).await.unwrap()), [good], "{guest}");
    }
}

#[tokio::test]
async fn a_preview_cannot_speak_of_another_one_s_records() {
    // It always answers for slot 0, which is in hand for the default preview only.
    let tiers = load(vec![preview("forges", "its-own", Some("forges"))]);
    let page = composed(&tiers, &["other", "its-own"]).await.unwrap();
    assert_eq!(told(&page), [(Some("preview"), true), (Some("forges"), false)]);
    let said = page[0].sheet.clone();
    assert_eq!(said, composed(&load(Vec::new()), &["other"]).await.unwrap().remove(0).sheet);
}

#[tokio::test]
async fn a_preview_that_is_off_is_passed_over_and_one_that_is_broken_is_not() {
    let mut off = preview("off", "*", None);
    off.tier.enabled = false;
    let mut broken = preview("broken", "b*", None);
    broken.tier.component = Origin::File(Path::new("none.wasm").to_owned());
    let mut config = Config { previews: vec![off, broken], ..Config::default() };
    let tiers = Tiers::load_in(&RUNTIME, &config, &place());
    let page = composed(&tiers, &["a", "b"]).await.unwrap();
    assert_eq!(told(&page), [(Some("preview"), true), (Some("broken"), false)]);
    let status = tiers.status();
    assert_eq!(status[0].health, Health::Off);
    assert!(matches!(status[1].health, Health::Broken(_)));
    let listed: Vec<_> = status.iter().map(|tier| (tier.name.as_str(), tier.rule.is_some())).collect();
    let others = [("field-window", false), ("resources", false), ("binary-export", false)];
    assert_eq!(listed, [&[("off", true), ("broken", true), ("preview", false)][..], &others].concat());
    config.preview.enabled = false;
    let tiers = Tiers::load_in(&RUNTIME, &config, &place());
    let page = composed(&tiers, &["a", "b"]).await.unwrap();
    assert_eq!(told(&page), [(None, false), (Some("broken"), false)]);
    assert!(tiers.previews().of(&page_of("a")).is_none());
    assert_eq!(tiers.previews().of(&page_of("b")).unwrap().name(), "broken");
}

fn page_of(stream: &str) -> RecordShape {
    page(&[stream]).remove(0)
}

#[tokio::test]
async fn a_file_says_it_all() {
    let text = format!(
        "[[preview]]\nname = \"bodies\"\nmatch = {{ fields = [\"bo?y\"] }}\ncomponent = {:?}\n",
        hostile("declines")
    );
    let config = Config::read(&File::parse(&text, &|_| None).unwrap()).unwrap();
    let tiers = Tiers::load_in(&RUNTIME, &config, &place());
    let page = composed(&tiers, &["any"]).await.unwrap();
    assert_eq!(told(&page), [(Some("bodies"), false)]);
}
