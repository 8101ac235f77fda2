//! Tools of plugins on a real store: under the caller's grant, and in the owner's ledger.

use crate::ledger_world::Desk;
use crate::world::{World, fields, stream};
use serde_json::{Value, json};
use stepwell_contract::Code;
use stepwell_ladder::{LadderError, LedgerPolicy, PluginTool, ToolResult};
use stepwell_source::grant::StreamRequest;
use stepwell_source::ledger::LedgerEntry;
use stepwell_tiers::{Config, File};
use stepwell_tiers_fixtures::{example, hostile};

crate::on_both_engines!(
    a_tool_reads_what_is_granted_and_the_ledger_knows,
    a_selection_stays_within_the_grant,
    a_field_outside_the_grant_is_not_there,
    records_that_cannot_be_found_are_refused_by_the_argument_s_name,
);

async fn desk(world: &World, streams: Vec<StreamRequest>) -> Desk {
    let limits = "limits = { deadline_ms = 60000 }";
    let text = format!(
        "[[tool]]\nname = \"finder\"\ncomponent = {:?}\n{limits}\n[[tool]]\nname = \"harm\"\ncomponent = {:?}\n{limits}\n",
        example("find-in-field"),
        hostile("tools_harm"),
    );
    let config = Config::read(&File::parse(&text, &|_| None).expect("TOML")).expect("a configuration");
    Desk::with(world, streams, LedgerPolicy::default(), &config).await
}

/// Calls a tool under its own name.
async fn call(desk: &Desk, plugin: &str, name: &str, args: Value) -> ToolResult {
    let tiers = desk.ladder.tiers();
    let tier = tiers.tools().iter().find(|tier| tier.name() == plugin).expect("the plugin");
    let definition = tier.definitions().iter().find(|tool| tool.name == name).expect("the tool").clone();
    let tool = PluginTool { display: name.to_owned(), plugin: plugin.to_owned(), definition };
    desk.ladder.plugin_tool(&desk.asker(), &tool, &args).await
}

fn code(result: ToolResult) -> (Code, Option<String>) {
    match result {
        Err(LadderError::Refused(refusal)) => (refusal.code, refusal.param),
        other => panic!("{other:?}"),
    }
}

/// Of which record and field, which part, and whether any of it was shown.
type Summary<'a> = (Option<&'a str>, Option<&'a str>, Option<(u64, u64)>, bool);

fn summary(entry: &LedgerEntry) -> Summary<'_> {
    let extent = entry.extent.map(|extent| extent.bounds());
    (entry.record.as_deref(), entry.field.as_deref(), extent, entry.bytes > 0)
}

async fn filled(world: World) -> World {
    let body = "one fish, two fish\n".repeat(4_000);
    let mail = |n: u32| json!({ "subject": format!("No {n}"), "body": body, "secret": "hidden fish" });
    world.fill("home/messages", &[("m1", mail(1)), ("m2", mail(2))]).await;
    world.fill("work/messages", &[("m1", mail(3))]).await;
    world.fill("home/secrets", &[("s1", json!({ "body": "a secret" }))]).await;
    world
}

async fn a_tool_reads_what_is_granted_and_the_ledger_knows(world: World) {
    let world = filled(world).await;
    let desk = desk(&world, vec![fields("home", "messages", &["subject", "body"])]).await;
    let args = json!({ "id": "home/messages:m1", "field_path": "body", "q": "FISH" });
    let reply = call(&desk, "finder", "find_in_field", args).await.expect("an answer");
    assert_eq!(reply.structured["data"]["matches"], 8_000);
    assert_eq!(reply.structured["records"], json!([{ "slot": 0, "id": "home/messages:m1" }]));
    assert_eq!(reply.structured["next"]["args"]["id"], "home/messages:m1");
    let entries = desk.new_entries().await;
    let seen: Vec<_> = entries.iter().map(summary).collect();
    let size = 19 * 4_000;
    assert!(seen.contains(&(Some("m1"), None, None, true)), "{seen:?}");
    assert!(seen.contains(&(Some("m1"), Some("body"), Some((0, size)), false)), "{seen:?}");
    assert!(
        entries.iter().all(|entry| entry.tool == "find_in_field" && entry.tier.as_deref() == Some("finder"))
    );
    assert_eq!(entries.len(), 2);
    // The phrase is not in the ledger, and neither is what was found.
    assert!(!desk.dump(&world).await.to_lowercase().contains("fish"));
}

async fn a_selection_stays_within_the_grant(world: World) {
    let world = filled(world).await;
    let desk = desk(&world, vec![fields("home", "messages", &["subject", "body"])]).await;
    let reply = call(&desk, "harm", "imports", json!({ "id": "home/messages:m1" })).await.expect("an answer");
    let told = reply.structured["lines"][0]["text"].as_str().expect("a line");
    let none = "not-in-hand";
    // A stream outside the grant looks like one that does not exist.
    let expected = ["given", none, "not-text", none, "given", none, "other", none, none, "other"];
    assert_eq!(told, expected.join(" "));
    let entries = desk.new_entries().await;
    let mut records: Vec<_> =
        entries.iter().map(|entry| (entry.connection.as_deref(), entry.record.as_deref())).collect();
    records.sort_unstable();
    records.dedup();
    // Both records of the granted connection were in hand; the lines are about none of them.
    let own = (Some("home"), Some("m1"));
    assert_eq!(records, [(None, None), own, (Some("home"), Some("m2"))]);
    let reply = call(&desk, "harm", "selects", json!({})).await.expect("an answer");
    let told = reply.structured["lines"][0]["text"].as_str().expect("a line");
    assert!(told.contains("selections, 2 records, over-allowance"), "{told}");
}

async fn a_field_outside_the_grant_is_not_there(world: World) {
    let world = filled(world).await;
    let desk = desk(&world, vec![fields("home", "messages", &["subject", "body"])]).await;
    for path in ["secret", "none"] {
        let args = json!({ "id": "home/messages:m1", "field_path": path, "q": "fish" });
        let reply = call(&desk, "finder", "find_in_field", args).await.expect("an answer");
        let line = reply.structured["lines"][0]["text"].as_str().expect("a line");
        assert_eq!(line, "no text of that name can be read in this record; fields with text: body, subject");
    }
}

async fn records_that_cannot_be_found_are_refused_by_the_argument_s_name(world: World) {
    let world = filled(world).await;
    let desk = desk(&world, vec![stream("messages")]).await;
    let find = |id: &str| {
        let args = json!({ "id": id, "field_path": "body", "q": "fish" });
        call(&desk, "finder", "find_in_field", args)
    };
    let id = || Some("id".to_owned());
    assert_eq!(code(find("messages").await), (Code::InvalidResultId, id()));
    assert_eq!(code(find("home/messages:m9").await), (Code::NotFound, id()));
    assert_eq!(code(find("home/secrets:s1").await), (Code::GrantStreamNotAllowed, id()));
    assert!(desk.new_entries().await.is_empty());
    let Err(LadderError::Refused(refusal)) = find("messages:m1").await else { panic!("not refused") };
    assert_eq!((refusal.code, refusal.param.as_deref()), (Code::AmbiguousConnection, Some("id")));
    assert!(
        !refusal.extras.contains_key("retry_with")
            && refusal.hint.is_some_and(|hint| hint.contains("before"))
    );
    assert!(find("messages:m2").await.is_ok());
}
