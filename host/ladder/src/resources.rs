//! Records, windows, streams and blobs as resources.

use crate::arguments;
use crate::describe::{cut_value, scope_of, title};
use crate::export::Export;
use crate::ladder::{Asker, Ladder, ResourceDraft};
use crate::read_record_field::check_digest;
use crate::reply::{Content, LadderError, Link, Resource, Template};
use crate::rung::record_rungs;
use crate::shapes::{self, InHand};
use crate::tier_fault;
use crate::window::WindowRequest;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use stepwell_contract::budget::{self, BLOB_WINDOW};
use stepwell_contract::handle::{Handle, HandleKind};
use stepwell_contract::json::{json_bytes, string_bytes};
use stepwell_contract::selector::Selector;
use stepwell_contract::{Bytes, Chars, Code, ConnectionId, FieldPath, Refusal, StreamName};
use stepwell_source::shape::FieldView;
use stepwell_source::{Disclosure, Extent, RecordRef, RecordView};
use stepwell_tiers::Purpose;

/// How many streams one page of the list has.
const PAGE: usize = 50;

/// How long a value may be in a record that is read as a resource, from generous to sparing; the first that fits is taken.
const RECORD_VALUES: [Chars; 5] = [Chars(2_000), Chars(600), Chars(200), Chars(60), Chars(12)];

impl Ladder {
    /// The kinds of resource that there are while their tiers are on.
    #[must_use]
    pub fn templates(&self) -> Vec<Template> {
        let template = |kind: HandleKind, name: &str, title: &str, mime: Option<&str>| Template {
            uri_template: format!("{}{{handle}}", kind.uri_prefix()),
            name: name.to_owned(),
            title: Some(title.to_owned()),
            description: None,
            mime: mime.map(str::to_owned),
        };
        let mut templates = Vec::new();
        if self.tiers.resources().is_some() {
            templates.push(template(HandleKind::Record, "record", "A record", Some("application/json")));
            templates.push(template(HandleKind::Stream, "stream", "A stream", Some("application/json")));
            if self.tiers.window().is_some() {
                templates.push(template(
                    HandleKind::FieldWindow,
                    "field-window",
                    "A window of a field",
                    Some("text/plain"),
                ));
            }
            if self.tiers.export().is_some() {
                templates.push(template(HandleKind::Blob, "blob", "A window of a binary field", None));
            }
        }
        templates.sort_by(|a, b| a.uri_template.cmp(&b.uri_template));
        templates
    }

    /// Lists the granted streams as resources.
    pub(crate) async fn draft_list_resources(
        &self,
        asker: &Asker<'_>,
        cursor: Option<&str>,
    ) -> Result<(Vec<Link>, Option<String>), LadderError> {
        if self.tiers.resources().is_none() {
            return Ok((Vec::new(), None));
        }
        let start = match cursor {
            None | Some("") => 0,
            Some(cursor) => cursor.parse::<usize>().map_err(|_| {
                Refusal::new(Code::InvalidCursor, "the cursor is none that this list gave").param("cursor")
            })?,
        };
        let scopes = self.source.catalogue(asker.caller).await?;
        let links = scopes.iter().skip(start).take(PAGE).map(|scope| {
            let handle =
                Handle::Stream { connection: Some(scope.connection.clone()), stream: scope.stream.clone() };
            Link {
                uri: handle.uri(),
                name: format!("{}/{}", scope.connection, scope.stream),
                title: scope.label.as_ref().map(|label| format!("{label}: {}", scope.stream)),
                mime: Some("application/json".to_owned()),
                size: None,
                priority: 0.5,
            }
        });
        let end = start.saturating_add(PAGE);
        Ok((links.collect(), (end < scopes.len()).then(|| end.to_string())))
    }

    /// Completes what stands behind `pdpp://stream/`: the granted streams whose names begin with what was typed.
    pub(crate) async fn draft_complete_stream(
        &self,
        asker: &Asker<'_>,
        typed: &str,
    ) -> Result<Vec<String>, LadderError> {
        if self.tiers.resources().is_none() {
            return Err(nothing_there());
        }
        let scopes = self.source.catalogue(asker.caller).await?;
        let names: BTreeSet<&StreamName> = scopes.iter().map(|scope| &scope.stream).collect();
        let spelled = |stream: &StreamName| {
            let handle = Handle::Stream { connection: None, stream: stream.clone() };
            // The plain name where a URI takes it as it stands.
            let plain = format!("{}{stream}", HandleKind::Stream.uri_prefix());
            let is_plain = Handle::parse_uri(&plain).is_ok_and(|read| read == handle);
            if is_plain { stream.to_string() } else { handle.encode() }
        };
        Ok(names.into_iter().filter(|name| name.as_str().starts_with(typed)).map(spelled).collect())
    }

    /// Reads a resource.
    pub(crate) async fn draft_read_resource(&self, asker: &Asker<'_>, uri: &str) -> ResourceDraft {
        if self.tiers.resources().is_none() {
            return Err(nothing_there());
        }
        match Handle::parse_uri(uri)? {
            handle @ Handle::Record { .. } => {
                let record = handle.result_id().ok_or_else(nothing_there)?.into();
                self.record_resource(asker, uri, &record).await
            }
            Handle::Stream { connection, stream } => {
                self.stream_resource(asker, uri, connection, &stream).await
            }
            Handle::FieldWindow { connection, stream, record, field_path, arguments, digest } => {
                if self.tiers.window().is_none() {
                    return Err(nothing_there());
                }
                let request = WindowRequest {
                    record: RecordRef { connection, stream, record },
                    path: arguments::path(&field_path)?,
                    selector: Selector::parse(arguments)?,
                };
                let window = self.window(asker, &request).await?;
                check_digest(&window, digest.as_deref())?;
                let uris = self.window_uris(&window).ok_or_else(nothing_there)?;
                Ok(Resource {
                    uri: uri.to_owned(),
                    mime: "text/plain".to_owned(),
                    content: Content::Text(window.to_text_with(Some(&uris))),
                    next_uri: uris.next,
                    previous_uri: uris.previous,
                    size: window.field.shape.bytes.map(Bytes::get),
                    disclosed: vec![window.disclosure().shaped_by(self.window_name())],
                })
            }
            Handle::Blob { connection, stream, record, field_path, start, digest } => {
                let record = RecordRef { connection, stream, record };
                self.blob_resource(asker, uri, &record, &field_path, start.map_or(Bytes::ZERO, Bytes), digest)
                    .await
            }
        }
    }

