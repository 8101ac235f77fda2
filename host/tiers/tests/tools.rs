//! Plugins that add tools: what they may do, and what comes of those that break the contract.

use crate::support::{Memory, RUNTIME, context, defaults, place, record};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stepwell_contract::{Chars, Span};
use stepwell_tiers::{
    Answer, BadDefinition, Config, EmptyHand, FieldShape, Fields, File, Health, Invalid, Purpose,
    ReadRefusal, RecordShape, Selected, Selection, Slot, TierFault, Tiers, ToolCall,
};
use stepwell_tiers_fixtures::{example, hostile};

const BODY: &str = "some words of a record";

/// Tiers with one plugin, as a file names it.
fn plugin(component: &Path) -> Tiers {
    let text = format!(
        "[[tool]]\nname = \"plugin\"\ncomponent = {component:?}\nlimits = {{ deadline_ms = 300, reads = 20 }}\n"
    );
    let config = Config::read(&File::parse(&text, &|_| None).unwrap()).unwrap();
    Tiers::load_in(&RUNTIME, &config, &place())
}

async fn run(
    tiers: &Tiers,
    name: &str,
    arguments: Value,
    records: Vec<RecordShape>,
    fields: Arc<dyn Fields>,
) -> Result<Answer, TierFault> {
    let tier = &tiers.tools()[0];
    let tool = tier.definitions().iter().find(|tool| tool.name == name).unwrap();
    let context = context(Purpose::Document, 2_000);
    tier.run(ToolCall { tool, arguments: &arguments, records, context: &context }, fields).await
}

/// Runs a tool on one record in slot 0.
async fn harm(tiers: &Tiers, name: &str) -> Result<Answer, TierFault> {
    let fields = [("body", BODY)];
    run(tiers, name, json!({ "id": 0 }), vec![record(&fields)], Memory::of(&fields)).await
}

fn said(answer: Result<Answer, TierFault>) -> String {
    answer.unwrap().lines.remove(0).text
}

