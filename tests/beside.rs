//! What lies beside a grant shows nowhere: in no answer of the built server, no error, no line of its log, no counter, no
//! row of the ledger. And whatever becomes of it, every answer stays as it was, to the byte.
//!
//! `host/source/tests/beside.rs` asks the store about this with chance grants. Here one grant is followed through the whole
//! program: both transports, tools, resources, and calls that make no sense.

use crate::contract::handles::{Step, of_resource, of_result};
use crate::mcp::http::Http;
use crate::mcp::operations::page;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::{Era, Way};
use crate::mcp::world::World;
use crate::program::{Store, block_on};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs::File;
use stepwell_contract::{ConnectionId, StreamName};
use stepwell_source::embedded::IngestTarget;
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::{Embedded, Source as _};

/// Stands in every name, text and byte beside the grant, and nowhere else.
const CANARY: &str = "canary6d1f";
/// How many calls that results offer are made, too.
const OFFERED: usize = 120;

const GRANTED: &[&str] = &[
    "--stream",
    "mail:subject,body,n,tag,file,tree,thread",
    "--stream",
    "threads:title",
    "--connection",
    "home",
    "--connection",
    "work",
    "--since",
    "2025-03-01",
];

#[test]
fn nothing_beside_a_grant_shows_on_sqlite() {
    nothing_beside_a_grant_shows(Store::sqlite());
}

#[test]
fn nothing_beside_a_grant_shows_on_postgres() {
    nothing_beside_a_grant_shows(Store::postgres());
}

fn nothing_beside_a_grant_shows(store: Store) {
    block_on(async {
        let url: stepwell_source::SourceUrl = store.url.parse().unwrap();
        fill(&url.open(stepwell_source::sqlite::Missing::Create).await.unwrap()).await;
    });
    let all = store.grant(GRANTED);
    let world = World { store, all };
    let logs = ["stdio", "http"].map(|name| world.store.path(&format!("{name}.log")));
    let log = |at: usize| File::create(&logs[at]).unwrap();
    let serve = |arguments: &[&str], at: usize| {
        let mut command = world.serve(&[arguments, &["--log", "debug"]].concat());
        command.stderr(log(at));
        command
    };
    let config = world.store.file("admin.toml", "[server]\nadmin = \"127.0.0.1:0\"\n");
    let stdio = serve(&["--stdio", "--token-file", &world.all.token_file], 0);
    let over_http = ["--http", "0", "--json", "--config", &config];
    let http = Http::started(serve(&over_http, 1), &world.all);
    let mut ways = [Way::Stdio(Stdio::started("a test", stdio, Era::Legacy)), Way::Http(http, Era::Modern)];
    let requests = requests(&mut ways[0]);
    let mut baseline = Said::of(&mut ways, &requests);
    // What is granted does show, and so do refusals: the silence below is not that of a server that says nothing.
    let saying = |words: &str| baseline.replies.iter().filter(|reply| reply.contains(words)).count();
    assert!(saying("the heron waits") > 80 && saying("\"isError\":true") > 80, "{}", baseline.replies.len());
    assert!(requests.iter().filter(|(method, _)| method == "resources/read").count() > 20);
    let mut compared = 0;
    for change in 0..CHANGES {
        if baseline.hour != hour() {
            baseline = Said::of(&mut ways, &requests);
        }
        block_on(async { beside(&world.store.open().await, change).await });
        let said = Said::of(&mut ways, &requests);
        // Sealed cursors name the hour in which they end.
        if said.hour == baseline.hour {
            compared += 1;
            for ((request, before), after) in
                requests.iter().cycle().zip(&baseline.replies).zip(&said.replies)
            {
                assert_eq!(before, after, "change {change} shows in the answer to {request:?}");
            }
        }
    }
    assert!(compared >= CHANGES - 1, "{compared} changes");
    // What an operator can look at besides: numbers about the server, its log, and the ledger.
    let mut seen = vec![metrics(&ways[1])];
    drop(ways);
    seen.extend(logs.iter().map(|log| std::fs::read_to_string(log).unwrap()));
    assert!(seen[1].contains("search") && seen[2].contains("search"), "the log says that there were calls");
    let ledger = world.store.run(&["disclosures", "--json", "--limit", "1000"]);
    ledger.assert_code(0);
    assert!(ledger.text().contains("query_records"));
    seen.push(ledger.text().to_owned());
    for text in seen {
        let line = text.lines().find(|line| line.contains(CANARY));
        assert_eq!(line, None, "it tells what is beside the grant");
    }
}

