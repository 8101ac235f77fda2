//! `read_record_field`: the tool around a window.

use crate::arguments;
use crate::ladder::{Asker, Ladder, ToolArguments};
use crate::links::record_handle;
use crate::reply::{LadderError, Link};
use crate::seal::now_unix;
use crate::shapes::InHand;
use crate::window::{FieldWindow, Placer, WindowRequest, read_placed_window};
use crate::window_text::WindowUris;
use crate::written::{Spelled, WrittenWindow};
use serde_json::{Value, json};
use stepwell_contract::handle::Handle;
use stepwell_contract::json::string_bytes;
use stepwell_contract::selector::{Selector, WindowArguments};
use stepwell_contract::{Bytes, Chars, Code, Refusal, Span, budget};

/// What a window says besides its text, from generous to sparing: addresses in the header, addresses in the structured
/// content, the phrase that the caller knows anyway. The first that fits the budget is taken.
const SIZES: [(bool, bool, bool); 4] =
    [(true, true, true), (false, true, true), (false, false, true), (false, false, false)];

impl Ladder {
    /// Reads one window of one field.
    pub(crate) async fn draft_written_window(
        &self,
        asker: &Asker<'_>,
        args: ToolArguments<'_>,
    ) -> Result<WrittenWindow, LadderError> {
        let request = WindowRequest {
            record: arguments::record(args)?,
            path: arguments::field_path(args)?,
            selector: Selector::parse(arguments::window(args))?,
        };
        let mut window = self.window(asker, &request).await?;
        let disclosed = vec![window.disclosure().shaped_by(self.window_name())];
        let uris = self.window_uris(&window);
        let links = uris.as_ref().filter(|_| self.gives_links(asker));
        let links = links.map(|uris| window_links(&window, uris)).unwrap_or_default();
        let meta = window.next_match_cursor.as_ref().map(|cursor| json!({ "next_match_cursor": cursor }));
        // The text stands in both channels. All else is composed around the places that it has.
        let text = Spelled::from(std::mem::take(&mut window.text));
        let twice = Bytes(2 * text.bytes().saturating_sub(string_bytes("")).get());
        let budget = budget::window(text.bytes()).saturating_sub(twice);
        let compose = |(in_header, in_structured, with_phrase): (bool, bool, bool)| {
            let structured = window.structured_head(uris.as_ref().filter(|_| in_structured), with_phrase);
            (window.header_with(uris.as_ref().filter(|_| in_header)), structured)
        };
        let (header, structured) = compose(SIZES[0]);
        let mut written = WrittenWindow { header, structured, text, links: Vec::new(), meta, disclosed };
        for size in &SIZES[1..] {
            if written.frame() <= budget {
                break;
            }
            (written.header, written.structured) = compose(*size);
        }
        for link in links {
            written.links.push(link);
            if written.frame() > budget {
                written.links.pop();
                break;
            }
        }
        Ok(written)
    }

    /// Reads a window, placed by the tier.
    pub(crate) async fn window(
        &self,
        asker: &Asker<'_>,
        request: &WindowRequest,
    ) -> Result<FieldWindow, LadderError> {
        let placer = self.tiers.window().map(|tier| {
            // Only the field that is asked for is in the tier's hand; the host lists no other.
            let hand = InHand::new(&self.source, asker.caller, vec![request.record.clone()]);
            Placer { tier, hand }
        });
        let placer = placer.as_ref();
        let cursor = match &request.selector {
            Selector::Cursor { cursor, .. } => Some(cursor.as_str()),
            _ => None,
        };
        let keys = self.keys.current(cursor).await;
        let read = read_placed_window(&*self.source, &keys, asker.caller, request, now_unix(), placer).await;
        read.map_err(|error| self.with_way_to_bytes(error, asker, request))
    }

