//! Replaceable tiers: with another tier in place of a default one, what a client may rely on stays as it is, and something
//! that it can see does change.

use crate::contract::budgets::within;
use crate::contract::desk::{Desk, LINKS, text};
use crate::contract::golden::{self, without_chance};
use crate::contract::handles::{Step, of_resource, of_result};
use crate::mcp::world::World;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::OnceLock;
use stepwell_contract::handle::Handle;
use stepwell_tiers_fixtures::{EXAMPLES, example};

/// An example in the place of a default tier.
#[derive(Clone, Copy, Debug)]
struct Swap {
    tier: &'static str,
    example: &'static str,
    options: &'static str,
}

const SNAP_LINES: Swap = Swap { tier: "field-window", example: "window-snap", options: "{}" };
const SNAP_WORDS: Swap =
    Swap { tier: "field-window", example: "window-snap", options: "{ snap = \"word\" }" };
const LAYOUT: Swap = Swap { tier: "resources", example: "layout-plain", options: "{}" };
const MAIL: Swap = Swap { tier: "preview", example: "mail-preview", options: "{}" };
const HTML: Swap = Swap { tier: "preview", example: "html-preview", options: "{}" };
const EXPORT: Swap = Swap { tier: "binary-export", example: "export-conservative", options: "{}" };

const SWAPS: [Swap; 6] = [SNAP_LINES, SNAP_WORDS, LAYOUT, MAIL, HTML, EXPORT];

impl Swap {
    /// A fault is an error, so that none is hidden by the host's own rendering.
    fn config(self) -> String {
        let component = example(self.example);
        let links = if self.tier == "resources" { "links = \"always\"\n" } else { "" };
        let others = if self.tier == "resources" { "" } else { LINKS };
        let options = self.options;
        format!(
            "{others}[tiers.{}]\n{links}component = {component:?}\non_fault = \"refuse\"\noptions = {options}\n",
            self.tier
        )
    }

    fn open(self) -> Desk {
        Desk::open(world(), &self.config())
    }
}

const REPLY: &str = "cin_post/post:reply";
const PAGE: &str = "cin_post/post:page";
const VERSES: &str = "cin_post/post:verses";
const PROGRAM: &str = "cin_post/files:program";

fn verses() -> String {
    (1..=400).map(|n| format!("Vers {n}: der Löwe 🦁 schläft, 漢字 und mehr.\r\n")).collect()
}

/// The world of the golden files, and what these tiers have an eye for.
fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let reply = json!({
            "subject": "Re: Re: Lunch on Friday?", "from": "Ann Example", "in_reply_to": "<m17@example.org>",
            "thread_id": "t4",
            "body": "On Monday Ben wrote:\n> Shall we?\n> Ben\n\nYes, with pleasure!\n\n-- \nAnn Example",
        });
        let page = json!({
            "subject": "The harbour", "from": "The Harbour Office",
            "body": "<html><head><style>p { color: red }</style></head><body><h1>Ferries</h1>\
                <script>steal('x')</script><p>Two a day &amp; one by night.</p><p title='>",
        });
        let verses = json!({ "subject": "Verses", "body": verses() });
        let bytes = |base64: &str, mime: &str, name: &str| json!({ "$blob": { "base64": base64, "mime_type": mime, "file_name": name } });
        let program = json!({ "name": "Set-up", "file": bytes("TVqQAAMAAAAEAAAA", "image/png", "cat.png") });
        let table = json!({ "name": "Table", "file": bytes("YSxiCjEsMgo=", "text/csv", "t.csv") });
        let letter = json!({ "name": "Letter", "file": bytes("JVBERi0xLjcK", "application/pdf", "l.pdf") });
        let records = |records: Vec<(&str, Value)>| {
            records.into_iter().map(|(key, data)| (key.to_owned(), data)).collect::<Vec<_>>()
        };
        let mut streams = golden::streams();
        streams.push(("cin_post/post".to_owned(), records(vec![("reply", reply), ("page", page), ("verses", verses)])));
        streams.push(("cin_post/files".to_owned(), records(vec![("program", program), ("table", table), ("letter", letter)])));
        World::of(&streams)
    })
}

