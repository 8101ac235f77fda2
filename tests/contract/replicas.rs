//! Several servers on one store: a cursor of one works at another, also while the key is rotated.

use crate::contract::desk::{Desk, text};
use crate::mcp::world::World;
use serde_json::{Value, json};

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
