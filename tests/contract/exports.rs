//! Over HTTP a result says where the bytes of a file can be downloaded, and every such address works as it stands.

use crate::contract::desk::{Desk, LINKS};
use crate::mcp::http::{Answer, Http};
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;
use stepwell_sample::known;

/// The calls whose results describe files, each in its own way.
fn calls() -> Vec<(&'static str, Value)> {
    let blob = known::LARGE_BLOB.id();
    vec![
        ("tools/call", json!({ "name": "fetch", "arguments": { "id": blob } })),
        (
            "tools/call",
            json!({ "name": "query_records", "arguments": { "stream": "messages", "limit": 100 } }),
        ),
        ("tools/call", json!({ "name": "search", "arguments": { "q": "the", "limit": 100 } })),
        (
            "tools/call",
            json!({ "name": "read_record_field", "arguments": { "id": blob, "field_path": known::LARGE_BLOB.field } }),
        ),
    ]
}

/// Every address of an export in a result, with what is said about the file.
fn exports(value: &Value, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(members) => {
            for url in [&value["export"]["url"], &value["export_url"]].into_iter().filter_map(Value::as_str) {
                let said = found.entry(url.to_owned()).or_default();
                if value["size_bytes"].is_u64() {
                    *said = value.clone();
                }
            }
            members.values().for_each(|member| exports(member, found));
        }
        Value::Array(list) => list.iter().for_each(|item| exports(item, found)),
        // Text that a model reads says the same as the structured content.
        Value::String(text) => {
            let parts = std::iter::once(text.as_str()).chain(text.lines());
            parts.filter_map(|part| serde_json::from_str::<Value>(part).ok()).for_each(|inner| {
                if inner.is_object() {
                    exports(&inner, found);
                }
            });
        }
        _ => {}
    }
}

fn get(http: &Http, host: &str, target: &str, token: Option<&str>) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(&http.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let bearer = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    stream.write_all(format!("GET {target} HTTP/1.0\r\nhost: {host}\r\n{bearer}\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split_off(end + 4))
}

fn seen_over(http: &Http, host: &str) -> Vec<Value> {
    let ask = |(method, params): (&str, Value)| -> Value {
        let answer: Answer = http.post(Era::Modern, method, params, &[("host", host)]);
        answer.json()
    };
    calls().into_iter().map(ask).collect()
}

#[test]
fn every_address_of_a_file_can_be_downloaded_as_it_stands() {
    let world = World::shared();
    let public = "[server]\npublic_url = \"https://well.example/behind/mcp\"\n";
    for (name, config, host, beginning, prefix) in [
        ("plain", "", None, "/export/", ""),
        (
            "public",
            public,
            Some("well.example"),
            "https://well.example/behind/export/",
            "https://well.example/behind",
        ),
    ] {
        let config = world.store.file(&format!("exports-{name}.toml"), config);
        let http = Http::open(world, &world.all, &["--config", &config]);
        let host = host.unwrap_or(&http.address).to_owned();
        let results = seen_over(&http, &host);
        let mut found = BTreeMap::new();
        results.iter().for_each(|result| exports(result, &mut found));
        assert!(found.len() >= 3, "{found:?}");
        for (url, said) in &found {
            assert!(url.starts_with(beginning) && !url.contains(&http.token), "{url}");
            let target = url.strip_prefix(prefix).unwrap();
            let (status, bytes) = get(&http, &host, target, Some(&http.token));
            assert_eq!(status, 200, "a dead end: {url}: {}", String::from_utf8_lossy(&bytes));
            if let Some(size) = said["size_bytes"].as_u64() {
                assert_eq!(bytes.len() as u64, size, "{url}");
                let digest: String =
                    Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
                assert!(said["digest"].as_str().unwrap().ends_with(&digest), "{said}");
            }
            assert_eq!(get(&http, &host, target, None).0, 401, "an address opens nothing by itself");
        }
        // Each place that describes a file says it.
        let [fetched, .., refused] = results.as_slice() else { panic!("{results:?}") };
        let structured = &fetched["result"]["structuredContent"];
        assert!(structured["metadata"]["files"][0]["export_url"].is_string(), "{structured}");
        let fields = structured["content_ladder"]["records"][0]["fields"].as_array().unwrap();
        assert!(fields.iter().any(|field| field["export"]["url"].is_string()), "{structured}");
        assert!(refused.to_string().contains("download export_url"), "{refused}");
    }
}

#[test]
fn whoever_cannot_download_is_not_told_of_it() {
    let world = World::shared();
    // Not over standard input and output, where there is no address to ask,
    let mut desk = Desk::open(world, LINKS);
    for (method, params) in calls() {
        let seen = desk.ask(method, params).to_string();
        assert!(!seen.contains("/export/") && !seen.contains("export_url"), "{seen}");
    }
    // and not where the tier is off.
    let config = world.store.file("exports-off.toml", "[tiers.binary-export]\nenabled = false\n");
    let http = Http::open(world, &world.all, &["--config", &config]);
    for seen in seen_over(&http, &http.address) {
        let seen = seen.to_string();
        assert!(!seen.contains("/export/") && !seen.contains("export_url"), "{seen}");
    }
    let listed = http.ask(Era::Modern, "tools/list", json!({})).to_string();
    assert!(!listed.contains("\"export\""), "{listed}");
}
