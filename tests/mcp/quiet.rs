//! The log never holds a token, a question or what a record says.

use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::json;
use stepwell_sample::known;
use stepwell_tiers_fixtures::hostile;

#[test]
fn the_log_names_no_content_however_much_it_says() {
    let world = World::shared();
    for era in [Era::Legacy, Era::Modern] {
        let mut session = Stdio::open(world, &world.all, era, &["--log", "debug"]);
        let place = known::ROOF_QUOTE;
        for (tool, arguments) in [
            ("search", json!({ "q": "roofer wombat-secret" })),
            ("search", json!({ "q": 7, "wombat-secret": 1 })),
            ("fetch", json!({ "id": place.id() })),
            (
                "read_record_field",
                json!({ "id": place.id(), "field_path": place.field, "q": "wombat-secret" }),
            ),
            (
                "read_record_field",
                json!({ "id": place.id(), "field_path": place.field, "q": known::ROOF_QUOTE_EUR }),
            ),
        ] {
            session.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        }
        session.ask("resources/read", json!({ "uri": "pdpp://record/wombat-secret" }));
        session.ask("wombat-secret", json!({}));
        let (_, _, log) = session.close();
        assert!(log.contains("search"), "it says that there was a call: {log}");
        let token = World::token(&world.all);
        for secret in [token.as_str(), "wombat-secret", known::ROOF_QUOTE_EUR] {
            assert!(!log.contains(secret), "{secret}: {log}");
        }
    }
}

#[test]
fn what_a_tier_says_reaches_neither_the_log_nor_the_client() {
    let world = World::shared();
    let place = known::ROOF_QUOTE;
    for (guest, on_fault) in [
        ("tattles", "refuse"),
        ("tattles", "fallback"),
        ("traps", "refuse"),
        ("declines", "refuse"),
        ("log_spam", "refuse"),
    ] {
        let text = format!("[tiers.preview]\ncomponent = {:?}\non_fault = \"{on_fault}\"\n", hostile(guest));
        let config = world.store.file(&format!("says-{guest}-{on_fault}.toml"), text);
        let mut session =
            Stdio::open(world, &world.all, Era::Modern, &["--log", "debug", "--config", &config]);
        let call = json!({ "name": "fetch", "arguments": { "id": place.id() } });
        let replies: Vec<_> = (0..5).map(|_| session.ask("tools/call", call.clone())).collect();
        let is_refused = replies.iter().all(|reply| reply["result"]["isError"] == true);
        assert_eq!(is_refused, on_fault == "refuse" && guest != "log_spam", "{guest}: {replies:?}");
        if is_refused {
            let shown = json!(replies).to_string();
            assert!(!shown.contains(known::ROOF_QUOTE_EUR) && !shown.contains("must not get out"), "{shown}");
        }
        let (_, _, log) = session.close();
        assert!(log.contains("fetch"), "{log}");
        assert!(log.contains("tier counters tier=\"preview\" calls="), "{log}");
        for secret in [known::ROOF_QUOTE_EUR, "must not get out"] {
            assert!(!log.contains(secret), "{guest}: {log}");
        }
    }
}

#[test]
fn a_fault_is_one_line_with_its_phase_and_says_when_the_tier_rests() {
    let world = World::shared();
    let text =
        format!("[tiers.preview]\ncomponent = {:?}\non_fault = {{ call = \"refuse\" }}\n", hostile("traps"));
    let config = world.store.file("one-line.toml", text);
    let mut session = Stdio::open(world, &world.all, Era::Modern, &["--config", &config]);
    let call = json!({ "name": "fetch", "arguments": { "id": known::ROOF_QUOTE.id() } });
    for _ in 0..5 {
        let reply = session.ask("tools/call", call.clone());
        assert_eq!(reply["result"]["isError"], true, "{reply}");
    }
    let (_, _, log) = session.close();
    // The first line is about the lock: nobody accepted this component.
    let (unlocked, lines): (Vec<&str>, Vec<&str>) =
        log.lines().partition(|line| line.contains("plugins.lock"));
    assert_eq!((unlocked.len(), lines.len()), (1, 3), "two calls found it resting: {log}");
    for line in &lines {
        assert!(line.contains("tier=\"preview\" phase=\"call\" code=\"trap\""), "{line}");
    }
    assert!(lines[2].contains("it rests for 1s") && !lines[1].contains("rests"), "{log}");
}