/// The server's counters.
fn metrics(way: &Way) -> String {
    let Way::Http(http, _) = way else { return String::new() };
    let counters = page(http.admin.as_ref().expect("it says where"), "/metrics");
    assert!(counters.starts_with("HTTP/1.1 200") && counters.contains("search"), "{counters}");
    counters
}

fn hour() -> i64 {
    stepwell_source::time::now() / 3_600_000
}

/// What the server said to all requests over all ways.
struct Said {
    hour: i64,
    replies: Vec<String>,
}

impl Said {
    /// Asks everything within one hour: once more if the clock strikes meanwhile.
    fn of(ways: &mut [Way], requests: &[(String, Value)]) -> Self {
        let said = Self::told(ways, requests);
        if said.hour == hour() { said } else { Self::told(ways, requests) }
    }

    fn told(ways: &mut [Way], requests: &[(String, Value)]) -> Self {
        let (hour, mut replies) = (hour(), Vec::new());
        for way in ways {
            for (method, params) in requests {
                let reply = told(way, method, params);
                assert!(!reply.contains(CANARY), "{method} {params} tells what is beside the grant: {reply}");
                replies.push(reply);
            }
        }
        Self { hour, replies }
    }
}

/// A reply without what is different each time: the number and the name of the request.
fn told(way: &mut Way, method: &str, params: &Value) -> String {
    let mut reply = way.ask(method, params.clone());
    if let Some(members) = reply.as_object_mut() {
        members.remove("id");
    }
    Regex::new("req_[0-9a-f]{16}").unwrap().replace_all(&reply.to_string(), "req_").into_owned()
}

fn call(tool: &str, arguments: Value) -> (String, Value) {
    ("tools/call".to_owned(), json!({ "name": tool, "arguments": arguments }))
}

/// Everything that can be asked, and what the answers to it offer.
fn requests(way: &mut Way) -> Vec<(String, Value)> {
    let mut requests = first_requests();
    let mut known: HashSet<String> = requests.iter().map(|request| format!("{request:?}")).collect();
    let mut at = 0;
    while at < requests.len() && requests.len() < first_requests().len() + OFFERED {
        let (method, params) = requests[at].clone();
        at += 1;
        let result = way.ask(&method, params.clone())["result"].take();
        let offered = match method.as_str() {
            "tools/call" if result["isError"] != true => {
                let tool = params["name"].as_str().unwrap();
                of_result(tool, &params["arguments"], &result)
            }
            "resources/read" if !result.is_null() => of_resource(&result),
            _ => Vec::new(),
        };
        for step in offered {
            let request = match step {
                Step::Call(tool, arguments) => call(&tool, arguments),
                Step::Read(uri) => ("resources/read".to_owned(), json!({ "uri": uri })),
            };
            if known.insert(format!("{request:?}")) {
                requests.push(request);
            }
        }
    }
    requests
}