/// The calls of the golden files, and some more.
fn calls() -> Vec<(&'static str, Value)> {
    let mut calls: Vec<_> =
        golden::calls().into_iter().map(|(_, tool, arguments)| (tool, arguments)).collect();
    calls.push(("query_records", json!({ "stream": "post" })));
    calls.push(("query_records", json!({ "stream": "files" })));
    calls.push(("search", json!({ "q": "ferries" })));
    calls.push(("search", json!({ "q": "vers", "limit": 100 })));
    calls.extend([REPLY, PAGE, VERSES, PROGRAM].map(|id| ("fetch", json!({ "id": id }))));
    for arguments in [
        json!({ "offset_chars": 1_001, "limit_chars": 33 }),
        json!({ "q": "VERS 200", "before_chars": 70, "after_chars": 70 }),
        json!({ "limit_chars": 1 }),
        json!({ "offset_chars": 999_999 }),
    ] {
        let mut whole = json!({ "id": VERSES, "field_path": "body" });
        whole.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        calls.push(("read_record_field", whole));
    }
    calls
}

#[test]
fn every_example_is_tried() {
    let mut tried: BTreeSet<&str> = SWAPS.iter().map(|swap| swap.example).collect();
    // It replaces nothing; `mcp::plugin_tools` tries it.
    tried.insert("find-in-field");
    assert_eq!(tried.into_iter().collect::<Vec<_>>(), EXAMPLES);
}

#[test]
fn what_a_client_relies_on_stays() {
    let mut default = Desk::open(world(), LINKS);
    for swap in SWAPS {
        let mut replaced = swap.open();
        for method in ["tools/list", "resources/templates/list", "resources/list", "server/discover"] {
            let (before, after) = (default.ask(method, json!({})), replaced.ask(method, json!({})));
            assert_eq!(before["result"], after["result"], "{swap:?}: {method}");
        }
        let schemas = schemas(&mut replaced);
        for (tool, arguments) in calls() {
            let (before, after) = (default.call(tool, &arguments), replaced.call(tool, &arguments));
            let about = format!("{swap:?}: {tool} {arguments}");
            assert_eq!(before["isError"], after["isError"], "{about}: {}", text(&after));
            if after["isError"] == true {
                assert_eq!(without_chance(&text(&before)), without_chance(&text(&after)), "{about}");
                continue;
            }
            conforms(&schemas[tool], &after["structuredContent"], &about);
            within(tool, &arguments, &after);
            assert_eq!(ids(&before), ids(&after), "{about}");
            assert_eq!(handles(&own(&before)), handles(&own(&after)), "{about}");
            // Links are the tier's choice, so only what they say is checked.
            handles(&after);
        }
    }
}

fn schemas(desk: &mut Desk) -> BTreeMap<String, jsonschema::Validator> {
    let listed = desk.ask("tools/list", json!({}))["result"]["tools"].take();
    let validator = |tool: &Value| {
        let schema = jsonschema::draft202012::new(&tool["outputSchema"]).unwrap();
        (tool["name"].as_str().unwrap().to_owned(), schema)
    };
    listed.as_array().unwrap().iter().map(validator).collect()
}

fn conforms(schema: &jsonschema::Validator, structured: &Value, about: &str) {
    let fault =
        |error: jsonschema::ValidationError<'_>| format!("{} at {}", error.masked(), error.instance_path());
    let faults: Vec<_> = schema.iter_errors(structured).map(fault).collect();
    assert!(faults.is_empty(), "{about}: {faults:?}\n{structured:#}");
}

