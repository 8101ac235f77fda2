//! The line between a simulated client and the server.

use crate::classes::{Class, Refused};
use crate::mcp::http::Http;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::{Era, Way};
use crate::mcp::world::World;
use crate::program::Granted;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Stdio,
    Http,
}

/// A server, spoken to under a client's name.
pub(super) struct Session {
    way: Way,
    client: &'static str,
    pub(super) transport: Transport,
    /// Whether the source measures digests; a remote one does not.
    pub(super) digests: bool,
}

impl Session {
    /// Starts a server for a grant, and a client of the kind. Over stdio the client is of the older era; over HTTP it is
    /// of the newer one, because there every request says who asks.
    pub(super) fn open<C: Class>(world: &World, granted: &Granted, transport: Transport) -> C {
        let way = match transport {
            Transport::Stdio => Way::Stdio(Stdio::open_as(C::CLIENT, world, granted, Era::Legacy, &[])),
            Transport::Http => Way::Http(Http::open(world, granted, &[]), Era::Modern),
        };
        C::new(Self { way, client: C::CLIENT, transport, digests: world.store.is_own() })
    }

    /// Calls a tool and gives all of its result.
    pub(super) fn call(&mut self, tool: &str, args: &Value) -> Value {
        let reply = self.ask("tools/call", json!({ "name": tool, "arguments": args }));
        assert!(reply.get("error").is_none(), "a tool's problem is never a protocol error: {tool}: {reply}");
        reply["result"].clone()
    }

    /// Reads a resource and gives its one content.
    pub(super) fn read(&mut self, uri: &str) -> Result<Value, Refused> {
        let reply = self.ask("resources/read", json!({ "uri": uri }));
        if let Some(error) = reply.get("error") {
            let refused = Refused::new(error["data"].clone());
            let message = error["message"].as_str().expect("a message");
            assert!(message.starts_with(&format!("{}: ", refused.code)), "{message}");
            return Err(refused);
        }
        let contents = reply["result"]["contents"].as_array().expect("contents");
        assert!(contents.iter().all(|content| content["uri"] == uri));
        // Bytes are followed by a note that says where the next ones are; nothing else comes in two.
        let is_noted = contents.len() == 2 && contents[0]["blob"].is_string();
        assert!(contents.len() == 1 || is_noted, "{reply}");
        let mut content = contents[0].clone();
        content["note"] = contents.get(1).map_or(Value::Null, |note| note["text"].clone());
        Ok(content)
    }

    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let params = self.way.era().dress_as(self.client, params);
        self.way.ask(method, params)
    }
}

/// All text blocks of a result, as a host joins them that shows a model nothing else.
pub(super) fn joined(result: &Value, between: &str) -> String {
    let blocks = result["content"].as_array().expect("blocks");
    let texts: Vec<&str> = blocks
        .iter()
        .filter(|block| block["type"] == "text")
        .map(|block| block["text"].as_str().expect("text"))
        .collect();
    texts.join(between)
}

/// The refusal that a text spells: `code: sentence`, and a line of JSON.
pub(super) fn refused(text: &str) -> Refused {
    let (sentence, object) = text.split_once('\n').expect("two lines");
    let refused = Refused::new(serde_json::from_str::<Value>(object).expect("JSON")["error"].take());
    assert!(sentence.starts_with(&format!("{}: ", refused.code)), "{text}");
    refused
}

/// The first line of a window as JSON, and the text after it.
pub(super) fn header_and_text(text: &str) -> (Value, String) {
    let (header, text) = text.split_once('\n').expect("a header line");
    (serde_json::from_str(header).expect("JSON"), text.to_owned())
}

/// Decodes base64 in the slow and obvious way.
pub(super) fn from_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = [0_u8; 256];
    for (digit, &letter) in (0..).zip(ALPHABET) {
        value[usize::from(letter)] = digit;
    }
    let (mut bytes, mut bits, mut have) = (Vec::with_capacity(text.len() * 3 / 4), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        assert!(ALPHABET.contains(&letter), "no base64: {letter}");
        bits = (bits << 6) | u32::from(value[usize::from(letter)]);
        have += 6;
        if have >= 8 {
            have -= 8;
            bytes.push(u8::try_from((bits >> have) & 0xff).expect("eight bits"));
        }
    }
    bytes
}
