//! What a message of Telegram says, whatever it is made of.

use crate::json;
use serde_json::{Map, Value, json};

/// The text of a message: what was written, else what stands for it.
pub(super) fn text(value: &Value) -> String {
    let written = pieces(&value["text"]);
    // Some versions leave one of the two empty.
    let written = if written.is_empty() { pieces(&value["text_entities"]) } else { written };
    let mut lines: Vec<String> = vec![written];
    lines.extend(json::text(value, "sticker_emoji").filter(|_| lines[0].is_empty()).map(str::to_owned));
    lines.extend(poll(&value["poll"]));
    lines.extend(contact(&value["contact_information"]));
    lines.extend(place(value));
    lines.extend(
        ["game_title", "game_description"]
            .iter()
            .filter_map(|member| json::text(value, member))
            .map(str::to_owned),
    );
    lines.extend(service(value));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// A text, or pieces of which some are marked. A link keeps what it leads to.
fn pieces(value: &Value) -> String {
    let piece = |piece: &Value| match (piece, json::text(piece, "text"), json::text(piece, "href")) {
        (Value::String(text), ..) => text.clone(),
        (_, Some(text), Some(href)) if text != href => format!("{text} ({href})"),
        (_, Some(text), _) => text.to_owned(),
        _ => String::new(),
    };
    match value {
        Value::Array(pieces) => pieces.iter().map(piece).collect(),
        other => piece(other),
    }
}

fn poll(poll: &Value) -> Option<String> {
    let mut lines = vec![pieces(poll.get("question")?)];
    for answer in json::list(poll, "answers") {
        let voters = answer["voters"].as_u64().map(|voters| format!(" ({voters})")).unwrap_or_default();
        let chosen = if answer["chosen"] == true { " ✓" } else { "" };
        lines.push(format!("- {}{voters}{chosen}", pieces(&answer["text"])));
    }
    Some(lines.join("\n"))
}

fn contact(contact: &Value) -> Option<String> {
    let parts =
        ["first_name", "last_name", "phone_number"].iter().filter_map(|member| json::text(contact, member));
    Some(parts.collect::<Vec<_>>().join(" ")).filter(|line| !line.is_empty())
}

fn place(value: &Value) -> Option<String> {
    let named =
        ["place_name", "address"].iter().filter_map(|member| json::text(value, member)).map(str::to_owned);
    let point = &value["location_information"];
    let numbers = ["latitude", "longitude"].map(|member| json::name(point, member));
    let at = match numbers {
        [Some(latitude), Some(longitude)] => Some(format!("{latitude}, {longitude}")),
        _ => None,
    };
    Some(named.chain(at).collect::<Vec<_>>().join(", ")).filter(|line| !line.is_empty())
}

/// What the program says itself: `invite members: Bo, Cy`.
fn service(value: &Value) -> Option<String> {
    if json::text(value, "type") != Some("service") {
        return None;
    }
    let action = json::text(value, "action").map(|action| action.replace('_', " "));
    let members = json::list(value, "members").iter().map(|name| name.as_str().unwrap_or("(unknown)"));
    let about = ["title", "new_title", "information_text", "discard_reason", "emoticon", "inviter"];
    let told: Vec<&str> =
        about.iter().filter_map(|member| json::text(value, member)).chain(members).collect();
    Some(match (action, told.join(", ")) {
        (Some(action), told) if told.is_empty() => action,
        (Some(action), told) => format!("{action}: {told}"),
        (None, told) => told,
    })
}

pub(super) fn media_type(value: &Value) -> Option<&str> {
    let others = [
        "photo",
        "file",
        "poll",
        "contact_information",
        "location_information",
        "game_title",
        "invoice_information",
    ];
    let other = || others.into_iter().find(|member| value.get(*member).is_some_and(|value| !value.is_null()));
    json::text(value, "media_type").or_else(other)
}

/// The files that a message came with. What was not exported stands there in words, and keeps its name.
pub(super) fn files(value: &Value) -> Vec<Value> {
    let files = ["photo", "file", "contact_vcard"]
        .iter()
        .filter_map(|member| Some((*member, json::text(value, member)?)));
    let mut listed = Vec::new();
    for (member, path) in files {
        let is_there = !path.ends_with(')') || !path.contains('(');
        let own = json::text(value, "file_name").filter(|_| member == "file");
        let name = own.or_else(|| path.rsplit('/').next().filter(|_| is_there));
        let mime = json::text(value, "mime_type").filter(|_| member == "file");
        let size = value.get(format!("{member}_size")).or_else(|| value.get(format!("{member}_file_size")));
        let mut file = Map::new();
        let mut set = |name: &str, told: Option<Value>| {
            if let Some(told) = told {
                file.insert(name.to_owned(), told);
            }
        };
        set("name", name.map(Value::from));
        set("path", is_there.then(|| path.into()));
        set("mime_type", mime.map(Value::from));
        set("size", size.filter(|size| size.is_u64()).cloned());
        if !file.is_empty() {
            listed.push(Value::Object(file));
        }
    }
    listed
}

/// What others put under it, and those of them that the export names.
pub(super) fn reactions(value: &Value) -> Vec<Value> {
    let reaction = |reaction: &Value| {
        let recent = json::list(reaction, "recent").iter().filter_map(|person| json::text(person, "from"));
        let emoji = json::text(reaction, "emoji").or_else(|| json::text(reaction, "type"));
        json!({ "emoji": emoji, "count": reaction["count"], "by": recent.collect::<Vec<_>>() })
    };
    json::list(value, "reactions").iter().map(reaction).collect()
}

/// What the buttons under a bot's message say.
pub(super) fn buttons(value: &Value) -> Vec<String> {
    let rows = json::list(value, "inline_bot_buttons").iter().filter_map(Value::as_array).flatten();
    rows.filter_map(|button| json::text(button, "text")).map(str::to_owned).collect()
}