fn first_requests() -> Vec<(String, Value)> {
    let mut requests: Vec<(String, Value)> = ["tools/list", "resources/list", "resources/templates/list"]
        .map(|method| (method.to_owned(), json!({})))
        .to_vec();
    let mut add = |tool: &str, arguments: Value| requests.push(call(tool, arguments));
    add("schema", json!({}));
    for stream in ["mail", "threads", "vault", "none"] {
        add("schema", json!({ "stream": stream, "detail": "full" }));
        add("query_records", json!({ "stream": stream, "limit": 3 }));
        add("query_records", json!({ "stream": stream, "order": "asc", "count": "exact" }));
        add("query_records", json!({ "stream": stream, "sort": "n" }));
        add("query_records", json!({ "stream": stream, "sort": "secret" }));
        add("query_records", json!({ "stream": stream, "changes_since": "beginning", "limit": 4 }));
        add("query_records", json!({ "stream": stream, "filter": { "secret": "x" } }));
        add("query_records", json!({ "stream": stream, "filter": { "n": { "gte": 1 } } }));
        add("query_records", json!({ "stream": stream, "view": "short" }));
        add("query_records", json!({ "stream": stream, "view": "none" }));
        add("query_records", json!({ "stream": stream, "expand": ["thread"] }));
        add("query_records", json!({ "stream": stream, "expand": ["mails"] }));
        add("query_records", json!({ "stream": stream, "connection_id": "far" }));
        for (metric, field) in
            [("sum", "n"), ("min", "subject"), ("max", "secret"), ("count_distinct", "tag")]
        {
            add("aggregate", json!({ "stream": stream, "metric": metric, "field": field }));
        }
        add("aggregate", json!({ "stream": stream, "metric": "count", "group_by": "tag" }));
        add("aggregate", json!({ "stream": stream, "metric": "count", "group_by": "secret" }));
        for key in ["k0", "k5", "k9", "none"] {
            for place in ["", "home/", "work/", "far/"] {
                add("fetch", json!({ "id": format!("{place}{stream}:{key}") }));
            }
            for field in ["body", "/tree/long", "secret", "file", "sent", "none"] {
                add(
                    "read_record_field",
                    json!({ "id": format!("home/{stream}:{key}"), "field_path": field }),
                );
            }
        }
    }
    for q in ["heron", "her*", "\"heron waits\"", "heron -ferry", "sealed", "hidden*", "-heron", "!"] {
        add("search", json!({ "q": q, "limit": 3 }));
        add("search", json!({ "q": q, "streams": ["vault"] }));
    }
    add("search", json!({ "q": "heron", "filter": { "tag": "red" } }));
    // Calls that make no sense.
    add("search", json!({}));
    add("search", json!({ "q": 7 }));
    add("search", json!({ "q": "heron", "cursor": "AAAA" }));
    add("query_records", json!({ "stream": 7 }));
    add("query_records", json!({ "stream": "a/b" }));
    add("query_records", json!({ "stream": "mail", "filter": { "n": { "like": 1 } } }));
    add("query_records", json!({ "stream": "mail", "cursor": "e30" }));
    add("query_records", json!({ "stream": "mail", "changes_since": "yesterday" }));
    add("aggregate", json!({ "stream": "mail", "metric": "median" }));
    add("fetch", json!({ "id": "no id" }));
    add("fetch", json!({ "id": "home/mail:k5", "fields": ["secret"] }));
    add("fetch", json!({ "id": "home/mail:k5", "expand": ["none"] }));
    add("read_record_field", json!({ "id": "home/mail:k5", "field_path": "body", "cursor": "AAAA" }));
    add("read_record_field", json!({ "id": "home/mail:k5", "field_path": "/a~2" }));
    add("no_such_tool", json!({}));
    for uri in ["pdpp://record/AAAA", "pdpp://stream/", "pdpp://blob/e30", "file:///etc/passwd"] {
        requests.push(("resources/read".to_owned(), json!({ "uri": uri })));
    }
    requests.push(("no/such/method".to_owned(), json!({})));
    requests
}

/// What mails declare: what they say about fields that are not granted is another thing each time.
fn manifest(stream: &str, note: &str) -> Value {
    match stream {
        "mail" => json!({
            "cursor_field": "sent",
            "consent_time_field": "agreed",
            "schema": { "properties": {
                "subject": { "x_pdpp_role": "title" }, "body": {}, "n": {}, "tag": {}, "file": {}, "tree": {}, "thread": {},
                "agreed": { "description": note }, "sent": { "description": note },
                "secret": { "description": note, "x_pdpp_role": note }, "diary": { "title": note },
            } },
            "views": [
                { "id": "short", "fields": ["subject", "n"] },
                { "id": note, "label": note, "fields": ["secret", "diary"] },
            ],
            "relationships": [
                { "name": "thread", "stream": "threads", "foreign_key": "thread", "cardinality": "has_one" },
                { "name": note, "stream": "vault", "foreign_key": "thread", "cardinality": "has_one" },
            ],
            "query": { "expand": [{ "name": "thread" }, { "name": note }] },
        }),
        "threads" => json!({
            "relationships": [
                { "name": "mails", "stream": "mail", "foreign_key": "thread", "cardinality": "has_many" },
                { "name": note, "stream": "vault", "foreign_key": "thread", "cardinality": "has_many" },
            ],
            "query": { "expand": [{ "name": "mails" }, { "name": note }] },
        }),
        _ => json!({ "schema": { "description": note } }),
    }
}

/// A mail. Whatever the grant shows of it is the same for every version.
fn mail(n: u64, version: u64, shown: bool) -> Value {
    let seal = format!("heron sealed hidden {CANARY} {n} {version}");
    let text = |plain: String| if shown { plain } else { seal.clone() };
    let day = |month: u64| format!("2025-{month:02}-{:02}T00:00:00Z", 1 + (n + version) % 28);
    let blob = |name: String, bytes: String| json!({ "$blob": { "mime_type": "text/plain", "file_name": name, "base64": STANDARD.encode(bytes) } });
    let mut mail = json!({
        "sent": day(1 + (n * 5 + version) % 12),
        "agreed": if shown { day(4 + (n + version) % 8) } else { day(1) },
        "subject": text(format!("the heron waits {n}")),
        "body": text(format!("the heron waits at the ferry {n}. ").repeat(300)),
        "n": if shown { json!(n % 4) } else { json!(seal) },
        "tag": text(["red", "blue"][(n % 2) as usize].to_owned()),
        "thread": text(format!("k{}", n % 3)),
        "tree": { "leaf": text("leaf".into()), "long": text("long and deep ".repeat(500)) },
        "file": blob(text("a.txt".into()), text(format!("bytes of {n}"))),
        "secret": seal,
        "diary": format!("{seal} ").repeat(300),
        "hidden": blob(format!("{CANARY}.txt"), seal.clone()),
        format!("{CANARY}-{version}"): seal,
    });
    if !shown && version % 2 == 1 {
        mail["n"] = json!([n, version]);
        mail["subject"] = json!({ CANARY: version });
    }
    mail
}

