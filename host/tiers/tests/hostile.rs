//! Guests that break the contract: each ends in its typed fault within its deadline, and the next call works.

use crate::support::{Memory, RUNTIME, SHORT, place, record, replaced, row, with};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stepwell_contract::{Chars, Span};
use stepwell_tiers::{
    Asked, BlobShape, Config, Derived, EmptyHand, FieldKind, FieldShape, Fields, GuestRefusal, Health, Hit,
    Invalid, Phase, ReadRefusal, RecordShape, Sheet, Shown, Slot, TierFault, Tiers,
};
use stepwell_tiers_fixtures::hostile;

/// Long enough for the busiest machine, and short enough to tell a call that ended from one that did not.
const PATIENCE: Duration = Duration::from_secs(30);

const FIELDS: [(&str, &str); 2] = [("title", "T"), ("body", "some words of a record")];

async fn compose(tiers: &Tiers) -> Result<Vec<Sheet>, TierFault> {
    let mut shape = record(&FIELDS);
    shape.fields.push(FieldShape::new("photo", FieldKind::Binary));
    tiers.preview().unwrap().compose(vec![shape], &row(), Memory::of(&FIELDS)).await
}

/// Runs a hostile preview, sees that it ends in time, and that a good call right after works.
async fn outcome(name: &str) -> Result<Vec<Sheet>, TierFault> {
    let tiers = replaced(&hostile(name), |config| &mut config.preview);
    outcome_of(&tiers, name).await
}

/// The same for one that is to meet its deadline.
async fn late(name: &str) -> Result<Vec<Sheet>, TierFault> {
    outcome_of(&hurried(name), name).await
}

fn hurried(name: &str) -> Tiers {
    let mut config = with(&hostile(name), |config| &mut config.preview);
    config.preview.limits.deadline = SHORT;
    Tiers::load_in(&RUNTIME, &config, &place())
}

async fn outcome_of(tiers: &Tiers, name: &str) -> Result<Vec<Sheet>, TierFault> {
    let started = Instant::now();
    let outcome = compose(tiers).await;
    assert!(started.elapsed() < PATIENCE, "{name} took {:?}", started.elapsed());
    let good = Tiers::load_in(&RUNTIME, &Config::default(), &place());
    assert_eq!(compose(&good).await.map(|sheets| sheets.len()), Ok(1), "the call after {name}");
    outcome
}

fn said(sheets: Result<Vec<Sheet>, TierFault>) -> String {
    match sheets.unwrap().remove(0).lines.remove(0) {
        Shown::Derived(Derived { text, .. }) => text,
        Shown::Verbatim(_) => panic!("it was to say something of its own"),
    }
}

#[tokio::test]
async fn a_loop_ends_at_its_deadline() {
    for name in ["loops", "endless_log"] {
        assert_eq!(late(name).await, Err(TierFault::Deadline(SHORT)), "{name}");
    }
    assert_eq!(late("loops_at_start").await, Err(TierFault::Instantiate));
}

#[tokio::test]
async fn a_panic_and_a_deep_recursion_are_traps() {
    let Err(TierFault::Trap(panic)) = outcome("traps").await else { panic!("no trap") };
    assert!(panic.contains("unreachable") && !panic.contains("record text"), "{panic}");
    let Err(TierFault::Trap(stack)) = outcome("recursion").await else { panic!("no trap") };
    assert!(stack.contains("stack") || stack.contains("memory"), "{stack}");
}

#[tokio::test]
async fn a_memory_bomb_meets_its_limit() {
    assert_eq!(outcome("memory_bomb").await, Err(TierFault::Memory(64)));
}

#[tokio::test]
async fn too_much_output_is_refused_before_it_is_copied() {
    assert_eq!(outcome("floods").await, Err(TierFault::OutputTooLarge(256)));
    assert_eq!(outcome("huge_request").await, Err(TierFault::OutputTooLarge(256)));
}

#[tokio::test]
async fn what_is_not_in_hand_is_refused_at_the_door() {
    let none = "not-in-hand";
    let expected = [none, none, none, none, "given", none, none].join(" ");
    assert_eq!(said(outcome("outside").await), expected);
}

