//! Several servers on one store: a cursor of one works at another, also while the key is rotated.

use crate::contract::desk::{Desk, text};
use crate::mcp::http::Http;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use crate::program::Store;
use serde_json::{Value, json};
use std::cell::Cell;

const ID: &str = "home/notes:n1";

fn world() -> World {
    World::of(&[("home/notes".to_owned(), vec![("n1".to_owned(), json!({ "body": "word ".repeat(9_000) }))])])
}

fn first_cursor(desk: &mut Desk) -> String {
    let window = desk.result("read_record_field", &json!({ "id": ID, "field_path": "body" }));
    window["structuredContent"]["window"]["next_cursor"].as_str().unwrap().to_owned()
}

fn go_on(desk: &mut Desk, cursor: &str) -> Value {
    desk.call("read_record_field", &json!({ "id": ID, "field_path": "body", "cursor": cursor }))
}

#[test]
fn a_cursor_outlives_one_rotation_on_every_replica() {
    let world = world();
    let (mut old, mut other) = (Desk::open(&world, ""), Desk::open(&world, ""));
    let before = first_cursor(&mut old);
    assert!(go_on(&mut other, &before)["isError"] != true, "a replica opens it");
    world.store.run(&["store", "rotate-key"]).assert_code(0);
    let mut new = Desk::open(&world, "");
    assert!(go_on(&mut new, &before)["isError"] != true, "the key before still opens");
    let after = first_cursor(&mut new);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert!(go_on(&mut old, &after)["isError"] != true, "a server that was running finds the new key");
    world.store.run(&["store", "rotate-key", "--json"]).assert_code(0);
    let mut newest = Desk::open(&world, "");
    assert!(go_on(&mut newest, &after)["isError"] != true);
    let refused = go_on(&mut newest, &before);
    assert!(text(&refused).starts_with("invalid_cursor: "), "two rotations later: {refused}");
}

#[cfg(unix)]
#[test]
fn keys_may_come_from_the_configuration() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world();
    let keys = world.store.file("keys", "5a".repeat(32));
    std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o600)).unwrap();
    let config = "[server]\ncursor_keys = \"keys\"\n";
    let (mut one, mut two) = (Desk::open(&world, config), Desk::open(&world, config));
    let cursor = first_cursor(&mut one);
    assert!(go_on(&mut two, &cursor)["isError"] != true);
    let mut stranger = Desk::open(&world, "");
    assert!(text(&go_on(&mut stranger, &cursor)).starts_with("invalid_cursor: "));
}

/// Two processes on one Postgres, behind what would be a load balancer that is as unhelpful as it can be: every request
/// goes to the one that did not answer the last.
struct Replicas {
    world: World,
    both: [Http; 2],
    turn: Cell<usize>,
}

impl Replicas {
    fn start() -> Self {
        let store = Store::postgres();
        let note = |number: usize| {
            let body = format!("heron number {number} 🦢 ") + &"Zürich 日本 word ".repeat(1_500);
            let data = json!({ "title": format!("Note {number}"), "body": body });
            json!({ "key": format!("n{number}"), "data": data, "emitted_at": format!("2025-06-{number:02}T00:00:00Z") })
        };
        let lines: Vec<String> = (1..=NOTES).map(|number| note(number).to_string()).collect();
        store.ingest("home/notes", &lines.join("\n"));
        let all = store.grant(&["--stream", "notes"]);
        let world = World { store, all };
        let both = [(), ()].map(|()| Http::open(&world, &world.all, &[]));
        Self { world, both, turn: Cell::new(0) }
    }

