//! `read_record_field`: the tool around a window.

use crate::arguments;
use crate::ladder::{Asker, Draft, Ladder, ToolArguments};
use crate::links::record_handle;
use crate::reply::{LadderError, Link, Reply};
use crate::seal::now_unix;
use crate::window::{FieldWindow, WindowRequest, read_placed_window};
use serde_json::{Value, json};
use stepwell_contract::handle::Handle;
use stepwell_contract::selector::{Selector, WindowArguments};
use stepwell_contract::{Chars, Span};

/// The resource URIs of a window and its neighbours.
pub(crate) struct WindowUris {
    pub(crate) uri: String,
    pub(crate) next: Option<String>,
    pub(crate) previous: Option<String>,
}

impl Ladder {
    /// Reads one window of one field.
    pub(crate) async fn draft_read_record_field(&self, asker: &Asker<'_>, args: ToolArguments<'_>) -> Draft {
        let request = WindowRequest {
            record: arguments::record(args)?,
            path: arguments::field_path(args)?,
            selector: Selector::parse(arguments::window(args))?,
        };
        let window = self.window(asker, &request).await?;
        let mut structured = window.structured();
        let mut links = Vec::new();
        let uris = self.window_uris(&window);
        if let Some(uris) = &uris {
            structured["resource"] =
                json!({ "uri": uris.uri, "next_uri": uris.next, "previous_uri": uris.previous });
            if self.gives_links(asker) {
                links = window_links(&window, uris);
            }
        }
        let text = match &uris {
            Some(uris) => window.to_text_with(uris.next.as_deref(), uris.previous.as_deref()),
            None => window.to_text(),
        };
        let meta = window.next_match_cursor.as_ref().map(|cursor| json!({ "next_match_cursor": cursor }));
        let disclosed = vec![window.disclosure().shaped_by(self.window_name())];
        Ok(Reply { text: vec![text], structured, links, meta, disclosed })
    }

    /// Reads a window, placed by the tier.
    pub(crate) async fn window(
        &self,
        asker: &Asker<'_>,
        request: &WindowRequest,
    ) -> Result<FieldWindow, LadderError> {
        let tier = self.tiers.window();
        Ok(read_placed_window(&*self.source, &self.keys, asker.caller, request, now_unix(), tier).await?)
    }

    /// Where a window and its neighbours can be read as resources, if that tier is on.
    pub(crate) fn window_uris(&self, window: &FieldWindow) -> Option<WindowUris> {
        self.tiers.resources()?;
        let limit = window.window.limit;
        let handle = |span: Span| handle_at(window, span.start(), span.len().max(Chars(1)));
        Some(WindowUris {
            uri: handle(window.window.span),
            next: window.window.next().map(|start| handle_at(window, start, limit)),
            previous: window.window.previous().map(handle),
        })
    }
}

fn handle_at(window: &FieldWindow, offset: Chars, limit: Chars) -> String {
    let record = &window.field.record;
    Handle::FieldWindow {
        connection: Some(record.connection.clone()),
        stream: record.stream.clone(),
        record: record.record.clone(),
        field_path: window.field.path.as_str().to_owned(),
        arguments: WindowArguments {
            offset_chars: Some(offset.get()),
            limit_chars: Some(limit.get()),
            ..WindowArguments::default()
        },
        digest: Some(window.field.shape.digest.to_string()),
    }
    .uri()
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
    match digest {
        Some(digest) if digest != window.field.shape.digest.to_string() => {
            let message = "the field changed since this address was made";
            let refusal = stepwell_contract::Refusal::new(stepwell_contract::Code::StaleCursor, message);
            let restart = Value::from(window.window.span.start().get());
            Err(refusal.with("restart_offset_chars", restart).hint("fetch the record again").into())
        }
        _ => Ok(()),
    }
}