#[tokio::test]
async fn with_an_empty_hand_every_import_gives_nothing() {
    let tiers = replaced(&hostile("empty_hand"), |config| &mut config.preview);
    let preview = tiers.preview().unwrap();
    let nothing = RecordShape::new(Slot(0), "messages", Vec::new());
    // Even a capability that would give everything is not asked.
    let generous = Memory::of(&[("body", "secret"), ("", "secret")]);
    for fields in [generous as Arc<dyn Fields>, Arc::new(EmptyHand)] {
        let sheets = preview.compose(vec![nothing.clone()], &row(), fields).await;
        assert_eq!(
            said(sheets),
            format!("not-in-hand not-in-hand not-in-hand not-in-hand 10 {}", 512 * 1_024)
        );
    }
    assert_eq!(tiers.status()[0].messages, 2);
}

#[tokio::test]
async fn reads_end_with_the_allowance() {
    assert_eq!(said(outcome("read_flood").await), "10 reads");
}

#[tokio::test]
async fn answers_that_break_a_rule_are_refused() {
    for (name, expected) in [
        ("backwards", Invalid::Backwards),
        ("foreign_slot", Invalid::SlotNotInHand(Slot(42))),
        ("many_lines", Invalid::TooMany { what: "lines", found: 1_000, most: 8 }),
        (
            "past_the_end",
            Invalid::OutsideField {
                at: Span::new(Chars(0), Chars(u64::from(u32::MAX))).unwrap(),
                size: Chars::of(FIELDS[1].1),
            },
        ),
    ] {
        assert_eq!(outcome(name).await, Err(TierFault::InvalidOutput(expected)), "{name}");
    }
}

#[tokio::test]
async fn a_refusal_keeps_nothing_of_what_the_guest_said() {
    let refused = outcome("declines").await.unwrap_err();
    assert_eq!(refused, TierFault::Refused(GuestRefusal::Other));
    assert!(!format!("{refused} {refused:?}").contains("record text"));
}

#[tokio::test]
async fn forged_lines_become_one_harmless_line() {
    let text = said(outcome("forges").await);
    assert_eq!(text, "ok  next: fetch {\"id\":\"x/y:z\"}[2J");
}

#[tokio::test]
async fn forged_addresses_are_text_on_one_line_like_any_other() {
    let sheet = outcome("fake_addresses").await.unwrap().remove(0);
    let labels = sheet.anchors.iter().map(|anchor| &anchor.label);
    for shown in sheet.title.iter().chain(&sheet.lines).chain(labels) {
        let Shown::Derived(Derived { text, .. }) = shown else { panic!("{shown:?}") };
        let is_plain = |c: char| !c.is_control() && !('\u{2028}'..='\u{2069}').contains(&c);
        assert!(text.chars().all(is_plain), "{text:?}");
    }
}

#[tokio::test]
async fn messages_are_counted_and_gone() {
    let tiers = replaced(&hostile("log_spam"), |config| &mut config.preview);
    assert_eq!(said(compose(&tiers).await), "done");
    assert_eq!(tiers.status()[0].messages, 10_000);
}

#[tokio::test]
async fn nothing_is_remembered_from_one_call_to_the_next() {
    let tiers = replaced(&hostile("remembers"), |config| &mut config.preview);
    for _ in 0..20 {
        assert_eq!(said(compose(&tiers).await), "call 1");
    }
}

#[tokio::test]
async fn a_window_that_does_not_advance_is_refused() {
    let tiers = replaced(&hostile("stuck_window"), |config| &mut config.field_window);
    let field = FieldShape::text("body", &"x".repeat(100), Chars(10));
    let hit = Span::new(Chars(5), Chars(8)).unwrap();
    for (asked, rule) in [
        (Asked::Page { offset: Chars(10), limit: Chars(20) }, "advance"),
        (Asked::Back { end: Chars(10), limit: Chars(20) }, "advance"),
        (Asked::Around { hit, before: Chars(5), after: Chars(5), limit: Chars(20) }, "contain the match"),
    ] {
        let window = tiers.window().unwrap();
        let placed = window.place(field.clone(), asked, &row(), Arc::new(EmptyHand)).await;
        let Err(TierFault::InvalidOutput(Invalid::Window { rule: broken, .. })) = placed else {
            panic!("{placed:?}")
        };
        assert_eq!(broken, rule);
    }
}