async fn write(store: &Embedded, place: &str, note: &str, lines: &[String]) {
    let (connection, stream) = place.split_once('/').unwrap();
    let named = if connection == "far" { note.to_owned() } else { format!("The {connection}") };
    let target = IngestTarget {
        connection: ConnectionId::new(connection).unwrap(),
        connector: Some(named.clone()),
        label: Some(named),
        stream: StreamName::new(stream).unwrap(),
        manifest: Manifest::parse(&manifest(stream, note).to_string(), stream).unwrap(),
    };
    let mut ingest = store.ingest(&target).await.unwrap();
    for line in lines {
        ingest.push(prepare(line.as_bytes(), ingest.manifest()).unwrap()).await.unwrap();
    }
    ingest.flush().await.unwrap();
}

fn line(key: &str, data: &Value) -> String {
    json!({ "key": key, "data": data, "emitted_at": "2025-06-01T00:00:00Z" }).to_string()
}

/// The keys below this one are of records outside of the grant's time range.
const HIDDEN: u64 = 3;
const MAILS: u64 = 12;

async fn mails(store: &Embedded, version: u64) {
    let note = format!("{CANARY} {version}");
    for connection in ["home", "work", "far"] {
        let shown = |n: u64| n >= HIDDEN && connection != "far";
        let lines: Vec<String> =
            (0..MAILS).map(|n| line(&format!("k{n}"), &mail(n, version, shown(n)))).collect();
        write(store, &format!("{connection}/mail"), &note, &lines).await;
    }
}

async fn fill(store: &Embedded) {
    mails(store, 0).await;
    let note = format!("{CANARY} 0");
    for connection in ["home", "work", "far"] {
        let title = if connection == "far" { note.as_str() } else { "a thread" };
        let lines: Vec<String> =
            (0..3).map(|n| line(&format!("k{n}"), &json!({ "title": title, "secret": note }))).collect();
        write(store, &format!("{connection}/threads"), &note, &lines).await;
        write(store, &format!("{connection}/vault"), &note, &[line("k5", &mail(5, 0, false))]).await;
    }
}

/// How many changes there are.
const CHANGES: u64 = 4;

/// Changes something beside the grant.
async fn beside(store: &Embedded, change: u64) {
    let note = format!("{CANARY} {}", change + 1);
    match change {
        // Fields that are not granted, records outside of the range, and what manifests say about both.
        0 => mails(store, 1).await,
        // Other streams and connections, under other names.
        1 => {
            for place in ["home/vault", "far/mail", "far/vault", "new/mail"] {
                let lines: Vec<String> =
                    (0..9).map(|n| line(&format!("{CANARY}-{n}"), &mail(n, 2, false))).collect();
                let place = place.replace("new", &format!("far{CANARY}"));
                write(store, &place, &note, &lines).await;
            }
        }
        // More records outside of the range, and other grants.
        2 => {
            let lines: Vec<String> =
                (0..50).map(|n| line(&format!("{CANARY}-{n}"), &mail(n, 3, false))).collect();
            write(store, "home/mail", &note, &lines).await;
            let stream = |name: &str| StreamRequest {
                name: StreamName::new(name).unwrap(),
                connections: Vec::new(),
                fields: None,
                since: None,
                until: None,
                resources: None,
            };
            let request = GrantRequest {
                client: CANARY.into(),
                subject: CANARY.into(),
                purpose: Some(CANARY.into()),
                expires_at: None,
                streams: vec![stream("mail"), stream("vault")],
            };
            let (grant, token) = store.create_grant(&request).await.unwrap();
            store.authenticate(&token).await.unwrap();
            store.revoke_grant(&grant.grant_id).await.unwrap();
        }
        // All of it goes.
        _ => {
            let gone = |key: String| json!({ "key": key, "deleted": true }).to_string();
            let mut keys: Vec<String> = (0..50).map(|n| gone(format!("{CANARY}-{n}"))).collect();
            keys.extend((0..HIDDEN).map(|n| gone(format!("k{n}"))));
            write(store, "home/mail", &note, &keys).await;
            write(store, "far/mail", &note, &keys).await;
            write(store, "home/vault", &note, &[gone("k5".into())]).await;
        }
    }
}