/// The ids of a result, in its order.
fn ids(result: &Value) -> Vec<Value> {
    let structured = &result["structuredContent"];
    let mut ids = vec![structured["id"].clone(), structured["record"]["id"].clone()];
    let of = |list: &Value, name: &str| -> Vec<Value> {
        list.as_array().into_iter().flatten().map(|item| item[name].clone()).collect()
    };
    ids.extend(of(&structured["content_ladder"]["records"], "id"));
    ids.extend(of(&structured["data"]["data"], "id"));
    ids.extend(of(&structured["data"]["data"], "record_key"));
    ids
}

/// A result without the links that the resources tier chose.
fn own(result: &Value) -> Value {
    let mut own = result.clone();
    own["content"].as_array_mut().unwrap().retain(|block| block["type"] != "resource_link");
    own
}

/// What the addresses in a result say, apart from where in a field they lead: that is the tier's to decide.
fn handles(result: &Value) -> BTreeSet<String> {
    let address = regex::Regex::new(r"pdpp://[a-z-]+/[A-Za-z0-9_-]+").unwrap();
    let said = result.to_string();
    let handle = |uri: &str| {
        let handle = Handle::parse_uri(uri).unwrap_or_else(|error| panic!("{uri}: {error:?}"));
        assert_eq!(handle.uri(), uri, "there is one spelling");
        match handle {
            Handle::FieldWindow { connection, stream, record, field_path, digest, .. } => {
                format!("window {connection:?} {stream} {record} {field_path} {digest:?}")
            }
            Handle::Blob { start: None, .. } | Handle::Record { .. } | Handle::Stream { .. } => {
                format!("{handle:?}")
            }
            Handle::Blob { .. } => panic!("a result starts blobs at their start: {uri}"),
        }
    };
    address.find_iter(&said).map(|found| handle(found.as_str())).collect()
}

#[test]
fn whatever_one_set_of_tiers_shows_works_with_the_other() {
    let mut default = Desk::open(world(), LINKS);
    for swap in SWAPS {
        let mut replaced = swap.open();
        let mut seen = HashSet::new();
        let mut cursors = 0;
        for (tool, arguments) in calls() {
            for from_default in [true, false] {
                let first = if from_default { &mut default } else { &mut replaced };
                let result = first.call(tool, &arguments);
                if result["isError"] == true {
                    continue;
                }
                for step in of_result(tool, &arguments, &result) {
                    // The same step twice teaches nothing; a cursor is never the same.
                    if !seen.insert(format!("{from_default} {step:?}")) {
                        continue;
                    }
                    cursors +=
                        usize::from(matches!(&step, Step::Call(_, with) if with["cursor"].is_string()));
                    take(&mut replaced, &step, Some(swap));
                    take(&mut default, &step, None);
                }
            }
        }
        assert!(cursors > 20, "{swap:?}: {cursors} cursors");
    }
}

/// Takes a step, which must succeed; only a blob that the tier keeps back is refused, and says so.
fn take(desk: &mut Desk, step: &Step, swap: Option<Swap>) {
    match step {
        Step::Call(tool, arguments) => {
            let result = desk.result(tool, arguments);
            assert!(result["content"][0]["text"].is_string(), "{swap:?}: {step:?}");
        }
        Step::Read(uri) => match desk.read(uri) {
            Ok(result) => drop(of_resource(&result)),
            Err(error) => {
                let is_kept_back = swap.is_some_and(|swap| swap.tier == "binary-export")
                    && matches!(Handle::parse_uri(uri), Ok(Handle::Blob { record, .. }) if record.as_str() == "program");
                let says_so = error.to_string().contains("not handed out");
                assert!(is_kept_back && says_so, "a dead end: {swap:?}: {uri}: {error}");
            }
        },
    }
}

