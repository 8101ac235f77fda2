//! What goes wrong on the way, and how each kind of client goes on by nothing but what the refusal says.

use crate::classes::session::{Session, Transport};
use crate::classes::{Class, Step, StructuredOnly, as_every_class, sha256};
use crate::mcp::world::World;
use crate::program::{Granted, Store, block_on};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};
use stepwell_contract::selector::{Selector, WindowArguments};
use stepwell_contract::{FieldPath, ResultId};
use stepwell_ladder::{WindowRequest, read_window};
use stepwell_source::{Source as _, Token};

as_every_class!(a_field_that_changed, a_cursor_of_the_day_before, what_the_grant_leaves_out);

const ID: &str = "home/notes:n1";

/// A text whose every part can be told from every other, in more than one script.
fn text(mark: &str, lines: u32) -> String {
    (0..lines).map(|line| format!("{mark} {line}: the quick fox, 狐狸, לשון 🦊\n")).collect()
}

fn ingest(store: &Store, body: &str) {
    let data = json!({ "title": "A long note", "body": body, "secret": { "deep": "shelf" } });
    store.ingest("home/notes", &json!({ "key": "n1", "data": data }).to_string());
}

/// A store of its own, with one long note in it.
fn world(body: &str) -> World {
    let store = Store::sqlite();
    ingest(&store, body);
    store.ingest("home/diary", r#"{"key":"d1","data":{"text":"dear diary"}}"#);
    let all = store.grant(&["--stream", "notes"]);
    World { store, all }
}

fn chars_from(text: &str, start: u64) -> String {
    text.chars().skip(usize::try_from(start).unwrap()).collect()
}

fn a_field_that_changed<C: Class>(transport: Transport) {
    let (old, new) = (text("old", 900), text("new", 1_100));
    let world = world(&old);
    let mut client: C = Session::open(&world, &world.all, transport);
    let opened = client.find("quick fox", ID);
    let rest = &opened.rests["body"];
    let shown = rest.shown.chars().count() as u64;
    let first = client.window(rest.step.as_ref().expect("a way on")).unwrap();
    assert!(first.start == shown && chars_from(&old, shown).starts_with(&first.text));
    ingest(&world.store, &new);
    let refused = client.window(&first.next.expect("a window after it")).expect_err("another text");
    assert_eq!(refused.code, "stale_cursor", "{refused:?}");
    let (start, step) = client.restart(&opened, "body", &refused);
    let read = client.read_on(&step);
    assert_eq!(sha256(&read), sha256(chars_from(&new, start)), "the new text from {start} on");
}

fn a_cursor_of_the_day_before<C: Class>(transport: Transport) {
    let whole = text("same", 900);
    let world = world(&whole);
    let cursor = issued_two_days_ago(&world, &world.all);
    let mut client: C = Session::open(&world, &world.all, transport);
    let opened = client.find("quick fox", ID);
    let step = Step::field(json!({ "id": ID, "field_path": "body", "cursor": cursor }));
    let refused = client.window(&step).expect_err("too late");
    assert_eq!(refused.code, "expired_cursor", "{refused:?}");
    assert_eq!(refused.error["restart_offset_chars"], 4_096);
    let (start, step) = client.restart(&opened, "body", &refused);
    assert_eq!(start, 4_096);
    assert_eq!(client.read_on(&step), chars_from(&whole, start));
}

/// The cursor after the first window, as the server gave it to this grant the day before yesterday: the same code on the
/// same store, with another clock.
fn issued_two_days_ago(world: &World, granted: &Granted) -> String {
    let then = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    let then = then.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    block_on(async {
        let store = world.store.open().await;
        let keys = store.keyring().await.unwrap();
        let caller = store.authenticate(&Token::new(World::token(granted))).await.unwrap();
        let request = WindowRequest {
            record: ResultId::parse(ID).unwrap().into(),
            path: FieldPath::parse("body").unwrap(),
            selector: Selector::parse(WindowArguments::default()).unwrap(),
        };
        let window = read_window(&store, &keys, &caller, &request, then).await.unwrap();
        window.next_cursor.expect("a cursor")
    })
}

fn what_the_grant_leaves_out<C: Class>(transport: Transport) {
    let whole = text("mine", 300);
    let world = world(&whole);
    let narrow = world.store.grant(&["--stream", "notes:title,body"]);
    let mut client: C = Session::open(&world, &narrow, transport);
    let opened = client.find("quick fox", ID);
    assert!(!opened.rests.contains_key("secret"), "{opened:?}");
    for path in ["secret", "/secret/deep", "nothing"] {
        let refused =
            client.window(&Step::field(json!({ "id": ID, "field_path": path }))).expect_err("not granted");
        assert_eq!(refused.code, "field_not_granted", "{path}: {refused:?}");
        assert!(refused.hints_at("schema"), "it says where one sees what is granted: {refused:?}");
    }
    let diary = Step::fetch(json!({ "id": "home/diary:d1" }));
    let refused = client.open(&diary).expect_err("not granted");
    assert_eq!(refused.code, "grant_stream_not_allowed", "{refused:?}");
    assert!(refused.hints_at("schema"), "it says where one sees what is granted: {refused:?}");
    // Which it then asks, and reads what it may.
    let fields: BTreeSet<String> = ["title", "body"].map(str::to_owned).into();
    assert_eq!(client.granted(), BTreeMap::from([("home/notes".to_owned(), fields)]));
    assert_eq!(client.read_whole(&opened, "body"), whole);
}

/// A store, a grant that leaves things out, and calls that come too late or ask for too much.
pub(crate) fn changed_and_late() -> (World, Granted, Vec<(&'static str, Value)>) {
    let world = world(&text("old", 900));
    let narrow = world.store.grant(&["--stream", "notes:title,body"]);
    let mut client: StructuredOnly = Session::open(&world, &narrow, Transport::Stdio);
    let first = client.window(&Step::field(json!({ "id": ID, "field_path": "body" }))).unwrap();
    let Some(Step::Call { args: stale, .. }) = first.next else { panic!("a cursor") };
    let expired = issued_two_days_ago(&world, &narrow);
    ingest(&world.store, &text("new", 900));
    let calls = vec![
        ("read_record_field", stale),
        ("read_record_field", json!({ "id": ID, "field_path": "body", "cursor": expired })),
        ("read_record_field", json!({ "id": ID, "field_path": "secret" })),
        ("fetch", json!({ "id": "home/diary:d1" })),
        ("fetch", json!({ "id": ID })),
        ("schema", json!({})),
    ];
    (world, narrow, calls)
}

/// An address that another grant's client was shown leads a client of this one to no more than its own grant allows.
#[test]
fn an_address_allows_nothing() {
    use crate::classes::ResourceAware;
    let world = world(&text("mine", 300));
    let narrow = world.store.grant(&["--stream", "notes:title,body"]);
    for transport in [Transport::Stdio, Transport::Http] {
        let mut wide: ResourceAware = Session::open(&world, &world.all, transport);
        let step = Step::field(json!({ "id": ID, "field_path": "secret" }));
        let result = wide.session().call("read_record_field", &json!({ "id": ID, "field_path": "secret" }));
        let uri = result["structuredContent"]["resource"]["uri"].as_str().unwrap().to_owned();
        wide.window(&step).unwrap();
        let mut client: ResourceAware = Session::open(&world, &narrow, transport);
        let refused = client.window(&Step::Read(uri)).expect_err("not granted");
        assert_eq!(refused.code, "field_not_granted");
        assert!(refused.hints_at("schema"), "{refused:?}");
    }
}
