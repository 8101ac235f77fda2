//! Each SDK plays the three kinds of client that the content ladder is made for: from a search hit to the last character
//! of a field of several megabytes.

use crate::clients::sdk::Sdk;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use stepwell_sample::known;

/// What a test plays.
#[derive(Clone, Copy, Debug)]
enum Channel {
    Text,
    Structure,
    Links,
}

fn climb(sdk: Sdk, transport: &str, channel: Channel) {
    let world = World::shared();
    let place = known::LONG_TEXT;
    // These clients are in no table of ours; an operator who knows that they follow links says so.
    let config = world.store.file("links.toml", "[tiers.resources]\nlinks = \"always\"\n");
    let more: &[&str] = if matches!(channel, Channel::Links) { &["--config", &config] } else { &[] };
    let task = json!({
        "channel": match channel { Channel::Text => "text", Channel::Structure => "structure", Channel::Links => "links" },
        "q": known::UNIQUE_QUERY,
        "field": place.field,
        "limit_chars": 16_384,
    });
    let outcome = sdk.run(("climb", Era::Legacy), (world, &world.all), transport, more, task);
    let connections = stepwell_sample::connections();
    let whole = place.find(&connections).and_then(Value::as_str).unwrap();
    let digest: String = Sha256::digest(whole.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(outcome["sha256"], json!(digest), "{outcome}");
    assert_eq!(outcome["digest"], json!(format!("sha256:{digest}")));
    assert_eq!(outcome["chars"], json!(whole.chars().count()));
    assert_eq!(outcome["server"], "stepwell");
    assert_eq!(outcome["tools"].as_array().unwrap().len(), 6);
}

macro_rules! climbs {
    ($($name:ident: $sdk:ident, $transport:literal, $channel:ident;)*) => {
        $(#[test]
        fn $name() {
            climb(Sdk::$sdk, $transport, Channel::$channel);
        })*
    };
}

climbs! {
    python_climbs_by_text_over_stdio: Python, "stdio", Text;
    python_climbs_by_text_over_http: Python, "http", Text;
    python_climbs_by_structure_over_stdio: Python, "stdio", Structure;
    python_climbs_by_structure_over_http: Python, "http", Structure;
    python_climbs_by_links_over_stdio: Python, "stdio", Links;
    python_climbs_by_links_over_http: Python, "http", Links;
    typescript_climbs_by_text_over_stdio: TypeScript, "stdio", Text;
    typescript_climbs_by_text_over_http: TypeScript, "http", Text;
    typescript_climbs_by_structure_over_stdio: TypeScript, "stdio", Structure;
    typescript_climbs_by_structure_over_http: TypeScript, "http", Structure;
    typescript_climbs_by_links_over_stdio: TypeScript, "stdio", Links;
    typescript_climbs_by_links_over_http: TypeScript, "http", Links;
}
