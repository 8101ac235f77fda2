//! Previews for some records and not for others, in a running server.

use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::{World, bare};
use crate::program::Ran;
use serde_json::{Value, json};
use stepwell_tiers_fixtures::hostile;

fn open(name: &str, config: &str) -> Stdio {
    let world = World::shared();
    let config = world.store.file(&format!("{name}.toml"), config);
    Stdio::open(world, &world.all, Era::Modern, &["--config", &config])
}

/// The result of a page of a stream, and its text.
fn page(session: &mut Stdio, stream: &str) -> (Value, String) {
    let call = json!({ "name": "query_records", "arguments": { "stream": stream, "limit": 3 } });
    let result = session.ask("tools/call", call)["result"].take();
    let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    (result, text)
}

#[test]
fn a_preview_of_one_stream_leaves_the_others_as_they_are() {
    let mut session = open(
        "one-stream",
        "[tiers.preview]\nenabled = false\n[[preview]]\nname = \"chats\"\nmatch = { streams = [\"chat_*\"] }\n",
    );
    let (_, chats) = page(&mut session, "chat_messages");
    assert!(chats.contains(" preview="), "{chats}");
    let (mails, text) = page(&mut session, "messages");
    assert!(!text.contains(" preview=") && text.contains("id="), "{text}");
    let mut fields = mails["structuredContent"]["content_ladder"]["records"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|record| record["fields"].as_array().unwrap());
    assert!(fields.all(|field| field["preview"]["status"] != "complete"), "{mails}");
}

#[test]
fn a_preview_that_is_to_refuse_ends_the_pages_that_it_is_for() {
    let config = format!(
        "[[preview]]\nmatch = {{ streams = [\"chat_*\"] }}\ncomponent = {:?}\non_fault = \"refuse\"\n",
        hostile("traps")
    );
    let mut session = open("refusing-chats", &config);
    let (result, text) = page(&mut session, "chat_messages");
    assert!(result["isError"] == true && text.starts_with("tier_error: "), "{text}");
    let (result, text) = page(&mut session, "messages");
    assert!(result["isError"] != true && text.contains(" preview="), "{text}");
    let mut session = open("plain-chats", &config.replace("refuse", "fallback"));
    let (result, text) = page(&mut session, "chat_messages");
    assert!(result["isError"] != true && !text.contains(" preview="), "{text}");
}

#[test]
fn plugin_list_shows_previews_in_their_order_with_their_rules() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("plugins.toml");
    let text = "[[preview]]\nname = \"html\"\nmatch = { streams = [\"mail*\"], mime = [\"text/html\"] }\n\
                [[preview]]\nenabled = false\n";
    std::fs::write(&config, text).unwrap();
    let config = config.to_str().unwrap();
    let ran = Ran::of(&mut bare(folder.path(), &["plugin", "list", "--json", "--config", config]));
    ran.assert_code(0);
    let tiers = ran.json()["tiers"].take();
    let listed: Vec<_> =
        (0..3).map(|n| json!([tiers[n]["name"], tiers[n]["health"], tiers[n]["match"]])).collect();
    assert_eq!(
        listed,
        [
            json!(["html", "on", { "streams": ["mail*"], "mime": ["text/html"] }]),
            json!(["preview-2", "off", {}]),
            json!(["preview", "on", null]),
        ]
    );
    let ran = Ran::of(&mut bare(folder.path(), &["plugin", "list", "--config", config]));
    assert!(ran.text().contains("streams mail*, mime text/html"), "{}", ran.text());
}
