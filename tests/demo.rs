//! The demo climbs to the top, and each of its steps goes by what an earlier one printed.

use crate::mcp::world::{Running, bare};
use crate::program::Ran;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use stepwell_sample::known;

/// The steps in their order.
const STEPS: [&str; 15] = [
    "store",
    "grant",
    "tiers",
    "search",
    "fetch",
    "read_record_field",
    "next",
    "match",
    "resource",
    "search for a file",
    "fetch its message",
    "blob",
    "to the last character",
    "refusal",
    "your own client",
];

fn demo(arguments: &[&str]) -> Ran {
    let home = tempfile::tempdir().unwrap();
    let ran = Ran::of(&mut bare(home.path(), &[&["demo"], arguments].concat()));
    ran.assert_code(0);
    assert_eq!(ran.err, "");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "nothing is kept");
    ran
}

/// What a script sees; the tests share one run.
fn steps() -> &'static [Value] {
    static STEPS: OnceLock<Vec<Value>> = OnceLock::new();
    STEPS.get_or_init(|| demo(&["--json"]).json_lines())
}

/// Holds the steps against each other. Says what is wrong, so that a test can see that it would.
fn check(steps: &[Value]) -> Result<(), String> {
    let names: Vec<_> = steps.iter().filter_map(|step| step["step"].as_str()).collect();
    ensure(names == STEPS, || format!("the steps are {names:?}"))?;
    let at = |name: &str| &steps[STEPS.iter().position(|step| *step == name).expect("a step")];
    let text = |name: &str| -> String {
        let blocks = at(name)["text"].as_array().into_iter().flatten();
        blocks.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    };
    let args = |name: &str| &at(name)["call"]["arguments"];
    // What a step uses, the step that printed it, and how it stands there.
    for (step, used, source, printed) in [
        ("fetch", &args("fetch")["id"], "search", format!("\nid={} ", args("fetch")["id"])),
        (
            "read_record_field",
            args("read_record_field"),
            "fetch",
            format!("next: read_record_field {}", args("read_record_field")),
        ),
        (
            "next",
            &args("next")["cursor"],
            "read_record_field",
            format!("\"next_cursor\":{}", args("next")["cursor"]),
        ),
        (
            "resource",
            &at("resource")["call"]["resource"],
            "match",
            format!("\"next_uri\":{}", at("resource")["call"]["resource"]),
        ),
        (
            "blob",
            &at("blob")["call"]["resource"],
            "fetch its message",
            format!("\"uri\":{}", at("blob")["call"]["resource"]),
        ),
        (
            "fetch its message",
            &args("fetch its message")["id"],
            "search for a file",
            format!("\nid={} ", args("fetch its message")["id"]),
        ),
    ] {
        ensure(!used.is_null() && text(source).contains(&printed), || {
            format!("{step} uses {used}, which {source} did not print")
        })?;
    }
    for (name, part) in [
        ("search", "The whole log of the Ferry Reading Circle"),
        ("match", known::UNIQUE_PHRASE),
        ("resource", "\"previous_uri\":\"pdpp://field-window/"),
        ("refusal", "field_not_granted: "),
    ] {
        ensure(text(name).contains(part), || format!("{name} lacks {part}: {}", text(name)))?;
    }
    let called = steps.iter().filter(|step| step.get("call").is_some());
    for step in called {
        let blocks = step["text"].as_array().into_iter().flatten();
        let bytes: usize = blocks.filter_map(Value::as_str).map(str::len).sum();
        let told = (step["bytes"]["text"].as_u64(), step["bytes"]["result"].as_u64());
        ensure(bytes > 0 && told.0 == Some(bytes as u64) && told.1 > told.0, || {
            format!("{} costs {told:?}, its text has {bytes}", step["step"])
        })?;
    }
    let connections = stepwell_sample::connections();
    let whole = known::LONG_TEXT.find(&connections).and_then(Value::as_str).expect("a text");
    let last = at("to the last character");
    ensure(last["sha256"] == json!(hex(whole.as_bytes())), || format!("another text was read: {last}"))?;
    ensure(last["bytes"]["text"] == json!(whole.len()), || format!("not all was read: {last}"))?;
    ensure(known::LARGE_BLOB.find(&connections).is_some_and(|file| starts_with(file, &text("blob"))), || {
        "the blob is not the start of the file".to_owned()
    })
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a file starts with these bytes. Both are in base64; the part has a multiple of three bytes but for its last few.
fn starts_with(file: &Value, part: &str) -> bool {
    let part = part.lines().next().unwrap_or_default();
    let whole = file["$blob"]["base64"].as_str().expect("a file");
    let sure = part.len() / 4 * 4 - 4;
    sure > 1_000 && part.len() < whole.len() && whole.starts_with(&part[..sure])
}

#[test]
fn every_step_goes_by_what_an_earlier_one_printed() {
    check(steps()).unwrap();
}

#[test]
fn a_step_that_does_not_would_be_noticed() {
    let index = |name: &str| STEPS.iter().position(|step| *step == name).unwrap();
    let with = |name: &str, pointer: &str, value: Value| {
        let mut steps = steps().to_vec();
        *steps[index(name)].pointer_mut(pointer).unwrap_or_else(|| panic!("{name} has no {pointer}")) = value;
        steps
    };
    let mut wrong = vec![
        with("fetch", "/call/arguments/id", json!("cin_home_mail/messages:m-0501")),
        with("read_record_field", "/call/arguments/offset_chars", json!(0)),
        with("next", "/call/arguments/cursor", json!("AQGotx4")),
        with("match", "/text/0", json!("{}\nnot here")),
        with("resource", "/call/resource", json!("pdpp://field-window/e30")),
        with("blob", "/call/resource", Value::Null),
        with("blob", "/text/0", json!("AAAA".repeat(500))),
        with("search", "/bytes/text", json!(1)),
        with("search", "/bytes/result", json!(1)),
        with("to the last character", "/sha256", json!(hex(b"another text"))),
        with("to the last character", "/bytes/text", json!(1)),
        with("refusal", "/text/0", json!("{\"complete\":true}\nReceived: by …")),
    ];
    for index in 0..STEPS.len() {
        let mut less = steps().to_vec();
        less.remove(index);
        wrong.push(less);
    }
    for steps in wrong {
        check(&steps).unwrap_err();
    }
}

#[test]
fn people_see_every_step_and_every_cut() {
    let ran = demo(&[]);
    let mut rest = ran.text();
    for (index, step) in STEPS.iter().enumerate() {
        let title = format!("{}. {step}: ", index + 1);
        let at = rest.find(&title).unwrap_or_else(|| panic!("{title} in {rest}"));
        rest = &rest[at + title.len()..];
    }
    for part in [" bytes cut here]", " bytes of text, ", "same SHA-256 as the field", known::UNIQUE_PHRASE] {
        assert!(ran.text().contains(part), "{part}: {}", ran.text());
    }
    for part in ["\"mcpServers\"", "claude mcp add stepwell -- ", "/mcp with Authorization: Bearer"] {
        assert!(rest.contains(part), "{part}: {rest}");
    }
    assert!(!ran.text().contains('\u{1b}'), "colour is for terminals");
}

#[test]
fn the_configuration_that_it_ends_with_starts_a_server() {
    let server = &steps()[STEPS.len() - 1]["config"]["mcpServers"]["stepwell"];
    let args: Vec<_> = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let home = tempfile::tempdir().unwrap();
    let ours = bare(home.path(), &args);
    assert_eq!(Some(ours.get_program()), server["command"].as_str().map(AsRef::as_ref));
    let mut command: Command = ours;
    let mut child = Running(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a test", "version": "1" } } });
    writeln!(child.0.stdin.as_ref().unwrap(), "{hello}").unwrap();
    let mut answer = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "stepwell", "{answer}");
}