/// Reads a field from one end to the other, by turns with each set of tiers, and gives its windows in the field's order.
fn whole(desks: &mut [&mut Desk], id: &str, limit: u64, back: bool) -> (Vec<String>, String) {
    let mut windows = Vec::new();
    let start = if back { 999_999 } else { 0 };
    let mut arguments =
        json!({ "id": id, "field_path": "body", "offset_chars": start, "limit_chars": limit });
    for turn in 0.. {
        let desk = &mut desks[turn % desks.len()];
        let read = desk.result("read_record_field", &arguments)["structuredContent"].take();
        let window = &read["window"];
        let said = window["text"].as_str().unwrap();
        assert!(said.chars().count() as u64 <= limit, "{read}");
        windows.push(said.to_owned());
        match window[if back { "previous_cursor" } else { "next_cursor" }].as_str() {
            Some(cursor) => arguments = json!({ "id": id, "field_path": "body", "cursor": cursor }),
            None => {
                if back {
                    windows.reverse();
                }
                return (windows, read["field"]["digest"].as_str().unwrap().to_owned());
            }
        }
    }
    unreachable!("the loop ends by returning")
}

#[test]
fn windows_join_to_the_field_wherever_they_are_cut() {
    let hash = |text: &str| -> String {
        let digest = Sha256::digest(text.as_bytes());
        digest.iter().fold("sha256:".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))
    };
    let mut default = Desk::open(world(), LINKS);
    for swap in [SNAP_LINES, SNAP_WORDS] {
        let mut replaced = swap.open();
        for limit in [97, 1_000, 16_384] {
            for back in [false, true] {
                let (windows, digest) = whole(&mut [&mut replaced], VERSES, limit, back);
                assert_eq!(hash(&windows.concat()), hash(&verses()), "{swap:?} {limit}");
                assert_eq!(hash(&windows.concat()), digest, "{swap:?} {limit}");
                let torn = windows
                    .iter()
                    .filter(|window| !window.is_empty() && !window.ends_with(char::is_whitespace));
                assert_eq!(torn.count(), 0, "{swap:?} {limit}");
                let (mixed, digest) = whole(&mut [&mut replaced, &mut default], VERSES, limit, back);
                assert_eq!(hash(&mixed.concat()), digest, "{swap:?} {limit}, by turns");
            }
        }
    }
    let (windows, _) = whole(&mut [&mut default], VERSES, 97, false);
    assert!(
        windows.iter().any(|window| !window.ends_with(char::is_whitespace)),
        "the default tier cuts anywhere"
    );
}

#[test]
fn windows_end_with_a_line_or_a_word_and_hold_their_match() {
    let page = json!({ "id": VERSES, "field_path": "body", "limit_chars": 69 });
    let phrase =
        json!({ "id": VERSES, "field_path": "body", "q": "vers 200", "before_chars": 70, "after_chars": 70 });
    let read = |desk: &mut Desk, arguments: &Value| {
        desk.result("read_record_field", arguments)["structuredContent"]["window"].take()
    };
    let (mut lines, mut words) = (SNAP_LINES.open(), SNAP_WORDS.open());
    let ends = |window: Value| window["text"].as_str().unwrap().to_owned();
    assert!(ends(read(&mut lines, &page)).ends_with("mehr.\r\n"));
    assert!(ends(read(&mut words, &page)).ends_with("🦁 "));
    assert_eq!(read(&mut Desk::open(world(), LINKS), &page)["end_chars"], 69);
    for desk in [&mut lines, &mut words] {
        let window = read(desk, &phrase);
        let said = window["text"].as_str().unwrap();
        assert!(said.contains("Vers 200:") && said.ends_with(char::is_whitespace), "{said:?}");
        assert_eq!(window["match"]["q"], "vers 200");
    }
    assert!(ends(read(&mut lines, &phrase)).starts_with("Vers "));
}

