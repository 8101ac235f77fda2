//! `/v1` and `/export` as the program serves them, by its configuration.

use crate::mcp::http::Http;
use crate::mcp::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;
use stepwell_tiers_fixtures::example;

fn world() -> World {
    let file = |mime: &str, bytes: &[u8]| json!({ "$blob": { "mime_type": mime, "base64": STANDARD.encode(bytes) } });
    World::of(&[(
        "home/files".to_owned(),
        vec![
            (
                "program".to_owned(),
                json!({ "file": file("application/x-msdownload", b"MZ\x90\x00 a program") }),
            ),
            ("picture".to_owned(), json!({ "file": file("image/png", b"\x89PNG\r\n\x1a\n a picture") })),
        ],
    )])
}

/// Sends a request to an address and gives the status line and the body.
fn get(address: &str, target: &str, token: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = format!("GET {target} HTTP/1.0\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

#[test]
fn the_configuration_switches_v1_on_and_the_export_tier_keeps_programs_back() {
    let world = world();
    let component = example("export-conservative");
    let config = format!("[v1]\nlisten = \"0\"\n[tiers.binary-export]\ncomponent = {component:?}\n");
    let config = world.store.file("beside.toml", config);
    let http = Http::open(&world, &world.all, &["--config", &config]);
    let v1 = http.v1.as_deref().expect("an address of its own");
    assert_ne!(v1, http.address);

    let (status, body) = get(v1, "/v1/streams/files/records", &http.token);
    assert!(status.contains(" 200 "), "{status} {body}");
    let page: Value = serde_json::from_str(&body).unwrap();
    let rows = page["data"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    let id = |name: &str| {
        let row = rows.iter().find(|row| row["id"] == name).unwrap();
        row["data"]["file"]["blob_id"].as_str().unwrap().to_owned()
    };
    // The same handle is a blob of the resource server and an export of the ladder, which has a tier to ask.
    let (status, body) = get(&http.address, &format!("/export/{}", id("picture")), &http.token);
    assert!(status.contains(" 200 ") && body.contains("a picture"), "{status} {body}");
    let (status, body) = get(&http.address, &format!("/export/{}", id("program")), &http.token);
    assert!(status.contains(" 403 ") && body.contains("\"export_refused\""), "{status} {body}");
    assert!(!body.contains("a program"));
    // Each is only where it belongs.
    assert!(get(v1, &format!("/export/{}", id("picture")), &http.token).0.contains(" 404 "));
    assert!(get(&http.address, "/v1/streams", &http.token).0.contains(" 404 "));
    assert!(get(v1, "/v1/ingest/files", &http.token).0.contains(" 404 "), "there is no ingest by default");
    let read = world.store.run(&["disclosures", "--json"]).text().to_owned();
    assert!(read.contains("v1 records") && read.contains("\"export\""), "{read}");
}

#[test]
fn without_a_word_about_it_there_is_no_v1() {
    let world = World::shared();
    assert!(Http::open(world, &world.all, &[]).v1.is_none());
}
