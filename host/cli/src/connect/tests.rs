//! What each client's file says afterwards, and that nothing else in it changes.

use super::client::Client;
use super::merge::{Format, MergeError, Merged, Wanted};
use super::way::Way;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};

const STDIO: fn() -> Way = || Way::Stdio {
    program: "/opt/my tools/stepwell".to_owned(),
    arguments: ["serve", "--stdio", "--token-file", "/home/me/to\"ken"].map(str::to_owned).into(),
};
const HTTP: fn() -> Way = || Way::Http {
    url: "https://stepwell.example/mcp".parse().unwrap(),
    token_file: Some("/home/me/token".into()),
};

fn wanted(client: Client, way: &Way) -> Option<Wanted> {
    let shape = client.shape();
    let entry = (shape.entry)(way).ok()?;
    let name = "stepwell".parse().unwrap();
    Some(Wanted { format: shape.format, room: shape.room, name, entry: entry.value, input: entry.input })
}

/// A file's text as a value, as its client reads it.
fn read(text: &str, format: Format) -> Value {
    match format {
        Format::Toml => {
            let document: toml_edit::DocumentMut = text.parse().unwrap();
            let list = |item: &toml_edit::Item| item.to_string().trim().to_owned();
            let servers = document["mcp_servers"].as_table_like().unwrap().iter();
            servers.map(|(name, item)| (name.to_owned(), json!(list(item)))).collect()
        }
        Format::Json => serde_json::from_str(text).unwrap(),
        Format::JsonWithComments => {
            let root = CstRootNode::parse(text, &ParseOptions::default()).unwrap();
            root.to_serde_value().unwrap()
        }
    }
}

