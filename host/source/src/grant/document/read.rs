//! Reads the members of a document, each with its path.

use super::{BadDocument, GrantDocument, Selection, StreamDocument};
use crate::grant::{AccessMode, Terms};
use crate::time::{self, Millis};
use serde_json::{Map, Value};
use stepwell_contract::{ConnectionId, RecordId, StreamName};

type Result<T> = std::result::Result<T, BadDocument>;

/// The type of `authorization_details` that asks for data.
const DATA_ACCESS: &str = "https://pdpp.dev/data-access";

/// What a request says.
const REQUEST: &[&str] = &[
    "type",
    "client",
    "subject",
    "source",
    "purpose_code",
    "purpose_description",
    "access_mode",
    "retention",
    "client_claims",
    "expires_at",
    "streams",
];

/// What is about one grant alone, and is not asked for.
const OF_ONE_GRANT: &[&str] = &[
    "version",
    "grant_id",
    "state",
    "issued_at",
    "revoked_at",
    "consumed_at",
    "packages",
    "source_declaration",
    "token",
];

const STREAM: &[&str] = &[
    "name",
    "necessity",
    "instance_ids",
    "time_range",
    "time_constraint",
    "view",
    "fields",
    "resources",
    "display_name",
];

pub(super) fn document(value: &Value) -> Result<GrantDocument> {
    let root = Members::new(value, "")?;
    root.only(&[REQUEST, OF_ONE_GRANT].concat(), REQUEST)?;
    if root.text("type")?.is_some_and(|found| found != DATA_ACCESS) {
        return Err(wrong("type", &format!("\"{DATA_ACCESS}\"")));
    }
    let access_mode = match root.text("access_mode")? {
        None => AccessMode::default(),
        Some(text) => {
            AccessMode::parse(text).ok_or_else(|| wrong("access_mode", "single_use or continuous"))?
        }
    };
    let terms = Terms {
        access_mode,
        purpose_code: root.text("purpose_code")?.map(str::to_owned),
        retention: root.get("retention").cloned(),
        source: source(&root)?,
    };
    Ok(GrantDocument {
        client: root.identified("client", "client_id")?,
        subject: root.identified("subject", "id")?,
        purpose: root.text("purpose_description")?.map(str::to_owned),
        expires_at: root.moment("expires_at")?,
        terms,
        streams: streams(&root)?,
    })
}

fn source(root: &Members<'_>) -> Result<Option<Value>> {
    let Some(source) = root.object("source")? else { return Ok(None) };
    source.only(&["id", "kind"], &["id", "kind"])?;
    source.required("id")?;
    source.text("kind")?;
    Ok(Some(Value::Object(source.of.clone())))
}

fn streams(root: &Members<'_>) -> Result<Vec<StreamDocument>> {
    let list = root.get("streams").and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| wrong("streams", "a list with at least one stream"))?;
    let mut streams = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        streams.push(stream(&Members::new(value, &format!("streams[{index}]"))?)?);
    }
    if streams.len() > 1 && streams.iter().any(|stream| stream.name.is_none()) {
        return Err(wrong("streams", "a single entry if it names \"*\""));
    }
    Ok(streams)
}

