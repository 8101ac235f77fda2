//! `stepwell doctor`: everything that can be wrong is found, with a way to fix it, and nothing else is.

use crate::mcp::world::{World, bare, with_cache};
use crate::on_both_engines;
use crate::program::{Granted, Ran, Store};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

on_both_engines!(a_sound_place_has_nothing_broken);

/// Runs it on a store, in a home that has nothing else.
fn doctor(store: &Store, arguments: &[&str]) -> Ran {
    let mut command = store.command(&[&["doctor", "--json"], arguments].concat());
    with_cache(&mut command);
    Ran::of(&mut command)
}

/// The findings of an area: their state and their words.
fn of(ran: &Ran, area: &str) -> Vec<(String, String)> {
    let report = ran.json();
    let own = report["findings"].as_array().unwrap().iter().filter(|finding| finding["area"] == area);
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    own.map(|finding| (text(finding, "state"), text(finding, "message"))).collect()
}

#[track_caller]
fn assert_broken(ran: &Ran, area: &str, word: &str) {
    ran.assert_code(1);
    let found = of(ran, area);
    assert!(found.iter().any(|(state, message)| state == "broken" && message.contains(word)), "{found:?}");
    let report = ran.json();
    let all = report["findings"].as_array().unwrap();
    let is_wrong = |finding: &&Value| finding["state"] != "good";
    assert!(all.iter().filter(is_wrong).all(|finding| finding["fix"].is_string()), "{report:#}");
}

fn filled(store: &Store) -> Granted {
    store.ingest("home/messages", &json!({ "key": "m1", "data": { "body": "b" } }).to_string());
    store.grant(&["--stream", "messages", "--expires", "30d"])
}

fn a_sound_place_has_nothing_broken(store: &Store) {
    let granted = filled(store);
    let ran = doctor(store, &["--token-file", &granted.token_file]);
    ran.assert_code(0);
    assert_eq!(ran.json()["ok"], true);
    assert_eq!(of(&ran, "ledger"), [("good".into(), "it can be written".into())]);
    let token = of(&ran, "token");
    assert!(
        token.iter().any(|(_, message)| message.contains("a test") && message.contains(&granted.id)),
        "{token:?}"
    );
    let secret = World::token(&granted);
    assert!(!ran.text().contains(&secret));
}

#[test]
fn a_store_or_a_token_that_does_not_count_is_broken() {
    let store = Store::sqlite();
    assert_broken(&doctor(&store, &[]), "store", "there is no store");
    let granted = filled(&store);
    let unknown = store.file("unknown", "swc_mistyped");
    assert_broken(&doctor(&store, &["--token-file", &unknown]), "token", "unknown");
    assert_broken(&doctor(&store, &["--token-file", &store.name("nowhere")]), "token", "cannot read");
    store.run(&["grant", "revoke", &granted.id]).assert_code(0);
    assert_broken(&doctor(&store, &["--token-file", &granted.token_file]), "token", "revoked");
    let broken = store.file("no-store.sqlite", "this is no database, but long enough to be looked at as one");
    let ran = doctor(&store, &["--source", &format!("sqlite:{broken}")]);
    assert_broken(&ran, "store", "cannot open");
}

#[test]
fn a_wrong_configuration_is_broken_and_a_daring_one_is_not() {
    let store = Store::sqlite();
    filled(&store);
    let config = |text: &str| store.file("plugins.toml", text);
    let ran = doctor(&store, &["--config", &config("[server]\nhttps = 1\nlog = \"loud\"\n")]);
    assert_broken(&ran, "configuration", "plugins.toml:2");
    let ran = doctor(&store, &["--config", &config("[tiers.preview]\ncomponent = \"gone.wasm\"\n")]);
    assert_broken(&ran, "tiers", "preview");
    assert_broken(&ran, "configuration", "gone.wasm");
    let ran = doctor(&store, &["--config", &config("[server]\ncursor_keys = \"gone.keys\"\n")]);
    assert_broken(&ran, "configuration", "gone.keys");
    assert_broken(&doctor(&store, &["--config", &store.name("no.toml")]), "configuration", "no.toml");
    let ran = doctor(&store, &["--config", &config("[ledger]\nenabled = false\n")]);
    ran.assert_code(0);
    assert!(of(&ran, "configuration").iter().any(|(state, _)| state == "warning"));
}

#[test]
fn whoever_has_the_address_is_asked() {
    let world = World::shared();
    let address =
        |port: u16| world.store.file(&format!("http-{port}.toml"), format!("[server]\nhttp = \"{port}\"\n"));
    let http = crate::mcp::http::Http::open(world, &world.all, &[]);
    let port = http.address.rsplit_once(':').unwrap().1.parse().unwrap();
    let ran = doctor(&world.store, &["--config", &address(port)]);
    ran.assert_code(0);
    assert!(of(&ran, "address")[0].1.contains("a Stepwell answers"), "{}", ran.text());

    let port = answering(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    assert_broken(&doctor(&world.store, &["--config", &address(port)]), "address", "another program");
    let port = answering(b"\x15\x03\x01\x00\x02\x02\x32");
    let ran = doctor(&world.store, &["--config", &address(port)]);
    assert_eq!(of(&ran, "address")[0].0, "warning", "{}", ran.text());
}

/// Another program, which answers once.
fn answering(answer: &'static [u8]) -> u16 {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut client, _) = other.accept().unwrap();
        let _ = client.read(&mut [0; 1_024]);
        let _ = client.write_all(answer);
    });
    port
}

#[test]
fn a_client_that_names_what_is_gone_is_found() {
    let store = Store::sqlite();
    let granted = filled(&store);
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = bare(home.path(), arguments);
        command.env("STEPWELL_SOURCE", &store.url).env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
        Ran::of(&mut command)
    };
    for client in ["cursor", "codex", "opencode"] {
        run(&["connect", client, "--token-file", &granted.token_file, "--write"]).assert_code(0);
    }
    let ran = run(&["doctor", "--json"]);
    ran.assert_code(0);
    assert_eq!(of(&ran, "client").len(), 3, "{}", ran.text());
    std::fs::remove_file(&granted.token_file).unwrap();
    let ran = run(&["doctor", "--json"]);
    assert_broken(&ran, "client", "a token that is not there");
    assert_eq!(of(&ran, "client").iter().filter(|(state, _)| state == "broken").count(), 3);
    // A file that its client cannot read is worth a word, and is not ours to break on.
    std::fs::write(home.path().join(".cursor/mcp.json"), "{ \"secret\"").unwrap();
    let ran = run(&["doctor", "--json"]);
    let found = of(&ran, "client");
    assert!(
        found.iter().any(|(state, message)| state == "warning" && message.contains("cursor")),
        "{found:?}"
    );
    assert!(!ran.text().contains("secret"));
}

#[test]
fn completions_and_pages_are_written() {
    let home = tempfile::tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Ran::of(&mut bare(home.path(), &["completions", shell]));
        ran.assert_code(0);
        assert!(ran.text().contains("read") && ran.text().contains("token-file"), "{shell}");
    }
    let folder = home.path().join("man");
    Ran::of(&mut bare(home.path(), &["completions", "--man", folder.to_str().unwrap()])).assert_code(0);
    for page in ["stepwell.1", "stepwell-grant-create.1", "stepwell-doctor.1"] {
        let text =
            std::fs::read_to_string(folder.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(".TH"), "{page}");
    }
    Ran::of(&mut bare(home.path(), &["completions"])).assert_code(64);
}
