//! What a resource read looks like on the wire.

use crate::handler::DATA_TTL_MS;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    CacheScope, CompleteResult, CompletionInfo, MetaObject, ReadResourceResult, ResourceContents,
    ResourceTemplate,
};
use serde_json::{Map, Value, json};
use stepwell_ladder::{Content, Recorded, Resource, Template};

/// The contents of a resource, with the way to its neighbours beside them. A text says that in its own header; bytes
/// cannot, and hosts show a model the contents and not `_meta`, so a part of a blob is followed by a note.
pub(crate) fn contents(resource: Recorded<Resource>) -> ReadResourceResult {
    let resource = resource.into_inner();
    let meta = meta(&resource);
    let is_part = resource.next_uri.is_some() || resource.previous_uri.is_some();
    let (content, note) = match resource.content {
        Content::Text(text) => (ResourceContents::text(text, resource.uri), None),
        Content::Bytes(bytes) => {
            let note = is_part.then(|| {
                let note = Value::Object(meta.clone()).to_string();
                ResourceContents::text(note, resource.uri.clone()).with_mime_type("application/json")
            });
            (ResourceContents::blob(STANDARD.encode(bytes), resource.uri), note)
        }
    };
    let content = content.with_mime_type(resource.mime);
    let content = if meta.is_empty() { content } else { content.with_meta(MetaObject(meta)) };
    let contents = std::iter::once(content).chain(note).collect();
    ReadResourceResult::new(contents).with_ttl_ms(DATA_TTL_MS).with_cache_scope(CacheScope::Private)
}

fn meta(resource: &Resource) -> Map<String, Value> {
    let members = [
        ("next_uri", resource.next_uri.as_ref().map(|uri| json!(uri))),
        ("previous_uri", resource.previous_uri.as_ref().map(|uri| json!(uri))),
        ("size", resource.size.map(|size| json!(size))),
    ];
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// A template as it is listed.
pub(crate) fn template(template: Template) -> ResourceTemplate {
    let mut listed = ResourceTemplate::new(template.uri_template, template.name);
    listed.title = template.title;
    listed.description = template.description;
    listed.mime_type = template.mime;
    listed
}

/// Completions: as many as one answer may hold, and how many there are.
pub(crate) fn completion(mut values: Vec<String>) -> CompleteResult {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > values.len());
    info.total = u32::try_from(total).ok();
    info.values = values;
    CompleteResult::new(info)
}
