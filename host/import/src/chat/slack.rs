//! `slack`: the export of a workspace. It has a file for each channel and day, and lists of channels and people.

mod markup;
mod streams;

use super::export::{Export, Part, each};
use crate::draft::Fields;
use crate::error::ImportError;
use crate::intake::{Intake, Stopped};
use crate::json;
use crate::kind::Kind;
use crate::skip::{Place, Reason};
use crate::{key, moment};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use streams::Streams;

/// The files that list conversations, and what they list.
const LISTS: [(&str, &str); 4] = [
    ("channels.json", "channel"),
    ("groups.json", "private channel"),
    ("dms.json", "direct"),
    ("mpims.json", "group"),
];

/// Who and what the messages speak of.
#[derive(Default)]
struct Workspace {
    people: HashMap<String, String>,
    /// A channel by the folder that its messages lie in.
    channels: HashMap<String, Channel>,
}

struct Channel {
    id: String,
    title: String,
    kind: &'static str,
    about: Value,
    count: u64,
    first: Option<String>,
    last: Option<String>,
}

pub(crate) fn import(paths: &[PathBuf], intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let streams = Streams::announce(intake)?;
    paths.iter().try_for_each(|path| workspace(path, &streams, intake))
}

fn workspace(path: &Path, streams: &Streams, intake: &mut Intake<'_>) -> Result<(), ImportError> {
    let mut export = Export::open(path, intake)?;
    let parts = export.parts();
    let named = |name: &str| parts.iter().find(|part| part.name == name);
    if named("users.json").is_none() && LISTS.iter().all(|(name, _)| named(name).is_none()) {
        return Err(ImportError::not(Kind::Slack, path, "it has no users.json and no channels.json"));
    }
    let mut workspace = Workspace::default();
    if let Some(part) = named("users.json") {
        let users = export.value(part, intake)?;
        for (index, user) in users.as_array().into_iter().flatten().enumerate() {
            workspace.person(user, Place::part(&part.label, "person", index as u64 + 1), streams, intake)?;
        }
    }
    for (name, kind) in LISTS {
        let Some(part) = named(name) else { continue };
        for channel in export.value(part, intake)?.as_array().into_iter().flatten() {
            workspace.channel(channel, kind);
        }
    }
    for part in &parts {
        let Some((folder, day)) = part.name.rsplit_once('/') else { continue };
        if day.ends_with(".json") {
            workspace.day(&mut export, part, folder, streams, intake)?;
        }
    }
    workspace.finish(&parts, streams, intake)?;
    Ok(())
}

impl Workspace {
    fn person(
        &mut self,
        user: &Value,
        place: Place,
        streams: &Streams,
        intake: &mut Intake<'_>,
    ) -> Result<(), Stopped> {
        let Some(id) = json::text(user, "id") else {
            return intake.skip(place, Reason::Malformed, "it has no id");
        };
        let profile = &user["profile"];
        let names = [
            json::text(profile, "display_name"),
            json::text(profile, "real_name"),
            json::text(user, "real_name"),
            json::text(user, "name"),
        ];
        let name = names.into_iter().flatten().next().unwrap_or(id);
        self.people.insert(id.to_owned(), name.to_owned());
        let mut fields = Fields::default();
        fields.set("name", name);
        fields.set("handle", json::text(user, "name"));
        fields.set("full_name", json::text(profile, "real_name"));
        fields.set("email", json::text(profile, "email"));
        fields.set("title", json::text(profile, "title"));
        fields.set("is_bot", user["is_bot"].as_bool());
        fields.set("is_deleted", user["deleted"].as_bool());
        intake.put(streams.people, &key::of(id), fields, place)
    }

    fn channel(&mut self, channel: &Value, kind: &'static str) {
        let Some(id) = json::text(channel, "id") else { return };
        // Direct messages have no name and lie in a folder of their id.
        let folder = json::text(channel, "name").unwrap_or(id);
        let members = || {
            let names =
                json::list(channel, "members").iter().filter_map(Value::as_str).map(|id| self.name(id));
            names.collect::<Vec<_>>().join(", ")
        };
        let title = json::text(channel, "name")
            .filter(|_| kind != "group")
            .map_or_else(members, |name| format!("#{name}"));
        let channel = Channel {
            id: id.to_owned(),
            title,
            kind,
            about: channel.clone(),
            count: 0,
            first: None,
            last: None,
        };
        self.channels.insert(folder.to_owned(), channel);
    }

    fn name(&self, id: &str) -> String {
        self.people.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }

    /// Reads the messages of a day.
    fn day(
        &mut self,
        export: &mut Export,
        part: &Part,
        folder: &str,
        streams: &Streams,
        intake: &mut Intake<'_>,
    ) -> Result<(), Stopped> {
        let unlisted = || Channel {
            id: folder.to_owned(),
            title: format!("#{folder}"),
            kind: "channel",
            about: Value::Null,
            count: 0,
            first: None,
            last: None,
        };
        let mut channel = self.channels.remove(folder).unwrap_or_else(unlisted);
        let outcome = export.json(part, intake, |pull, intake| {
            each(pull, (&part.label, "message"), &mut 0, intake, |value, place, intake| {
                self.message(value, &mut channel, place, streams, intake)
            })
        });
        self.channels.insert(folder.to_owned(), channel);
        outcome
    }

