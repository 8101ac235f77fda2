//! A field that leaves as a file: in the ledger first, then a piece at a time.

use crate::byte_range::Wanted;
use crate::outflow;
use axum::body::Body;
use axum::http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use std::sync::Arc;
use stepwell_contract::{Bytes, Chars, Span};
use stepwell_ladder::whole::Unfinished;
use stepwell_ladder::{LadderError, LedgerPolicy, record};
use stepwell_source::whole::{Pen, write_bytes, write_text};
use stepwell_source::{Caller, Disclosure, Extent, Field, FieldKind, Source};

/// A request for a file.
pub(crate) struct FileRequest<'a> {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) ledger: LedgerPolicy,
    pub(crate) caller: &'a Caller,
    /// What the ledger calls it.
    pub(crate) tool: &'a str,
    pub(crate) headers: &'a HeaderMap,
    /// Whether only the headers are wanted.
    pub(crate) is_head: bool,
    pub(crate) request_id: &'a str,
}

impl FileRequest<'_> {
    /// Answers with the field's bytes, or its text in UTF-8.
    pub(crate) async fn answer(&self, field: Field, mime: &str) -> Result<Response, LadderError> {
        let total = field.shape.bytes;
        let etag = format!("\"{}\"", field.shape.digest);
        let is_binary = field.shape.kind == FieldKind::Binary;
        let wanted = match Wanted::of(self.headers, total, &etag) {
            // A text is kept by code points, so a byte of it has no address.
            Wanted::Part(..) | Wanted::Beyond if !is_binary => Wanted::Whole,
            wanted => wanted,
        };
        let (status, (start, end)) = match wanted {
            Wanted::Whole => (StatusCode::OK, (Bytes::ZERO, total)),
            Wanted::Part(start, end) => (StatusCode::PARTIAL_CONTENT, (start, end)),
            Wanted::Beyond => (StatusCode::RANGE_NOT_SATISFIABLE, (Bytes::ZERO, Bytes::ZERO)),
            Wanted::Nothing => (StatusCode::NOT_MODIFIED, (Bytes::ZERO, Bytes::ZERO)),
        };
        let leaves = if self.is_head { Bytes::ZERO } else { end - start };
        let extent = match (is_binary, leaves > Bytes::ZERO) {
            (true, true) => Extent::Bytes(start, end),
            (true, false) => Extent::Bytes(Bytes::ZERO, Bytes::ZERO),
            (false, true) => Extent::Chars(field.whole()),
            (false, false) => Extent::Chars(Span::at(Chars::ZERO, Chars::ZERO)),
        };
        let shown = Disclosure::of_part(&field.record, field.path.as_str(), extent, leaves);
        let field = record(&*self.source, self.ledger, self.caller, self.tool, field, &[shown]).await?;
        let body =
            if leaves > Bytes::ZERO { self.body(field.into_inner(), (start, end)) } else { Body::empty() };

        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let mut put = |name: HeaderName, value: String| {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        };
        put(ETAG, etag);
        put(ACCEPT_RANGES, if is_binary { "bytes" } else { "none" }.to_owned());
        match status {
            StatusCode::RANGE_NOT_SATISFIABLE => put(CONTENT_RANGE, format!("bytes */{total}")),
            StatusCode::NOT_MODIFIED => {}
            _ => {
                put(CONTENT_TYPE, mime.to_owned());
                put(CONTENT_LENGTH, (end - start).to_string());
            }
        }
        if status == StatusCode::PARTIAL_CONTENT {
            put(CONTENT_RANGE, format!("bytes {start}-{}/{total}", end - Bytes(1)));
        }
        Ok(response)
    }

    fn body(&self, field: Field, part: (Bytes, Bytes)) -> Body {
        let (source, caller) = (self.source.clone(), self.caller.clone());
        outflow::body(self.request_id, |mut out| async move {
            let mut pen = Pen::new(&mut out);
            match field.shape.kind {
                FieldKind::Binary => write_bytes(&*source, &caller, &field, part, &mut pen).await?,
                _ => write_text(&*source, &caller, &field, &mut pen).await?,
            }
            pen.flush().await.map_err(Unfinished::from)
        })
    }
}
