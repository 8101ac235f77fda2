//! The log never holds a token, a question or what a record says.

use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::json;
use stepwell_sample::known;

#[test]
fn the_log_names_no_content_however_much_it_says() {
    let world = World::shared();
    for era in [Era::Legacy, Era::Modern] {
        let mut session = Stdio::open(world, &world.all, era, &["--log", "debug"]);
        let place = known::ROOF_QUOTE;
        for (tool, arguments) in [
            ("search", json!({ "q": "roofer wombat-secret" })),
            ("search", json!({ "q": 7, "wombat-secret": 1 })),
            ("fetch", json!({ "id": place.id() })),
            (
                "read_record_field",
                json!({ "id": place.id(), "field_path": place.field, "q": "wombat-secret" }),
            ),
            (
                "read_record_field",
                json!({ "id": place.id(), "field_path": place.field, "q": known::ROOF_QUOTE_EUR }),
            ),
        ] {
            session.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        }
        session.ask("resources/read", json!({ "uri": "pdpp://record/wombat-secret" }));
        session.ask("wombat-secret", json!({}));
        let (_, _, log) = session.close();
        assert!(log.contains("search"), "it says that there was a call: {log}");
        let token = World::token(&world.all);
        for secret in [token.as_str(), "wombat-secret", known::ROOF_QUOTE_EUR] {
            assert!(!log.contains(secret), "{secret}: {log}");
        }
    }
}
