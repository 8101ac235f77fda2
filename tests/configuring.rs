//! The operator's one file: where it is, how it begins, and what is said about it.

use crate::mcp::http::Http;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::{World, bare};
use crate::program::Ran;
use serde_json::{Value, json};
use std::path::Path;
use stepwell_tiers_fixtures::{example, hostile};
use tempfile::TempDir;

const SHIPPED: &str = include_str!("../plugins.toml");

fn run(home: &Path, arguments: &[&str]) -> Ran {
    Ran::of(bare(home, arguments).current_dir(home))
}

/// What `config check` says of a file, and its exit code.
fn check(home: &Path, text: &str) -> (Value, Option<i32>) {
    std::fs::write(home.join("plugins.toml"), text).unwrap();
    let ran = run(home, &["config", "check", "--json", "--config", "plugins.toml"]);
    assert_eq!(ran.err, "");
    (ran.json(), ran.code)
}

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn init_writes_the_file_that_ships_and_never_over_another() {
    let home = home();
    let usual = home.path().join("config/stepwell/plugins.toml");
    let before = run(home.path(), &["config", "path", "--json"]).json();
    assert_eq!(before, json!({ "path": usual, "exists": false }));
    run(home.path(), &["config", "init"]).assert_code(0);
    assert_eq!(std::fs::read_to_string(&usual).unwrap(), SHIPPED);
    assert_eq!(run(home.path(), &["config", "path"]).text().trim_end(), usual.to_str().unwrap());
    std::fs::write(&usual, "# mine\n").unwrap();
    let again = run(home.path(), &["config", "init"]);
    again.assert_code(1);
    assert!(again.err.contains("--force"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(&usual).unwrap(), "# mine\n");
    run(home.path(), &["config", "init", "--force"]).assert_code(0);
    assert_eq!(std::fs::read_to_string(&usual).unwrap(), SHIPPED);
    for (place, written) in [("own.toml", "own.toml"), ("data", "data/plugins.toml")] {
        std::fs::create_dir_all(home.path().join("data")).unwrap();
        run(home.path(), &["config", "init", place]).assert_code(0);
        assert_eq!(std::fs::read_to_string(home.path().join(written)).unwrap(), SHIPPED);
    }
    let left = std::fs::read_dir(home.path().join("config/stepwell")).unwrap().count();
    assert_eq!(left, 1, "no draft stays behind");
    run(home.path(), &["config", "init", "no/such/folder.toml"]).assert_code(1);
}

#[test]
fn the_file_that_ships_is_fine_and_so_is_none() {
    let home = home();
    let (of_none, code) = {
        let ran = run(home.path(), &["config", "check", "--json"]);
        (ran.json(), ran.code)
    };
    let (of_shipped, shipped_code) = check(home.path(), SHIPPED);
    assert_eq!((code, shipped_code), (Some(0), Some(0)));
    assert_eq!((&of_none["file"], &of_shipped["file"]), (&Value::Null, &json!("plugins.toml")));
    for found in [of_none, of_shipped] {
        assert_eq!(
            (&found["ok"], &found["mistakes"], &found["warnings"]),
            (&json!(true), &json!([]), &json!([]))
        );
        let tiers = found["tiers"].as_array().unwrap();
        let names: Vec<_> = tiers.iter().map(|tier| tier["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["preview", "field-window", "resources", "binary-export"]);
        for tier in tiers {
            let version = if tier["name"] == "resources" { "0.2.0" } else { "0.1.0" };
            assert_eq!((&tier["health"], &tier["wit_version"]), (&json!("on"), &json!(version)));
            assert_eq!(tier["sha256"].as_str().unwrap().len(), 64);
        }
    }
    let ran = run(home.path(), &["config", "check"]);
    assert!(ran.text().ends_with("nothing is wrong\n"), "{}", ran.text());
}

#[test]
fn a_file_in_the_usual_place_counts_until_another_is_named() {
    let home = home();
    run(home.path(), &["config", "init"]).assert_code(0);
    let usual = home.path().join("config/stepwell/plugins.toml");
    std::fs::write(&usual, "[tiers.preview]\nenabled = false\n").unwrap();
    let health = |ran: Ran| ran.json()["tiers"][0]["health"].clone();
    assert_eq!(health(run(home.path(), &["plugin", "list", "--json"])), "off");
    std::fs::write(home.path().join("other.toml"), "").unwrap();
    assert_eq!(health(run(home.path(), &["plugin", "list", "--json", "--config", "other.toml"])), "on");
    let mut by_variable = bare(home.path(), &["plugin", "list", "--json"]);
    by_variable.env("STEPWELL_CONFIG", home.path().join("other.toml"));
    assert_eq!(health(Ran::of(&mut by_variable)), "on");
    run(home.path(), &["config", "check", "--config", "none.toml"]).assert_code(1);
}

#[test]
fn every_mistake_is_told_with_its_line_as_a_start_tells_it() {
    let home = home();
    let text = "[server]\nschemas = \"seeds\"\n[ledger]\nkeep = 3\n[tiers.prevew]\n[tiers.preview]\nlimits = { reads = -1 }\n";
    let (found, code) = check(home.path(), text);
    assert_eq!((code, &found["ok"]), (Some(1), &json!(false)));
    let mistakes = found["mistakes"].as_array().unwrap();
    let lines: Vec<_> = mistakes.iter().map(|mistake| mistake["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [2, 4, 5, 7], "{found}");
    let suggestion = mistakes[2]["message"].as_str().unwrap();
    assert!(suggestion.ends_with("did you mean `preview`?"), "{suggestion}");
    let start = run(home.path(), &["serve", "--stdio", "--source", "demo", "--config", "plugins.toml"]);
    start.assert_code(64);
    for mistake in mistakes {
        let message = mistake["message"].as_str().unwrap();
        assert!(start.err.contains(message), "{message}: {}", start.err);
    }
}

#[test]
fn a_tier_that_does_not_load_is_named_with_its_reason_and_what_follows() {
    let home = home();
    let text = format!(
        "[tiers.preview]\ncomponent = {:?}\n[tiers.resources]\ncomponent = \"none.wasm\"\non_fault = \"refuse\"\n\
         [tiers.field-window]\ncomponent = {:?}\n",
        hostile("forbidden_import"),
        example("window-snap"),
    );
    let (found, code) = check(home.path(), &text);
    assert_eq!((code, &found["ok"], &found["mistakes"]), (Some(1), &json!(false), &json!([])));
    let tier = |name: &str| {
        found["tiers"].as_array().unwrap().iter().find(|tier| tier["name"] == name).unwrap().clone()
    };
    assert_eq!(
        (&tier("field-window")["health"], &tier("preview")["health"]),
        (&json!("on"), &json!("broken"))
    );
    assert!(tier("preview")["fault"]["message"].as_str().unwrap().contains("evil:net/door@1.0.0"));
    assert_eq!(
        (&tier("resources")["fault"]["code"], &tier("resources")["fault"]["phase"]),
        (&json!("missing"), &json!("resolve"))
    );
    assert_eq!(tier("preview")["fault"]["phase"], "verify");
    let warnings = found["warnings"].to_string();
    assert!(warnings.contains("plain rendering") && warnings.contains("tier_error"), "{warnings}");
}

#[test]
fn what_may_not_be_meant_is_a_warning_and_no_more() {
    let home = home();
    let text = "[tiers.field-window]\nenabled = false\n[ledger]\nenabled = false\n\
                [[preview]]\nname = \"all\"\n[[preview]]\nname = \"late\"\n";
    let (found, code) = check(home.path(), text);
    assert_eq!((code, &found["ok"]), (Some(0), &json!(true)));
    let warnings: Vec<_> =
        found["warnings"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for (warning, word) in warnings.iter().zip(["field-window", "ledger", "\"late\""]) {
        assert!(warning.contains(word), "{warning}");
    }
    let start = run(home.path(), &["serve", "--stdio", "--source", "demo", "--config", "plugins.toml"]);
    start.assert_code(0);
    for warning in warnings {
        assert!(start.err.contains(warning), "{warning}: {}", start.err);
    }
    std::fs::write(home.path().join("keys"), "no key").unwrap();
    let (found, code) = check(home.path(), "[server]\ncursor_keys = \"keys\"\n");
    assert_eq!(code, Some(1));
    assert!(found["mistakes"][0]["message"].as_str().unwrap().contains("cursor keys"), "{found}");
}

#[test]
fn the_file_names_the_store_of_every_command() {
    let home = home();
    run(home.path(), &["config", "init"]).assert_code(0);
    let usual = home.path().join("config/stepwell/plugins.toml");
    std::fs::write(&usual, "[source]\nurl = \"sqlite:${NAME}.sqlite\"\n").unwrap();
    std::fs::write(home.path().join("one.ndjson"), "{\"key\":\"n1\",\"data\":{\"title\":\"Kettle\"}}\n")
        .unwrap();
    let ingest = ["ingest", "--connection", "cin_notes", "notes", "one.ndjson"];
    let named = |arguments: &[&str]| {
        Ran::of(bare(home.path(), arguments).current_dir(home.path()).env("NAME", "mail"))
    };
    named(&ingest).assert_code(0);
    assert!(home.path().join("config/stepwell/mail.sqlite").exists(), "relative to the file");
    let unset = run(home.path(), &ingest);
    unset.assert_code(64);
    assert!(unset.err.contains("plugins.toml:2: the environment variable NAME is not set"), "{}", unset.err);
    let mut elsewhere = bare(home.path(), &ingest);
    elsewhere.current_dir(home.path()).env("STEPWELL_SOURCE", "sqlite:other.sqlite");
    Ran::of(&mut elsewhere).assert_code(0);
    assert!(home.path().join("other.sqlite").exists(), "the environment counts before the file");
    named(&["grant", "create", "--client", "c", "--stream", "notes", "--yes", "--token-out", "token"])
        .assert_code(0);
    let read = named(&["read", "cin_notes/notes:n1", "title", "--token-file", "token"]);
    assert_eq!(read.text(), "Kettle");
    let checked = named(&["store", "check"]);
    checked.assert_code(0);
    assert!(checked.text().contains("1 record"), "{}", checked.text());
}

#[test]
fn the_file_says_where_to_listen_and_whom_to_let_in() {
    let world = World::shared();
    let text = "[server]\nhttp = \"0\"\nallow_hosts = [\"wells.example\"]\nallow_origins = [\"https://app.example\"]\nlog = \"info\"\n";
    let config = world.store.file("listening.toml", text);
    let http = Http::started(world.serve(&["--json", "--config", &config]), &world.all);
    let status = |more: &[(&str, &str)]| http.post(Era::Modern, "tools/list", json!({}), more).status;
    assert_eq!(status(&[("host", "wells.example")]), 200);
    assert_eq!(status(&[("origin", "https://app.example")]), 200);
    assert_eq!(
        (status(&[("host", "evil.example")]), status(&[("origin", "https://evil.example")])),
        (403, 403)
    );
    // What the command says counts before the file.
    let http = Http::started(
        world.serve(&["--json", "--config", &config, "--http", "0", "--allow-host", "other.example"]),
        &world.all,
    );
    let status = |more: &[(&str, &str)]| http.post(Era::Modern, "tools/list", json!({}), more).status;
    assert_eq!((status(&[("host", "other.example")]), status(&[("host", "wells.example")])), (200, 403));
    let mut session = Stdio::open(world, &world.all, Era::Modern, &["--config", &config]);
    session.ask("tools/call", json!({ "name": "schema", "arguments": {} }));
    let (_, _, log) = session.close();
    assert!(log.contains("answered"), "it logs what the file says: {log}");
    world.store.run(&["serve", "--stdio", "--allow-host", "x"]).assert_code(64);
}