    /// Calls a tool at the other replica.
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let turn = self.turn.replace(self.turn.get() + 1);
        // The eras change at half the pace, so that each replica meets both.
        let era = if (turn / 2).is_multiple_of(2) { Era::Modern } else { Era::Legacy };
        let params = json!({ "name": tool, "arguments": arguments });
        let mut reply = self.both[turn % 2].ask(era, "tools/call", params);
        assert!(reply.get("error").is_none(), "{tool} {arguments}: {reply}");
        reply["result"].take()
    }

    #[track_caller]
    fn result(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, &arguments);
        assert!(result["isError"] != true, "{tool} {arguments}: {}", text(&result));
        result["structuredContent"].clone()
    }

    /// Follows `next_cursor` to the end, and gives what stands under a name in each row.
    fn pages(&self, tool: &str, mut arguments: Value, name: &str) -> (Vec<String>, Value) {
        let mut found = Vec::new();
        loop {
            let data = self.result(tool, arguments.clone())["data"].take();
            let rows = data["data"].as_array().expect("rows");
            found.extend(rows.iter().map(|row| row[name].as_str().expect("a key").to_owned()));
            match data["next_cursor"].as_str() {
                Some(cursor) => arguments["cursor"] = json!(cursor),
                None => return (found, data),
            }
        }
    }
}

const NOTES: usize = 20;

#[test]
fn two_processes_on_one_postgres_answer_in_turn_through_a_whole_climb() {
    let replicas = Replicas::start();
    let newest_first: Vec<String> = (1..=NOTES).rev().map(|number| format!("n{number}")).collect();
    assert_eq!(replicas.result("schema", json!({}))["data"]["streams"][0]["name"], "notes");

    let (hits, _) = replicas.pages("search", json!({ "q": "heron", "limit": 3 }), "record_key");
    assert_eq!(hits, newest_first);
    let (rows, _) =
        replicas.pages("query_records", json!({ "stream": "notes", "limit": 3, "fields": ["title"] }), "id");
    assert_eq!(rows, newest_first);

    // What changed since: the bookmark of one is understood by the other.
    let changes = json!({ "stream": "notes", "limit": 7, "changes_since": "beginning", "fields": ["title"] });
    let (mut all, last) = replicas.pages("query_records", changes, "id");
    all.sort();
    let mut expected = newest_first;
    expected.sort();
    assert_eq!(all, expected);
    let since = last["next_changes_since"].as_str().expect("a bookmark").to_owned();
    replicas
        .world
        .store
        .ingest("home/notes", &json!({ "key": "n3", "data": { "title": "Changed" } }).to_string());
    for _ in 0..2 {
        let changes = json!({ "stream": "notes", "changes_since": since, "fields": ["title"] });
        assert_eq!(replicas.pages("query_records", changes, "id").0, ["n3"]);
    }

    // Down to the last character of a field, while the key is rotated under way.
    let document = replicas.result("fetch", json!({ "id": "home/notes:n7" }));
    let goes_on = document["metadata"]["continue"]["args"].clone();
    let mut arguments =
        json!({ "id": goes_on["id"], "field_path": goes_on["field_path"], "limit_chars": 2_000 });
    let (mut read, mut windows) = (String::new(), 0);
    loop {
        let result = replicas.call("read_record_field", &arguments);
        assert!(result["isError"] != true, "window {windows}: {}", text(&result));
        let window = &result["structuredContent"]["window"];
        read.push_str(window["text"].as_str().expect("text"));
        windows += 1;
        if windows == 3 {
            replicas.world.store.run(&["store", "rotate-key"]).assert_code(0);
        }
        let Some(cursor) = window["next_cursor"].as_str() else { break };
        arguments["cursor"] = json!(cursor);
    }
    assert!(windows > 8, "{windows} windows");
    assert_eq!(read, "heron number 7 🦢 ".to_owned() + &"Zürich 日本 word ".repeat(1_500));

    // A replica that starts now seals with the new key; one that has run since before finds it.
    let newcomer = Http::open(&replicas.world, &replicas.world.all, &[]);
    let first =
        json!({ "name": "read_record_field", "arguments": { "id": "home/notes:n7", "field_path": "body" } });
    let window =
        newcomer.ask(Era::Modern, "tools/call", first)["result"]["structuredContent"]["window"].take();
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let next = json!({ "id": "home/notes:n7", "field_path": "body", "cursor": window["next_cursor"] });
    for _ in 0..2 {
        replicas.result("read_record_field", next.clone());
    }
    // A revocation counts for both at once.
    replicas.world.store.run(&["grant", "revoke", &replicas.world.all.id]).assert_code(0);
    for replica in &replicas.both {
        assert_eq!(replica.post(Era::Modern, "tools/list", json!({}), &[]).status, 401);
    }
}
