//! The built program on a remote resource server.

use crate::mcp::http::Http;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use crate::program::{Granted, Store};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use stepwell_sample::known;
use stepwell_testkit::resource_server::{Bearer, ResourceServer, Shelf, ShelfRecord};

/// The record with the long text.
pub(crate) const LONG: &str = "cin_home_mail/messages:m-0504";

/// How much of the long text is shelved: several of the largest windows, and the phrase near its end.
const LONG_CHARS: usize = 60_000;

const TOKEN: &str = "client-token-for-the-shelf";

/// A resource server with the sample data, and a folder from which the program is run on it.
pub(crate) struct Shelved {
    pub(crate) server: ResourceServer,
    pub(crate) world: World,
}

impl Shelved {
    /// The folder has a token, and a configuration by which callers' tokens are passed on.
    pub(crate) fn new() -> Self {
        let server = ResourceServer::start(shelf());
        server.knows(TOKEN, Bearer::Client("grt_shelf".to_owned()));
        let store = Store::at(server.url());
        let config = store.path("config").join("stepwell");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("plugins.toml"), "[source]\nsame_resource = true\n").unwrap();
        let all = Granted { id: "grt_shelf".to_owned(), token_file: store.file("token", TOKEN) };
        Self { server, world: World { store, all } }
    }

    /// The text of a record's body.
    pub(crate) fn text(&self, id: &str) -> String {
        let (connection, rest) = id.split_once('/').unwrap();
        let (stream, key) = rest.split_once(':').unwrap();
        self.server.shelf().record(connection, stream, key).data["body"].as_str().unwrap().to_owned()
    }

    /// What was asked since the last time: with the one token, in its one place, and windows never by whole records.
    pub(crate) fn assert_asked_with_care(&self) {
        let asked = self.server.asked();
        assert!(!asked.is_empty());
        for one in &asked {
            assert_eq!((one.method.as_str(), one.bearer()), ("GET", Some(TOKEN)), "{one:?}");
            assert!(!format!("{} {}", one.path, one.raw_query).contains(TOKEN), "{one:?}");
            assert!(one.param("limit_chars").is_none_or(|limit| limit.parse::<u64>().unwrap() <= 16_384));
        }
        let records = asked.iter().filter(|one| one.path.ends_with("/records/m-0504")).count();
        let windows = asked.iter().filter(|one| one.path.ends_with("/field-window")).count();
        // The record is opened by the client, and never to read a window.
        assert!(records <= 2 && windows > 5, "{records} records, {windows} windows");
    }
}

/// The sample data as a resource server has it: files are references to blobs.
fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    for connection in stepwell_sample::connections() {
        for stream in connection.streams {
            for record in stream.records {
                let id = format!("{}/{}:{}", connection.id, stream.name, record.key);
                let Value::Object(mut data) = record.data else { panic!("a record is an object") };
                for value in data.values_mut() {
                    let Some(blob) = value.get("$blob").cloned() else { continue };
                    let bytes = STANDARD.decode(blob["base64"].as_str().unwrap()).unwrap();
                    *value = shelf.blob(&id, blob["mime_type"].as_str().unwrap(), bytes);
                    value["file_name"] = blob["file_name"].clone();
                }
                if id == LONG {
                    let text = data["body"].as_str().unwrap();
                    let skipped = text.chars().count() - LONG_CHARS;
                    data["body"] = text.chars().skip(skipped).collect::<String>().into();
                }
                shelf.records.push(ShelfRecord {
                    connection: connection.id.to_owned(),
                    label: connection.label.to_owned(),
                    connector: connection.connector.to_owned(),
                    stream: stream.name.to_owned(),
                    key: record.key,
                    emitted_at: record.emitted_at,
                    data,
                });
            }
        }
    }
    shelf
}

#[test]
fn a_window_is_read_and_the_ledger_is_on_this_side() {
    let shelved = Shelved::new();
    let store = &shelved.world.store;
    let token = ["--token-file", &shelved.world.all.token_file];
    let ran = store.run(&[&["read", LONG, "body", "--limit", "50"], &token[..]].concat());
    ran.assert_code(0);
    assert_eq!(ran.text(), shelved.text(LONG).chars().take(50).collect::<String>());
    let ran =
        store.run(&[&["read", LONG, "body", "--q", known::UNIQUE_QUERY, "--json"], &token[..]].concat());
    ran.assert_code(0);
    assert!(ran.json()["window"]["text"].as_str().unwrap().contains(known::UNIQUE_PHRASE));
    let ledger = store.run(&["disclosures", "--json"]);
    ledger.assert_code(0);
    let entries = ledger.json_lines();
    assert_eq!(entries.len(), 3, "{entries:?}");
    assert_eq!((&entries[1]["grant_id"], &entries[1]["record_id"]), (&json!("grt_shelf"), &json!("m-0504")));
    #[cfg(unix)]
    assert_private(&store.path("state/stepwell/remote"));
    for unfit in [&["grant", "list"][..], &["store", "check"], &["ingest", "--connection", "c", "s", "-"]] {
        let ran = store.run(unfit);
        ran.assert_code(64);
        assert!(ran.err.contains("resource server"), "{}", ran.err);
    }
}