    /// Tells whoever asked for the text of a binary field where its bytes are.
    fn with_way_to_bytes(
        &self,
        error: LadderError,
        asker: &Asker<'_>,
        request: &WindowRequest,
    ) -> LadderError {
        let LadderError::Refused(refusal) = error else { return error };
        let is_binary =
            refusal.code == Code::FieldNotText && refusal.extras.get("kind") == Some(&json!("binary"));
        // A source that measures no digests may not know how long a file is either, and then it is not exported.
        let exports = asker.exports.filter(|_| self.source.measures_digests());
        let is_resource = self.tiers.resources().is_some();
        if !is_binary || self.tiers.export().is_none() || !(is_resource || exports.is_some()) {
            return LadderError::Refused(refusal);
        }
        let handle = Handle::Blob {
            connection: request.record.connection.clone(),
            stream: request.record.stream.clone(),
            record: request.record.record.clone(),
            field_path: request.path.as_str().to_owned(),
            start: None,
            digest: None,
        };
        let mut refusal = *refusal;
        if let Some(exports) = exports {
            refusal = refusal.with("export_url", format!("{exports}{}", handle.encode()));
        }
        let hint = match (is_resource, exports.is_some()) {
            (true, true) => "read resource_uri as a resource, or download export_url with the same bearer",
            (true, false) => "read resource_uri as a resource",
            (false, _) => "download export_url with the same bearer",
        };
        if is_resource {
            refusal = refusal.with("resource_uri", handle.uri());
        }
        refusal.hint(hint).into()
    }

    /// Where a window and its neighbours can be read as resources, if that tier is on.
    pub(crate) fn window_uris(&self, window: &FieldWindow) -> Option<WindowUris> {
        self.tiers.resources()?;
        let (record, limit) = (&window.field.record, window.window.limit);
        let mut handle = Handle::FieldWindow {
            connection: Some(record.connection.clone()),
            stream: record.stream.clone(),
            record: record.record.clone(),
            field_path: window.field.path.as_str().to_owned(),
            arguments: WindowArguments::default(),
            digest: window.field.shape.digest.map(|digest| digest.to_string()),
        };
        // They differ in nothing but their place.
        let mut at = |offset: Chars, limit: Chars| {
            if let Handle::FieldWindow { arguments, .. } = &mut handle {
                arguments.offset_chars = Some(offset.get());
                arguments.limit_chars = Some(limit.get());
            }
            handle.uri()
        };
        let span = |span: Span| (span.start(), span.len().max(Chars(1)));
        let (start, length) = span(window.window.span);
        Some(WindowUris {
            uri: at(start, length),
            next: window.window.next().map(|start| at(start, limit)),
            previous: window.window.previous().map(span).map(|(start, length)| at(start, length)),
        })
    }
}

fn window_links(window: &FieldWindow, uris: &WindowUris) -> Vec<Link> {
    let path = window.field.path.as_str();
    let link = |uri: &str, name: &str, priority: f32| Link {
        uri: uri.to_owned(),
        name: format!("{path} {name}"),
        title: None,
        mime: Some("text/plain".to_owned()),
        size: None,
        priority,
    };
    let record = record_handle(&window.field.record).uri();
    let mut links: Vec<Link> = uris.next.iter().map(|uri| link(uri, "(next window)", 0.9)).collect();
    links.extend(uris.previous.iter().map(|uri| link(uri, "(previous window)", 0.4)));
    links.push(Link { mime: Some("application/json".to_owned()), ..link(&record, "(record)", 0.3) });
    links
}

/// What a resource read answers a field's handle with when the field has changed since.
pub(crate) fn check_digest(window: &FieldWindow, digest: Option<&str>) -> Result<(), LadderError> {
    // A source that measures no digests cannot tell, and its addresses carry none.
    let current = window.field.shape.digest.map(|digest| digest.to_string());
    match digest.zip(current) {
        Some((digest, current)) if digest != current => {
            let message = "the field changed since this address was made";
            let refusal = Refusal::new(Code::StaleCursor, message);
            let restart = Value::from(window.window.span.start().get());
            Err(refusal.with("restart_offset_chars", restart).hint("fetch the record again").into())
        }
        _ => Ok(()),
    }
}
