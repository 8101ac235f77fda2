//! `plugin check`, `plugin preview` and `plugin bench` on components that are known.

use super::plugin;
use crate::mcp::world::World;
use serde_json::{Value, json};
use std::path::Path;
use stepwell_sample::known;
use stepwell_tiers_fixtures::{example, hostile};

fn check(file: &Path, arguments: &[&str], code: i32) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = file.to_str().unwrap();
    let ran = plugin(folder.path(), &[&["check", "--json", file], arguments].concat());
    ran.assert_code(code);
    ran.json()
}

/// The codes of what would be refused.
fn refused(report: &Value) -> Vec<&str> {
    report["refused"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

#[test]
fn a_good_preview_is_measured_and_passes() {
    // Much time, because tests run on busy machines.
    let report = check(&example("mail-preview"), &["--limits", "deadline_ms=10000"], 0);
    assert_eq!(report["good"], true, "{report}");
    let component = &report["component"];
    assert_eq!(
        (component["tier"].as_str(), component["wit_version"].as_str()),
        (Some("preview"), Some("0.1.0"))
    );
    let imports = component["imports"].as_array().unwrap();
    assert!(imports.contains(&json!("stepwell:ladder/fields@0.1.0")), "{component}");
    assert_eq!(component["not_allowed"], json!([]));
    let calls = &report["calls"];
    assert!(calls["count"].as_u64().unwrap() > 800 && calls["deterministic"] == true, "{calls}");
    let micros = &calls["micros"];
    assert!(
        micros["min"].as_f64() > Some(0.0) && micros["min"].as_f64() <= micros["max"].as_f64(),
        "{micros}"
    );
    assert!(calls["memory_bytes"].as_u64().unwrap() >= 1 << 16, "{calls}");
    assert!(calls["reads"].as_u64().unwrap() > 0 && calls["read_bytes"].as_u64().unwrap() > 0, "{calls}");
    // A document has 1024 bytes for its preview, and odd records are among those that were tried.
    assert!((1..=1_024).contains(&calls["shown_bytes"].as_u64().unwrap()), "{calls}");
}

#[test]
fn what_would_be_refused_is_named_with_what_to_do() {
    for (guest, code, said, fix) in [
        ("forbidden_import", "wrong_world", "evil:net/door@1.0.0", "wasm32-unknown-unknown"),
        ("loops", "deadline", "first with \"a record without fields\"", "deadline_ms"),
        ("memory_bomb", "memory", "more than its 64 MB", "memory_mb"),
        ("floods", "output_too_large", "more than its 256 KB", "output_kb"),
        ("outside", "invalid_output", "breaks the contract", "wit/preview.wit"),
        ("traps", "trap", "stopped with an error", "panicked"),
    ] {
        let report = check(&hostile(guest), &[], 1);
        assert_eq!(report["good"], false, "{guest}");
        assert!(refused(&report).contains(&code), "{guest}: {report}");
        let all = report["refused"].as_array().unwrap();
        let one = all.iter().find(|one| one["code"] == code).unwrap();
        assert!(one["message"].as_str().unwrap().contains(said), "{guest}: {one}");
        assert!(one["fix"].as_str().unwrap().contains(fix), "{guest}: {one}");
    }
}

#[test]
fn limits_that_are_too_small_are_told_with_enough_ones() {
    let file = hostile("declines");
    let report = check(&file, &["--limits", "memory_mb=1,deadline_ms=10000"], 1);
    assert_eq!(refused(&report), ["instantiate"]);
    assert_eq!(report["enough"], "limits = { memory_mb = 32 }", "{report}");
    // It answers, and says no to every record: that is no fault, and is counted.
    let report = check(&file, &["--limits", "memory_mb=32,deadline_ms=10000"], 0);
    assert_eq!(report["calls"]["declined"], report["calls"]["count"], "{report}");
    let folder = tempfile::tempdir().unwrap();
    let wrong = plugin(folder.path(), &["check", file.to_str().unwrap(), "--limits", "memory=1"]);
    wrong.assert_code(64);
    assert!(wrong.err.contains("did you mean `memory_mb`?"), "{}", wrong.err);
}

#[test]
fn messages_are_shown_to_the_author() {
    let folder = tempfile::tempdir().unwrap();
    let (file, id) = (hostile("log_spam"), known::ROOF_QUOTE.id());
    let arguments = ["preview", file.to_str().unwrap(), "--record", &id];
    let ran = plugin(folder.path(), &arguments);
    let said = ran.text().lines().filter(|line| *line == "message, info: record text that must not get out");
    assert_eq!(said.count(), 20, "{}", ran.text());
    let ran = plugin(folder.path(), &[&arguments[..], &["--json"]].concat());
    let message = json!({ "level": "info", "text": "record text that must not get out" });
    assert_eq!(ran.json()["messages"][0], message);
}

#[test]
fn what_is_no_tier_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.wasm");
    for (bytes, said) in [
        (&b"\0asm\x01\0\0\0"[..], "stepwell plugin build"),
        (b"#!/bin/sh", "no WebAssembly component"),
        (b"\0asm\x0d\0\x01\0\xff\xff", "compile"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let report = check(&path, &[], 1);
        assert!(report["refused"].to_string().contains(said), "{report}");
    }
    std::fs::write(&path, b"\0asm\x0d\0\x01\0").unwrap();
    let ran = plugin(folder.path(), &["check", "x.wasm"]);
    ran.assert_code(64);
    assert!(ran.err.contains("is no tier: it exports nothing"), "{}", ran.err);
    let report = check(&folder.path().join("none.wasm"), &[], 1);
    assert_eq!(refused(&report), ["missing"]);
}

#[test]
fn every_tier_is_tried_on_what_a_server_would_ask_it() {
    for (name, tier) in [
        ("window-snap", "field-window"),
        ("layout-plain", "resources"),
        ("export-conservative", "binary-export"),
        ("find-in-field", "tool"),
    ] {
        let report = check(&example(name), &["--limits", "deadline_ms=10000"], 0);
        assert_eq!(report["component"]["tier"], tier, "{report}");
        let calls = &report["calls"];
        assert!(calls["count"].as_u64().unwrap() > 300 && calls["deterministic"] == true, "{name}: {calls}");
        assert!(calls["shown_bytes"].as_u64().unwrap() > 0, "{name}: {calls}");
        // It has to answer most of what it is asked, or it was asked the wrong things.
        assert!(
            calls["declined"].as_u64().unwrap() * 2 < calls["count"].as_u64().unwrap(),
            "{name}: {calls}"
        );
    }
    for (guest, code, rules) in [
        ("stuck_window", "invalid_output", "wit/field-window.wit"),
        ("foreign_links", "invalid_output", "wit/resources.wit"),
        ("tool_loops", "deadline", "deadline_ms"),
    ] {
        let report = check(&hostile(guest), &[], 1);
        assert!(refused(&report).contains(&code), "{guest}: {report}");
        assert!(report["refused"].to_string().contains(rules), "{guest}: {report}");
    }
}

#[test]
fn only_previews_are_shown_and_timed() {
    let folder = tempfile::tempdir().unwrap();
    for verb in ["preview", "bench"] {
        let file = example("window-snap");
        let file = file.to_str().unwrap();
        let record = if verb == "preview" { &["--record", "a/b:c"][..] } else { &[] };
        plugin(folder.path(), &[&[verb, file], record].concat()).assert_code(64);
    }
}

#[test]
fn a_record_is_shown_as_a_model_sees_it_beside_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let file = hostile("remembers");
    let (file, id) = (file.to_str().unwrap(), known::ROOF_QUOTE.id());
    let show = |arguments: &[&str]| {
        let ran = plugin(folder.path(), &[&["preview", "--json", file, "--record", &id], arguments].concat());
        ran.assert_code(0);
        ran.json()
    };
    let row = show(&["--q", "quote roof"]);
    let (own, builtin) = (row["own"].as_str().unwrap(), row["builtin"].as_str().unwrap());
    assert!(own.starts_with(&format!("id=\"{id}\"")) && own.contains("derived=\"call 1\""), "{own}");
    assert!(builtin.starts_with(&format!("id=\"{id}\"")) && !builtin.contains("call 1"), "{builtin}");
    let document = show(&[]);
    assert!(document["builtin"].as_str().unwrap().contains("\"title\""), "{document}");
    let said = plugin(folder.path(), &["preview", file, "--record", &id, "--q", "quote roof"]);
    assert!(said.text().contains("built in\n") && said.text().contains("call 1"), "{}", said.text());
    let absent = plugin(folder.path(), &["preview", file, "--record", &id, "--q", "heron"]);
    absent.assert_code(1);
    assert!(absent.err.contains("is not among the first hits"), "{}", absent.err);
}

#[test]
fn a_fault_is_told_beside_the_plain_rendering() {
    let folder = tempfile::tempdir().unwrap();
    let (file, id) = (hostile("traps"), known::ROOF_QUOTE.id());
    let ran = plugin(folder.path(), &["preview", file.to_str().unwrap(), "--record", &id]);
    ran.assert_code(0);
    assert!(ran.text().contains("fault: the tier stopped with an error"), "{}", ran.text());
}

#[test]
fn a_store_shows_its_own_records_to_a_token() {
    let world = World::shared();
    let (file, id) = (example("mail-preview"), known::ROOF_QUOTE.id());
    let arguments = ["plugin", "preview", "--json", file.to_str().unwrap(), "--record", &id];
    let none = world.store.run(&arguments);
    none.assert_code(78);
    let ran = world.store.run(&[&arguments[..], &["--token-file", &world.all.token_file]].concat());
    ran.assert_code(0);
    assert!(ran.json()["own"].as_str().unwrap().contains(&id), "{ran:?}");
}

#[test]
fn a_bench_gives_a_ratio_and_times() {
    let folder = tempfile::tempdir().unwrap();
    let file = example("mail-preview");
    let ran = plugin(folder.path(), &["bench", "--json", file.to_str().unwrap(), "--calls", "3"]);
    ran.assert_code(0);
    let told = ran.json();
    assert!(told["ratio"].as_f64().unwrap() > 0.0 && told["calls"] == 3, "{told}");
    assert!(told["micros"]["min"].as_f64() <= told["micros"]["median"].as_f64(), "{told}");
    assert!(told["builtin_micros"]["median"].as_f64() > Some(0.0), "{told}");
}
