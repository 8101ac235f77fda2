//! A database that breaks under a running server: a client gets one neutral sentence, an operator the cause, and the next
//! call works.

use crate::mcp::errors::refusal;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use crate::program::Store;
use serde_json::json;
use stepwell_testkit::{Postgres, wire_cut};

#[test]
fn a_database_that_breaks_is_one_neutral_sentence_to_a_client_and_the_next_call_works() {
    let postgres = Postgres::shared();
    let url = postgres.fresh_database();
    let cut = wire_cut(postgres.port());
    let line =
        json!({ "key": "m1", "data": { "subject": "a heron", "body": "it waits ".repeat(2_000), "n": 1 } });
    Store::at(url.clone()).ingest("home/messages", &line.to_string());
    let store = Store::at(cut.url(&url));
    let all = store.grant(&["--stream", "messages"]);
    let world = World { store, all };
    let mut session = Stdio::open(&world, &world.all, Era::Modern, &[]);
    let id = "home/messages:m1";
    let calls = [
        ("schema", json!({})),
        ("search", json!({ "q": "heron" })),
        ("query_records", json!({ "stream": "messages" })),
        ("aggregate", json!({ "stream": "messages", "metric": "sum", "field": "n" })),
        ("fetch", json!({ "id": id })),
        ("read_record_field", json!({ "id": id, "field_path": "body" })),
    ];
    // A server that is not yet there cannot survive anything.
    session.ask("tools/call", json!({ "name": "schema", "arguments": {} }));
    let mut failed = 0;
    for bytes in [0, 1, 60, 300, 900, 2_000] {
        for (tool, arguments) in &calls {
            let params = json!({ "name": tool, "arguments": arguments });
            cut.cut_after(bytes);
            let result = session.ask("tools/call", params.clone())["result"].take();
            cut.heal();
            if result["isError"] == true {
                failed += 1;
                let error = refusal(&result);
                let code = error["code"].as_str().unwrap();
                assert!(["source_unavailable", "ledger_unavailable"].contains(&code), "{tool}: {error}");
                let text = result.to_string().to_lowercase();
                for inside in ["select", "postgres", "127.0.0.1", "grant_scope", "closed", "pool", "os error"]
                {
                    assert!(!text.contains(inside), "{inside}: {text}");
                }
            }
            let next = session.ask("tools/call", params)["result"].take();
            assert!(next["isError"] != true, "{tool} after a cut at {bytes}: {next}");
        }
    }
    assert!(failed >= calls.len(), "{failed} failures");
    let (_, status, log) = session.close();
    assert!(status.success());
    assert!(log.contains("postgres"), "the operator learns why: {log}");
}