fn stream(members: &Members<'_>) -> Result<StreamDocument> {
    members
        .only(STREAM, &["name", "necessity", "instance_ids", "time_range", "view", "fields", "resources"])?;
    let name = match members.required("name")? {
        "*" => None,
        name => Some(StreamName::new(name).map_err(|rule| {
            wrong(&members.at("name"), &format!("\"*\" or the name of a stream, which {rule}"))
        })?),
    };
    members.text("necessity")?;
    let fields = match (members.text("view")?, members.names("fields")?) {
        (Some(_), Some(_)) => return Err(wrong(&members.at("view"), "left out where there are fields")),
        (Some(view), None) => Selection::View(view.to_owned()),
        (None, Some(fields)) if fields.is_empty() => {
            return Err(wrong(&members.at("fields"), "a list with at least one field, or left out for all"));
        }
        (None, Some(fields)) => Selection::Fields(fields),
        (None, None) => Selection::All,
    };
    let (since, until) = match (members.object("time_range")?, members.object("time_constraint")?) {
        (Some(_), Some(_)) => {
            return Err(wrong(&members.at("time_range"), "left out where there is a time_constraint"));
        }
        (Some(range), None) => {
            range.only(&["since", "until"], &["since", "until"])?;
            (range.moment("since")?, range.moment("until")?)
        }
        // As a grant is printed. Which field it is about is the stream's to say.
        (None, Some(range)) => {
            range.only(&["field", "since", "until"], &["field", "since", "until"])?;
            (range.moment("since")?, range.moment("until")?)
        }
        (None, None) => (None, None),
    };
    let connection = |(index, id): (usize, String)| {
        ConnectionId::new(id).map_err(|rule| {
            wrong(
                &members.at(&format!("instance_ids[{index}]")),
                &format!("the id of a connection, which {rule}"),
            )
        })
    };
    let record = |(index, key): (usize, String)| {
        RecordId::new(key).map_err(|rule| {
            wrong(&members.at(&format!("resources[{index}]")), &format!("the key of a record, which {rule}"))
        })
    };
    let connections = members.names("instance_ids")?;
    if connections.as_ref().is_some_and(Vec::is_empty) {
        return Err(wrong(&members.at("instance_ids"), "a list with at least one id, or left out for all"));
    }
    let resources = members.names("resources")?;
    Ok(StreamDocument {
        name,
        connections: connections
            .unwrap_or_default()
            .into_iter()
            .enumerate()
            .map(connection)
            .collect::<Result<_>>()?,
        fields,
        since,
        until,
        resources: resources
            .map(|list| list.into_iter().enumerate().map(record).collect::<Result<_>>())
            .transpose()?,
    })
}

/// The members of an object, and where it stands.
struct Members<'a> {
    of: &'a Map<String, Value>,
    place: String,
}

impl<'a> Members<'a> {
    fn new(value: &'a Value, place: &str) -> Result<Self> {
        let of = value
            .as_object()
            .ok_or_else(|| wrong(if place.is_empty() { "(root)" } else { place }, "an object"))?;
        Ok(Self { of, place: place.to_owned() })
    }

    fn at(&self, member: &str) -> String {
        if self.place.is_empty() { member.to_owned() } else { format!("{}.{member}", self.place) }
    }

    /// Refuses what is not known; says what can be asked for.
    fn only(&self, known: &[&str], told: &[&str]) -> Result<()> {
        match self.of.keys().find(|member| !known.contains(&member.as_str())) {
            None => Ok(()),
            Some(member) => Err(BadDocument::Unknown {
                member: self.at(&member.escape_debug().to_string()),
                known: told.join(", "),
            }),
        }
    }

    /// A member that is there and says something.
    fn get(&self, member: &str) -> Option<&'a Value> {
        self.of.get(member).filter(|value| !value.is_null())
    }

    fn text(&self, member: &str) -> Result<Option<&'a str>> {
        self.get(member)
            .map(|value| value.as_str().ok_or_else(|| wrong(&self.at(member), "a string")))
            .transpose()
    }

    fn required(&self, member: &str) -> Result<&'a str> {
        let text = self.text(member)?.filter(|text| !text.is_empty());
        text.ok_or_else(|| wrong(&self.at(member), "a string that is not empty"))
    }

    fn object(&self, member: &str) -> Result<Option<Members<'a>>> {
        self.get(member).map(|value| Members::new(value, &self.at(member))).transpose()
    }

    /// A name, by itself or as the one member of an object, which is how PDPP writes it.
    fn identified(&self, member: &str, id: &str) -> Result<Option<String>> {
        match self.get(member) {
            None => Ok(None),
            Some(Value::String(name)) => Ok(Some(name.clone())),
            Some(_) => {
                let object = self.object(member)?.ok_or_else(|| wrong(&self.at(member), "an object"))?;
                object.only(&[id], &[id])?;
                object.required(id).map(|name| Some(name.to_owned()))
            }
        }
    }

    fn moment(&self, member: &str) -> Result<Option<Millis>> {
        let moment = |text: &str| {
            time::parse(text)
                .ok_or_else(|| wrong(&self.at(member), "a moment such as 2026-01-31T08:00:00Z, or a date"))
        };
        self.text(member)?.map(moment).transpose()
    }

    fn names(&self, member: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.get(member) else { return Ok(None) };
        let wanted = || wrong(&self.at(member), "a list of strings");
        let name = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(wanted);
        value.as_array().ok_or_else(wanted)?.iter().map(name).collect::<Result<_>>().map(Some)
    }
}

fn wrong(member: &str, wanted: &str) -> BadDocument {
    BadDocument::Member { member: member.to_owned(), wanted: wanted.to_owned() }
}