#[tokio::test]
async fn links_and_parts_stay_in_hand() {
    let tiers = replaced(&hostile("foreign_links"), |config| &mut config.resources.tier);
    let resources = tiers.resources().unwrap();
    let fault = Err(TierFault::InvalidOutput(Invalid::FieldNotInHand));
    let links = resources.links(vec![record(&FIELDS)], &row(), Arc::new(EmptyHand)).await.remove(0);
    assert_eq!(links.map(drop), fault);
    assert_eq!(resources.layout(record(&FIELDS), &row(), Arc::new(EmptyHand)).await.map(drop), fault);
}

#[tokio::test]
async fn a_dangerous_card_is_disarmed() {
    let tiers = replaced(&hostile("dangerous_card"), |config| &mut config.binary_export);
    let (path, options) = ("x".to_owned(), Vec::new());
    let blob = BlobShape { path, mime: None, bytes: None, file_name: None, head: Vec::new(), options };
    let card = tiers.export().unwrap().describe(blob, &row()).await.unwrap();
    assert_eq!(card.file_name, "authorized_keys  X_ y");
    assert_eq!(card.mime, "application/octet-stream");
    assert_eq!(card.note, None);
}

#[tokio::test]
async fn a_slow_source_does_not_hold_the_call_beyond_its_deadline() {
    struct Slow;
    impl Fields for Slow {
        fn read(&self, _: Slot, _: &str, _: Span) -> Result<String, ReadRefusal> {
            std::thread::sleep(Duration::from_millis(150));
            Ok("late".to_owned())
        }
        fn children(&self, _: Slot, _: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
            Err(ReadRefusal::NotInHand)
        }
    }
    let tiers = hurried("read_flood");
    let started = Instant::now();
    let outcome = tiers.preview().unwrap().compose(vec![record(&FIELDS)], &row(), Arc::new(Slow)).await;
    assert_eq!(outcome, Err(TierFault::Deadline(SHORT)));
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_tier_that_keeps_failing_rests_and_is_not_called() {
    let tiers = hurried("loops");
    for _ in 0..3 {
        assert!(matches!(compose(&tiers).await, Err(TierFault::Deadline(_))));
    }
    assert!(matches!(compose(&tiers).await, Err(TierFault::Resting(_))));
    let status = tiers.status().remove(0);
    let in_calls = status.faults.into_iter().find(|(_, count)| *count > 0);
    assert_eq!((status.health, status.calls, in_calls), (Health::Resting, 4, Some((Phase::Call, 3))));
    assert!(matches!(status.last_fault, Some(TierFault::Deadline(_))));
}

#[tokio::test]
async fn many_hostile_calls_leave_room_for_good_ones() {
    let tiers = Arc::new(replaced(&hostile("memory_bomb"), |config| &mut config.preview));
    let calls: Vec<_> = (0..40)
        .map(|_| {
            let tiers = Arc::clone(&tiers);
            tokio::spawn(async move { compose(&tiers).await.is_err() })
        })
        .collect();
    for call in calls {
        assert!(call.await.unwrap());
    }
    let good = Tiers::load_in(&RUNTIME, &Config::default(), &place());
    assert!(compose(&good).await.is_ok());
}

#[tokio::test]
async fn a_hit_that_lies_about_its_place_is_no_fault() {
    let good =
        Tiers::load_in(&RUNTIME, &with(&hostile("loops"), |config| &mut config.resources.tier), &place());
    let mut shape = record(&FIELDS);
    let far = Span::at(Chars(u64::MAX - 9), Chars(9));
    shape.hits = vec![Hit { path: "body".into(), at: Some(far), snippet: None }];
    assert!(good.preview().unwrap().compose(vec![shape], &row(), Memory::of(&FIELDS)).await.is_ok());
}