    fn message(
        &self,
        value: &Value,
        channel: &mut Channel,
        place: Place,
        streams: &Streams,
        intake: &mut Intake<'_>,
    ) -> Result<(), Stopped> {
        let Some(ts) = json::name(value, "ts") else {
            return intake.skip(place, Reason::Malformed, "it has no ts");
        };
        let key_of = |ts: &str| key::of(&format!("{}:{ts}", channel.id));
        let (key, sent_at) = (key_of(&ts), moment::of_json(&Value::String(ts.clone())));
        let mut fields = Fields::default();
        fields.set("conversation_id", key::of(&channel.id));
        fields.set("conversation", channel.title.as_str());
        let thread = json::name(value, "thread_ts");
        fields.set("thread_id", thread.as_deref().map(key_of));
        fields.set("parent_id", thread.filter(|thread| *thread != ts).map(|thread| key_of(&thread)));
        let written_by = json::text(value, "user").map(|id| self.name(id));
        let shown_as = ["real_name", "display_name"]
            .iter()
            .find_map(|member| json::text(&value["user_profile"], member));
        let author = written_by.or_else(|| {
            shown_as.or(json::text(value, "username")).or(json::text(value, "bot_id")).map(str::to_owned)
        });
        fields.set("author", author);
        fields.set("author_id", json::text(value, "user").map(key::of));
        fields.set("sent_at", sent_at.as_deref());
        fields.set("edited_at", value["edited"].get("ts").and_then(moment::of_json));
        let plain = |text: &str| markup::plain(text, &self.people);
        let text = plain(json::text(value, "text").unwrap_or_default());
        let attached = markup::attached(value, &plain);
        // What programs post stands in what is attached, and nowhere else.
        let (text, attached) = if text.is_empty() { (attached, String::new()) } else { (text, attached) };
        fields.set("text", text);
        fields.set("attached_text", attached);
        fields.set("kind", json::text(value, "subtype"));
        fields.set("reply_count", value["reply_count"].as_u64());
        let reaction = |reaction: &Value| {
            let by: Vec<String> = json::list(reaction, "users")
                .iter()
                .filter_map(Value::as_str)
                .map(|id| self.name(id))
                .collect();
            json!({ "emoji": reaction["name"], "by": by })
        };
        fields.set("reactions", json::list(value, "reactions").iter().map(reaction).collect::<Vec<_>>());
        let files: Vec<&Value> =
            json::list(value, "files").iter().filter(|file| json::text(file, "id").is_some()).collect();
        let names: Vec<&str> = files.iter().filter_map(|file| json::text(file, "name")).collect();
        fields.set("file_names", names.join("\n"));
        fields.set(
            "files",
            files
                .iter()
                .map(|file| json::picked(file, &[("id", "id"), ("name", "name"), ("mime_type", "mimetype")]))
                .collect::<Vec<_>>(),
        );
        channel.count += 1;
        channel.first = channel.first.take().or_else(|| sent_at.clone());
        channel.last = sent_at.clone().or_else(|| channel.last.take());
        intake.put(streams.messages, &key, fields, place.clone())?;
        for file in files {
            streams.file(file, &key, sent_at.as_deref(), place.clone(), intake)?;
        }
        Ok(())
    }

    /// Hands the conversations over, now that it is known how long they are.
    fn finish(self, parts: &[Part], streams: &Streams, intake: &mut Intake<'_>) -> Result<(), Stopped> {
        let Some(place) = parts.first().map(|part| Place::file(&part.label)) else { return Ok(()) };
        let mut channels: Vec<Channel> = self.channels.into_values().collect();
        channels.sort_by(|a, b| a.id.cmp(&b.id));
        for channel in channels {
            let about = &channel.about;
            let created = about.get("created").and_then(moment::of_json);
            let mut fields = Fields::default();
            fields.set("title", channel.title);
            fields.set("kind", channel.kind);
            fields.set("created_at", created.clone().or(channel.first));
            fields.set("updated_at", channel.last.or(created));
            fields.set("message_count", channel.count);
            fields.set("topic", json::text(&about["topic"], "value"));
            fields.set("purpose", json::text(&about["purpose"], "value"));
            fields.set("is_archived", about["is_archived"].as_bool());
            let members = json::list(about, "members").iter().filter_map(Value::as_str);
            fields.set(
                "members",
                members.map(|id| self.people.get(id).map_or(id, String::as_str)).collect::<Vec<_>>(),
            );
            intake.put(streams.conversations, &key::of(&channel.id), fields, place.clone())?;
        }
        Ok(())
    }
}