#[test]
fn a_plain_layout_keeps_the_record_s_order_and_links_records_only() {
    let fields = |desk: &mut Desk| -> Vec<Value> {
        let read = desk.read("pdpp://record/cin_home%2Fmail%3Am1").unwrap();
        let document: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
        document["fields"].as_array().unwrap().iter().map(|field| field["name"].clone()).collect()
    };
    let links = |desk: &mut Desk| -> Vec<String> {
        let result = desk.result("fetch", &json!({ "id": "cin_home/mail:m1" }));
        let links =
            result["content"].as_array().unwrap().iter().filter(|block| block["type"] == "resource_link");
        links.map(|link| link["uri"].as_str().unwrap().to_owned()).collect()
    };
    let (mut default, mut plain) = (Desk::open(world(), LINKS), LAYOUT.open());
    assert_eq!(fields(&mut default)[0], "subject");
    assert_eq!(fields(&mut plain), ["body", "from", "headers", "subject", "file"]);
    assert!(links(&mut default).iter().any(|uri| uri.starts_with("pdpp://field-window/")));
    let plain = links(&mut plain);
    assert!(plain.len() == 1 && plain[0].starts_with("pdpp://record/"), "{plain:?}");
}

#[test]
fn mail_shows_its_own_words_and_its_thread() {
    let mut mail = MAIL.open();
    let rows = text(&mail.result("query_records", &json!({ "stream": "post" })));
    assert!(rows.contains("title=\"Lunch on Friday?\" preview=\"Yes, with pleasure!\""), "{rows}");
    assert!(rows.contains("derived=\"an answer, 2 deep, in thread t4\""), "{rows}");
    let document = mail.result("fetch", &json!({ "id": REPLY }));
    let derived = &document["structuredContent"]["metadata"]["derived"];
    let said = derived.to_string();
    for (words, covered) in [
        ("an answer, 2 deep", "in_reply_to"),
        ("3 quoted lines hidden", "body"),
        ("signature hidden", "body"),
    ] {
        assert!(said.contains(words) && said.contains(covered), "{derived:#}");
    }
    let default = text(&Desk::open(world(), LINKS).result("query_records", &json!({ "stream": "post" })));
    assert!(default.contains("title=\"Re: Re: Lunch on Friday?\"") && !default.contains("deep"), "{default}");
}

#[test]
fn a_page_shows_what_it_says() {
    let rows = |desk: &mut Desk| {
        let text = text(&desk.result("query_records", &json!({ "stream": "post" })));
        text.lines().find(|line| line.contains("post:page")).unwrap().to_owned()
    };
    let row = rows(&mut HTML.open());
    assert!(row.contains("derived=\"Ferries Two a day & one by night.\""), "{row}");
    assert!(!row.contains("steal") && !row.contains("<p"), "{row}");
    assert!(rows(&mut Desk::open(world(), LINKS)).contains("<html>"));
    let document = HTML.open().result("fetch", &json!({ "id": PAGE }));
    let derived = &document["structuredContent"]["metadata"]["derived"];
    assert!(derived.to_string().contains("Ferries") && derived.to_string().contains("body"), "{derived:#}");
}

#[test]
fn a_conservative_export_keeps_programs_back() {
    let blob = |desk: &mut Desk, id: &str| {
        let document = desk.result("fetch", &json!({ "id": id }));
        let uri = document["structuredContent"]["metadata"]["files"][0]["uri"].as_str().unwrap().to_owned();
        desk.read(&uri)
    };
    let (mut default, mut conservative) = (Desk::open(world(), LINKS), EXPORT.open());
    assert!(blob(&mut default, PROGRAM).is_ok());
    let refused = blob(&mut conservative, PROGRAM).unwrap_err();
    assert!(
        refused.to_string().contains("not handed out") && !refused.to_string().contains("TVqQ"),
        "{refused}"
    );
    for (id, mime) in [("cin_home/mail:m1", "image/png"), ("cin_post/files:table", "text/csv")] {
        let read = blob(&mut conservative, id).unwrap();
        assert_eq!(read["contents"][0]["mimeType"], mime);
    }
    let strict = Swap { options: "{ others = \"refuse\" }", ..EXPORT };
    assert!(blob(&mut strict.open(), "cin_post/files:letter").is_err());
}
