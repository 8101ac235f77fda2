//! What a resource read looks like on the wire.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{MetaObject, ReadResourceResult, ResourceContents, ResourceTemplate};
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
    ReadResourceResult::new(vec![if meta.is_empty() {
        contents
    } else {
        contents.with_meta(MetaObject(meta))
    }])
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