/// Only its owner can look into a folder and read what is in it.
#[cfg(unix)]
fn assert_private(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    let files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn exit_codes_say_what_is_wrong_with_the_credential() {
    let shelved = Shelved::new();
    let store = &shelved.world.store;
    let host = store.url.strip_prefix("http://").unwrap().replace(':', "_");
    let cache = store.path("pdpp");
    std::fs::create_dir_all(cache.join("clients")).unwrap();
    let code = |credential: Option<Value>| {
        let file = cache.join("clients").join(format!("{host}.json"));
        let _ = std::fs::remove_file(&file);
        if let Some(credential) = credential {
            std::fs::write(file, credential.to_string()).unwrap();
        }
        let mut command = store.command(&["read", LONG, "subject"]);
        let ran = crate::program::Ran::of(command.env("PDPP_CACHE_ROOT", &cache));
        assert!(!ran.err.contains(TOKEN), "{}", ran.err);
        ran.code
    };
    assert_eq!(code(None), Some(78));
    assert_eq!(code(Some(json!({ "credential": { "access_token": TOKEN } }))), Some(0));
    assert_eq!(code(Some(json!({ "credential": { "access_token": TOKEN, "role": "owner" } }))), Some(77));
    let old = json!({ "credential": { "access_token": TOKEN, "expires_at": "2020-01-01T00:00:00Z" } });
    assert_eq!(code(Some(old)), Some(78));
    assert_eq!(code(Some(json!({ "credential": { "access_token": "unknown" } }))), Some(78));
    shelved.server.knows("an-owners", Bearer::Owner);
    assert_eq!(code(Some(json!({ "credential": { "access_token": "an-owners" } }))), Some(77));
    for wrong in ["https://me:pw@rs.example", "https://rs.example?x=1", "http://rs.example"] {
        let ran = store.run(&["read", LONG, "subject", "--source", wrong]);
        ran.assert_code(64);
        assert!(!ran.err.contains("pw@"), "{}", ran.err);
    }
}

#[test]
fn over_http_a_callers_token_needs_a_way() {
    let shelved = Shelved::new();
    let store = &shelved.world.store;
    let config = store.file("kept.toml", "[source]\n");
    let ran = store.run(&["serve", "--http", "0", "--config", &config]);
    ran.assert_code(64);
    assert!(ran.err.contains("same_resource"), "{}", ran.err);
    let http = Http::open(&shelved.world, &shelved.world.all, &[]);
    let reply = http.ask(Era::Modern, "tools/call", json!({ "name": "schema", "arguments": {} }));
    assert_eq!(reply["result"]["structuredContent"]["provider_url"], store.url, "{reply}");
    // Whoever the resource server does not know is not let in.
    let stranger = [("authorization", "Bearer stranger")];
    let answer =
        http.post(Era::Modern, "tools/call", json!({ "name": "schema", "arguments": {} }), &stranger);
    assert_eq!(answer.status, 401, "{answer:?}");
    shelved.server.knows(TOKEN, Bearer::Revoked);
    let reply = http.ask(Era::Modern, "tools/call", json!({ "name": "fetch", "arguments": { "id": LONG } }));
    assert!(reply.to_string().contains("grant_revoked"), "{reply}");
}

#[test]
fn refusals_and_shapes_of_the_server_reach_the_model() {
    let shelved = Shelved::new();
    let mut client = Stdio::open(&shelved.world, &shelved.world.all, Era::Legacy, &[]);
    let mut call = |tool: &str, args: Value| {
        client.ask("tools/call", json!({ "name": tool, "arguments": args }))["result"].clone()
    };
    let ambiguous = call("fetch", json!({ "id": format!("messages:{}", known::ROOF_QUOTE.key) }));
    let text = ambiguous["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("ambiguous_connection: "), "{text}");
    let error: Value = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
    assert_eq!((&error["error"]["type"], &error["error"]["http_status"]), (&json!("rs_error"), &json!(409)));
    assert_eq!(error["error"]["available_connections"].as_array().unwrap().len(), 2);
    let semantic = call("search", json!({ "q": "roof", "mode": "semantic" }));
    assert!(semantic["content"][0]["text"].as_str().unwrap().starts_with("unsupported_search_mode: "));
    let found = call("search", json!({ "q": "roof" }));
    assert!(found["content"][0]["text"].as_str().unwrap().contains("best first"), "{found}");
    let listed = call("query_records", json!({ "stream": "messages", "limit": 2, "count": "exact" }));
    assert_eq!(listed["structuredContent"]["data"]["data"].as_array().unwrap().len(), 4, "{listed}");
    assert!(listed["structuredContent"]["data"]["meta"]["count"]["value"].as_u64().unwrap() > 100);
    let filtered = call("query_records", json!({ "stream": "messages", "filter": { "id": "x" } }));
    assert!(filtered["content"][0]["text"].as_str().unwrap().starts_with("invalid_request: "), "{filtered}");
}