    async fn record_resource(&self, asker: &Asker<'_>, uri: &str, record: &RecordRef) -> ResourceDraft {
        let view = self.source.record(asker.caller, record, None).await?;
        let scopes = self.source.catalogue(asker.caller).await?;
        let scope = scope_of(&scopes, &view.identity);
        let names = self.layout(asker, &view, &scopes).await?;
        let preview = self.preview_of(&view);
        let mut document = Value::Null;
        for most in RECORD_VALUES {
            let value = |field: &FieldView| json!({ "name": field.name, "value": cut_value(field, most).0 });
            let fields = names.iter().filter_map(|name| shapes::named(&view, name)).map(value);
            let fields: Vec<Value> = fields.collect();
            let entry = self.ladder_record(asker, &view, &record_rungs(&view, most), preview.as_deref());
            document = json!({
                "id": view.identity.id().to_string(),
                "title": title(&view, scope),
                "content_ladder": self.content_ladder("record", [entry].into_iter()),
                "fields": fields,
            });
            if string_bytes(&document.to_string()) <= budget::RESULT {
                break;
            }
        }
        let shown = Disclosure::of_record(&view.identity, json_bytes(&document));
        Ok(json_resource(uri, &document, vec![shown.shaped_by(self.resources_name())]))
    }

    /// The order of a record's fields: the tier's, and after it whatever the tier left out.
    async fn layout(
        &self,
        asker: &Asker<'_>,
        view: &RecordView,
        scopes: &[stepwell_source::catalogue::GrantedScope],
    ) -> Result<Vec<String>, LadderError> {
        let mut names = Vec::new();
        if let Some(tier) = self.tiers.resources() {
            let shape = shapes::record(0, view, scope_of(scopes, &view.identity), &[]);
            let hand = InHand::new(&self.source, asker.caller, vec![view.identity.id().into()]);
            let context = shapes::context(Purpose::Document, 8_192, 64);
            let outcome = tier.layout(shape, &context, hand).await;
            let parts = tier_fault::settle("resources", tier.on_fault(), outcome)?;
            names.extend(parts.unwrap_or_default().into_iter().map(|part| part.path));
        }
        let all = view.fields.iter().map(|field| FieldPath::top_level(&field.name).as_str().to_owned());
        let rest: Vec<String> = all.filter(|name| !names.contains(name)).collect();
        names.extend(rest);
        Ok(names)
    }

    async fn stream_resource(
        &self,
        asker: &Asker<'_>,
        uri: &str,
        connection: Option<ConnectionId>,
        stream: &StreamName,
    ) -> ResourceDraft {
        let mut args = Map::new();
        args.insert("stream".into(), json!(stream.as_str()));
        if let Some(connection) = connection {
            args.insert("connection_id".into(), json!(connection.as_str()));
        }
        let reply = self.draft_schema(asker, &Value::Object(args)).await?;
        Ok(json_resource(uri, &reply.structured["data"], reply.disclosed))
    }

    async fn blob_resource(
        &self,
        asker: &Asker<'_>,
        uri: &str,
        record: &RecordRef,
        field_path: &str,
        start: Bytes,
        digest: Option<String>,
    ) -> ResourceDraft {
        let Export { field, mime, .. } =
            self.export_blob(asker.caller, record, field_path, digest.as_deref()).await?;
        let bytes = self.source.bytes(asker.caller, &field, start, BLOB_WINDOW).await?;
        let at = |start: u64| {
            Handle::Blob {
                connection: Some(field.record.connection.clone()),
                stream: field.record.stream.clone(),
                record: field.record.record.clone(),
                field_path: field_path.to_owned(),
                start: Some(start),
                digest: field.shape.digest.map(|digest| digest.to_string()),
            }
            .uri()
        };
        let end = start.get() + bytes.len() as u64;
        let size = field.shape.bytes.map(Bytes::get);
        let extent = Extent::Bytes(start, Bytes(end));
        let shown = Disclosure::of_part(&field.record, field_path, extent, Bytes(bytes.len() as u64));
        Ok(Resource {
            uri: uri.to_owned(),
            mime,
            next_uri: (!bytes.is_empty() && end < size.unwrap_or(u64::MAX)).then(|| at(end)),
            previous_uri: (start > Bytes::ZERO).then(|| at(start.saturating_sub(BLOB_WINDOW).get())),
            size,
            content: Content::Bytes(bytes),
            disclosed: vec![shown.shaped_by(self.export_name())],
        })
    }
}

fn json_resource(uri: &str, document: &Value, disclosed: Vec<Disclosure>) -> Resource {
    Resource {
        uri: uri.to_owned(),
        mime: "application/json".to_owned(),
        content: Content::Text(document.to_string()),
        next_uri: None,
        previous_uri: None,
        size: None,
        disclosed,
    }
}

fn nothing_there() -> LadderError {
    Refusal::new(Code::NotFound, "there is no such resource").param("uri").into()
}
