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

/// The contents of a resource, with the way to its neighbours beside them.
pub(crate) fn contents(resource: Recorded<Resource>) -> ReadResourceResult {
    let resource = resource.into_inner();
    let meta = meta(&resource);
    let contents = match resource.content {
        Content::Text(text) => ResourceContents::text(text, resource.uri),
        Content::Bytes(bytes) => ResourceContents::blob(STANDARD.encode(bytes), resource.uri),
    };
    let contents = contents.with_mime_type(resource.mime);
    let contents = if meta.is_empty() { contents } else { contents.with_meta(MetaObject(meta)) };
    ReadResourceResult::new(vec![contents]).with_ttl_ms(DATA_TTL_MS).with_cache_scope(CacheScope::Private)
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