fn changed(merged: Result<Merged, MergeError>) -> String {
    match merged {
        Ok(Merged::Changed(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_client_gets_its_own_spelling() {
    for client in Client::ALL {
        for (name, way) in [("stdio", STDIO()), ("http", HTTP())] {
            let Some(wanted) = wanted(client, &way) else {
                assert_eq!((client, name), (Client::ClaudeDesktop, "http"));
                continue;
            };
            let alone = wanted.alone().unwrap();
            insta::assert_snapshot!(format!("connect-{}-{name}", client.word()), alone);
            if wanted.format != Format::Toml {
                assert_eq!(read(&alone, wanted.format), wanted.document());
            }
            // What was written once is not written again.
            assert_eq!(wanted.merge(&alone, false), Ok(Merged::Same), "{client:?} {name}");
        }
    }
}

#[test]
fn whatever_else_a_json_file_says_stays_byte_for_byte() {
    let wanted = wanted(Client::ClaudeCode, &STDIO()).unwrap();
    let before = "\u{feff}{\n\t\"numStartups\": 1.0e2,\n\t\"mcpServers\": {\n\t\t\"other\": { \"command\": \"a\\u0000\" }\n\t},\n\
                  \t\"big\": 12345678901234567890123,\n\t\"b\": [1,2,\n3], \"a\": null\n}\n";
    let after = changed(wanted.merge(before, false));
    let (kept, added) = before.split_at(before.find("\n\t},").unwrap());
    assert!(after.starts_with(kept) && after.ends_with(added), "{after}");
    let value: Value = serde_json::from_str(after.trim_start_matches('\u{feff}')).unwrap();
    assert_eq!(value["mcpServers"]["stepwell"], wanted.entry);
    assert_eq!(value["mcpServers"]["other"]["command"], "a\0");
    assert_eq!(wanted.merge(&after, false), Ok(Merged::Same));
}

#[test]
fn comments_and_trailing_commas_stay_where_the_client_has_them() {
    let before = "// mine\n{\n  \"servers\": {\n    // a friend\n    \"friend\": { \"url\": \"x\", }, // stays\n  },\n  \"inputs\": []\n}\n";
    let wanted = wanted(Client::Vscode, &HTTP()).unwrap();
    let after = changed(wanted.merge(before, false));
    for comment in ["// mine\n", "// a friend\n", "// stays\n"] {
        assert!(after.contains(comment), "{after}");
    }
    let value = read(&after, Format::JsonWithComments);
    assert_eq!(value["servers"]["friend"]["url"], "x");
    assert_eq!(value["servers"]["stepwell"], wanted.entry);
    assert_eq!(value["inputs"].as_array().unwrap().len(), 1);
    // The question is there once, however many servers ask it.
    let second = Wanted { name: "second".parse().unwrap(), ..wanted };
    let twice = read(&changed(second.merge(&after, false)), Format::JsonWithComments);
    assert_eq!(twice["inputs"].as_array().unwrap().len(), 1);
}

#[test]
fn toml_keeps_its_comments_and_every_way_to_write_a_table() {
    let wanted = wanted(Client::Codex, &STDIO()).unwrap();
    let before = "# mine\nmodel = \"x\" # stays\n\n[mcp_servers.other]\ncommand = \"a\"\n\n[projects.\"/a\"]\ntrust = true\n";
    let after = changed(wanted.merge(before, false));
    assert!(
        after.starts_with("# mine\nmodel = \"x\" # stays\n\n[mcp_servers.other]\ncommand = \"a\"\n"),
        "{after}"
    );
    assert!(after.contains("[projects.\"/a\"]\ntrust = true\n"), "{after}");
    for written in [
        "mcp_servers = {}\n",
        "[mcp_servers]\nother = { command = \"a\" }\n",
        "mcp_servers.other.command = \"a\"\n",
    ] {
        let after = changed(wanted.merge(written, false));
        assert_eq!(wanted.merge(&after, false), Ok(Merged::Same), "{after}");
        assert_eq!(after.contains("other"), written.contains("other"), "{after}");
    }
}

#[test]
fn another_server_of_the_name_is_replaced_only_by_force() {
    for client in [Client::Cursor, Client::Codex] {
        let wanted = wanted(client, &STDIO()).unwrap();
        let before = if client == Client::Codex {
            "# mine\n[mcp_servers.stepwell]\nurl = \"https://other\"\n"
        } else {
            "{\"mcpServers\":{\"stepwell\":{\"url\":\"https://other\"}}}"
        };
        assert_eq!(wanted.merge(before, false), Err(MergeError::Taken("stepwell".into())));
        let after = changed(wanted.merge(before, true));
        assert!(!after.contains("https://other"), "{after}");
        assert!(client != Client::Codex || after.starts_with("# mine\n[mcp_servers.stepwell]\n"), "{after}");
        assert_eq!(wanted.merge(&after, false), Ok(Merged::Same), "{after}");
    }
}

#[test]
fn a_file_that_cannot_be_understood_is_left_alone_and_not_quoted() {
    let deep = "[".repeat(100_000);
    for client in [Client::ClaudeCode, Client::Gemini] {
        let wanted = wanted(client, &STDIO()).unwrap();
        for (text, is_room) in [
            ("{\"mcpServers\": {\"x\": \"secret\"", false),
            ("{\"a\": secret}", false),
            ("{'a': 'secret'}", false),
            ("{\"a\": \"secret\" \"b\": 1}", false),
            ("{\"a\": 0xff}", false),
            ("{} {}", false),
            (deep.as_str(), false),
            ("[\"secret\"]", false),
            ("\"secret\"", false),
            ("null", false),
            ("{\"mcpServers\": [\"secret\"]}", true),
            ("{\"mcpServers\": null}", true),
            ("{\"mcpServers\": {}, \"mcp\\u0053ervers\": {}}", true),
            ("{\"mcpServers\": {\"stepwell\": 1, \"stepwell\": \"secret\"}}", true),
        ] {
            let error = wanted.merge(text, true).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{error}");
            let is_structural = matches!(error, MergeError::Shape(..) | MergeError::Twice(_));
            assert_eq!(is_structural, is_room, "{text:.40}: {error}");
        }
    }
    // What only some clients take is refused for the others.
    let comment = "{ /* x */ }";
    assert!(wanted(Client::ClaudeCode, &STDIO()).unwrap().merge(comment, false).is_err());
    assert!(wanted(Client::Gemini, &STDIO()).unwrap().merge(comment, false).is_ok());
    let codex = wanted(Client::Codex, &STDIO()).unwrap();
    for text in
        ["a = secret", "mcp_servers = \"secret\"", "[mcp_servers]\n[mcp_servers]\n", "[[mcp_servers]]\n"]
    {
        let error = codex.merge(text, true).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
