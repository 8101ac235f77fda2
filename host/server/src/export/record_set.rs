//! A stream's records as lines of NDJSON, in the form that `stepwell ingest` takes. Bytes stand in them as links to their
//! own export, because whether they may leave is for their tier to say.

use super::disposition::attachment;
use super::{Call, TOOL};
use crate::outflow;
use crate::v1::record_set_query;
use axum::body::Body;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, Method};
use axum::response::Response;
use serde_json::{Value, json};
use stepwell_contract::{Code, ConnectionId, Refusal, StreamName};
use stepwell_ladder::whole::WholeRecords;
use stepwell_ladder::{LadderError, asked};
use stepwell_source::Source;
use stepwell_source::query::RecordsQuery;
use stepwell_source::whole::{Blobs, Pen};

/// How many records are read, and written down, at a time.
const PAGE: usize = 100;

impl Call<'_> {
    pub(super) async fn record_set(
        &self,
        connection: Option<ConnectionId>,
        stream: StreamName,
    ) -> Result<Response, LadderError> {
        let ladder = &self.offer.ladder;
        let connection = self.one_connection(&**ladder.source(), connection, &stream).await?;
        let query = self.query(&connection, &stream).await?;
        let whole = WholeRecords {
            source: ladder.source().clone(),
            ledger: ladder.ledger(),
            caller: self.caller.clone(),
            tool: TOOL.to_owned(),
            blobs: Blobs::Linked(super::BEGINNING),
        };
        let body = if self.parts.method == Method::HEAD {
            Body::empty()
        } else {
            // The first page comes before the status, so that a refusal is one.
            let first = whole.page(&query).await?;
            outflow::body(&self.request_id, |mut out| async move {
                whole.write_lines(query, first, &mut Pen::new(&mut out)).await
            })
        };
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
        headers.insert(CONTENT_DISPOSITION, attachment(&format!("{connection}-{stream}.ndjson")));
        Ok(response)
    }

    async fn query(
        &self,
        connection: &ConnectionId,
        stream: &StreamName,
    ) -> Result<RecordsQuery, LadderError> {
        let source = self.offer.ladder.source();
        let mut arguments =
            record_set_query(self.parts.uri.query().unwrap_or_default(), &**source, self.caller, stream)
                .await?;
        arguments["stream"] = json!(stream.as_str());
        arguments["connection_id"] = json!(connection.as_str());
        Ok(RecordsQuery { limit: PAGE, ..asked::records(&arguments)? })
    }

    /// A line names no connection, so a file is of one.
    async fn one_connection(
        &self,
        source: &dyn Source,
        named: Option<ConnectionId>,
        stream: &StreamName,
    ) -> Result<ConnectionId, LadderError> {
        let mut scopes = source.catalogue(self.caller).await?;
        scopes.retain(|scope| scope.stream == *stream);
        if scopes.is_empty() {
            let message = "the grant does not cover the stream";
            return Err(Refusal::new(Code::GrantStreamNotAllowed, message).param("handle").into());
        }
        scopes.retain(|scope| named.as_ref().is_none_or(|named| scope.connection == *named));
        match scopes.as_slice() {
            [] => {
                let message = "the grant does not cover the connection";
                Err(Refusal::new(Code::ConnectionNotFound, message).param("handle").into())
            }
            [one] => Ok(one.connection.clone()),
            several => {
                let ids: Vec<Value> = several
                    .iter()
                    .take(12)
                    .map(|scope| json!({ "connection_id": scope.connection.as_str() }))
                    .collect();
                let message = format!("{} connections have this stream; a file is of one", several.len());
                let refusal = Refusal::new(Code::AmbiguousConnection, message).param("handle");
                Err(refusal
                    .with("available_connections", ids)
                    .hint("take a handle that names the connection")
                    .into())
            }
        }
    }
}