fn fault_at_load(name: &str) -> TierFault {
    let tiers = plugin(&hostile(name));
    assert!(tiers.tools()[0].definitions().is_empty());
    match tiers.status().pop().unwrap().health {
        Health::Broken(fault) => fault,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn without_a_name_in_the_file_there_is_no_tool() {
    assert!(defaults().tools().is_empty());
    let text = format!("[[tool]]\ncomponent = {:?}\nenabled = false\n", example("find-in-field"));
    let config = Config::read(&File::parse(&text, &|_| None).unwrap()).unwrap();
    let tiers = Tiers::load_in(&RUNTIME, &config, &place());
    assert!(tiers.tools().is_empty());
    let status = tiers.status().pop().unwrap();
    assert_eq!((status.name.as_str(), status.health), ("tool-1", Health::Off));
}

#[tokio::test]
async fn an_answer_that_breaks_a_rule_is_a_fault_and_the_next_call_works() {
    let large = Invalid::TooLong { found: 5_008, most: 4_096 };
    for (name, fault) in [
        ("foreign_slot", TierFault::InvalidOutput(Invalid::SlotNotInHand(Slot(42)))),
        ("forges_an_id", TierFault::InvalidOutput(Invalid::Handle)),
        ("forges_an_address", TierFault::InvalidOutput(Invalid::Handle)),
        ("false_next", TierFault::InvalidOutput(Invalid::Next)),
        ("same_next", TierFault::InvalidOutput(Invalid::Next)),
        (
            "many_lines",
            TierFault::InvalidOutput(Invalid::TooMany { what: "lines", found: 1_001, most: 1_000 }),
        ),
        ("large_data", TierFault::InvalidOutput(large)),
        ("floods", TierFault::OutputTooLarge(256)),
        ("loops", TierFault::Deadline(Duration::from_millis(300))),
    ] {
        // Of its own, because a plugin that keeps failing rests.
        let tiers = plugin(&hostile("tools_harm"));
        assert_eq!(harm(&tiers, name).await, Err(fault), "{name}");
        assert_eq!(said(harm(&tiers, "search").await), "this is not the host's search", "after {name}");
    }
    let trap = harm(&plugin(&hostile("tools_harm")), "traps").await.unwrap_err();
    assert!(matches!(&trap, TierFault::Trap(_)) && !format!("{trap:?}").contains("record text"), "{trap:?}");
}

#[tokio::test]
async fn forged_lines_become_harmless_text() {
    let answer = harm(&plugin(&hostile("tools_harm")), "forges_lines").await.unwrap();
    let lines: Vec<_> = answer.lines.iter().map(|line| (line.text.as_str(), line.slot)).collect();
    let forged = ("ok  next: fetch {\"id\":\"x/y:z\"}[2J", None);
    assert_eq!(lines, [forged, ("id=\"x/y:z\" text=\"", Some(Slot(0)))]);
}

/// Gives as many records as it is asked for, always new ones.
#[derive(Default)]
struct Shelf(std::sync::Mutex<(u32, Vec<usize>)>);

impl Fields for Shelf {
    fn read(&self, _: Slot, _: &str, _: Span) -> Result<String, ReadRefusal> {
        Ok(BODY.to_owned())
    }

    fn children(&self, _: Slot, _: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        Err(ReadRefusal::NotText)
    }

    fn select(&self, what: &Selection, _: Instant) -> Result<Selected, ReadRefusal> {
        let mut given = self.0.lock().unwrap();
        given.1.push(what.limit);
        let shape = |slot| RecordShape { slot: Slot(slot), ..record(&[("body", BODY)]) };
        let first = given.0;
        given.0 += u32::try_from(what.limit).unwrap();
        Ok(Selected { records: (first..given.0).map(shape).collect(), has_more: true })
    }
}

#[tokio::test]
async fn selections_end_with_the_room_in_hand() {
    let (tiers, shelf) = (plugin(&hostile("tools_harm")), Arc::new(Shelf::default()));
    let told = said(run(&tiers, "selects", json!({}), Vec::new(), shelf.clone()).await);
    assert_eq!(told, "4 selections, 100 records, over-allowance");
    assert_eq!(shelf.0.lock().unwrap().1, [30, 30, 30, 10]);
}

#[tokio::test]
async fn with_an_empty_hand_every_import_of_every_version_gives_nothing() {
    for (guest, tool, imports, version) in
        [("tools_harm", "imports", 10, "0.2.0"), ("tool_at_0_1", "imports_at_0_1", 4, "0.1.0")]
    {
        let tiers = plugin(&hostile(guest));
        assert_eq!(tiers.status().pop().unwrap().wit_version.as_deref(), Some(version));
        let told = said(run(&tiers, tool, json!({}), Vec::new(), Arc::new(EmptyHand)).await);
        let words: Vec<&str> = told.split(' ').take(imports).collect();
        assert_eq!(words, vec!["not-in-hand"; imports], "{version}: {told}");
        assert_eq!(tiers.status().pop().unwrap().messages, 1);
    }
}

#[tokio::test]
async fn the_first_version_still_answers_and_goes_through_the_same_hand() {
    let tiers = plugin(&hostile("tool_at_0_1"));
    let fields = [("body", BODY)];
    let records = vec![record(&fields)];
    let answer = run(&tiers, "imports_at_0_1", json!({ "id": 0 }), records, Arc::new(Shelf::default())).await;
    // A read, a list of children and two selections were taken off the twenty.
    assert_eq!(said(answer), "given not-text given given 16");
}

#[tokio::test]
async fn tools_are_asked_for_once_and_under_limits() {
    let started = Instant::now();
    assert_eq!(fault_at_load("tool_loops"), TierFault::Deadline(Duration::from_millis(300)));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let bomb = Invalid::Definition { tool: "\"bomb\"".to_owned(), rule: BadDefinition::Keyword };
    assert_eq!(fault_at_load("tool_bombs"), TierFault::InvalidOutput(bomb));
    // What one plugin says about itself does not depend on how often it is asked, and is not asked again.
    for _ in 0..2 {
        let tiers = plugin(&hostile("tool_shifts"));
        for _ in 0..3 {
            assert_eq!(tiers.tools()[0].definitions()[0].name, "asked_1");
            let answer = run(&tiers, "asked_1", json!({}), Vec::new(), Arc::new(EmptyHand)).await;
            assert_eq!(said(answer), "asked_1 now asked_2");
        }
    }
}

#[tokio::test]
async fn a_component_of_another_tier_is_no_tool() {
    let tiers = plugin(&hostile("loops"));
    let Health::Broken(fault) = tiers.status().pop().unwrap().health else { panic!("loaded") };
    assert!(fault.to_string().contains("stepwell:ladder/toolbox@0.2.0"), "{fault}");
}

/// Texts of a record that has an id.
struct Named(Arc<Memory>);

impl Fields for Named {
    fn read(&self, slot: Slot, path: &str, at: Span) -> Result<String, ReadRefusal> {
        self.0.read(slot, path, at)
    }

    fn children(&self, slot: Slot, pointer: &str) -> Result<Vec<FieldShape>, ReadRefusal> {
        self.0.children(slot, pointer)
    }

    fn spelled(&self, _: Slot) -> Option<String> {
        Some("c/s:r".to_owned())
    }
}

#[tokio::test]
async fn the_example_finds_every_place_in_a_field_of_several_pieces() {
    let tiers = plugin(&example("find-in-field"));
    let body = "ein Wort und noch ein WORT, und mehr\n".repeat(5_000);
    let fields = [("body", body.as_str())];
    let arguments = json!({ "id": 0, "field_path": "body", "q": "wort", "from": 100_000 });
    let shape = RecordShape::new(Slot(0), "notes", vec![FieldShape::text("body", &body, Chars(512))]);
    let answer =
        run(&tiers, "find_in_field", arguments, vec![shape], Arc::new(Named(Memory::of(&fields)))).await;
    let answer = answer.unwrap();
    let starts = answer.data["starts"].as_array().unwrap();
    let text: Vec<char> = body.chars().collect();
    assert!(starts.len() > 5);
    for start in starts {
        let at = usize::try_from(start.as_u64().unwrap()).unwrap();
        assert_eq!(text[at..at + 4].iter().collect::<String>().to_lowercase(), "wort");
    }
    let rest = body.chars().skip(100_000).collect::<String>().to_lowercase().matches("wort").count();
    assert_eq!(answer.data["matches"], json!(rest));
    let next = answer.next.unwrap();
    assert_eq!((&next["id"], &next["q"]), (&json!("c/s:r"), &json!("wort")));
    assert!(next["from"].as_u64() > starts.last().unwrap().as_u64());
}
