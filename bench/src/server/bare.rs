//! The least that a server of this protocol library does: one tool with one answer, and nobody to authenticate.

use super::Transport;
use axum::Router;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::json;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use stepwell_bench::text::prose;
use tokio::net::TcpListener;

/// The tool that is measured against.
pub(crate) const TOOL: &str = "constant";
/// The bytes of its answer: about what a window holds.
pub(crate) const ANSWER: usize = 4_096;
/// A tool that answers as much as a window does, in both channels.
pub(crate) const WINDOW: &str = "window";
/// The same, after a write that outlives a loss of power: the least that a server does which writes down what it shows.
pub(crate) const KEPT: &str = "kept";
/// A route that answers the same bytes without any protocol.
pub(crate) const ROUTE: &str = "/constant";

#[derive(Clone)]
struct Bare {
    text: Arc<str>,
    window: Arc<CallToolResult>,
    log: Arc<Mutex<Log>>,
}

impl Bare {
    fn new() -> io::Result<Self> {
        let text = prose(ANSWER, ANSWER as u64);
        Ok(Self {
            window: Arc::new(window(&text)),
            text: text.into(),
            log: Arc::new(Mutex::new(Log::new()?)),
        })
    }
}

/// A file that is written over again and again, as the log of a database is.
struct Log(File);

impl Log {
    /// About what a database writes for one row.
    const ENTRY: [u8; 4_120] = [b'e'; 4_120];
    const LENGTH: usize = 1_000 * Self::ENTRY.len();

    fn new() -> io::Result<Self> {
        // The folder of the store that the others read, so that the disk is the same.
        let folder = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
        let mut file = tempfile::tempfile_in(folder)?;
        file.write_all(&vec![0; Self::LENGTH])?;
        file.sync_all()?;
        file.rewind()?;
        Ok(Self(file))
    }

    fn write(&mut self) -> io::Result<()> {
        if self.0.stream_position()? >= Self::LENGTH as u64 {
            self.0.rewind()?;
        }
        self.0.write_all(&Self::ENTRY)?;
        self.0.sync_data()
    }
}

/// An answer with the members, and about the lengths, of one to `read_record_field`.
fn window(text: &str) -> CallToolResult {
    let (id, cursor, digest) = ("cin_bench/long:10000000", "c".repeat(55), "d".repeat(71));
    let uri = format!("pdpp://field-window/{}", "u".repeat(307));
    let header = json!({
        "id": id, "field_path": "body", "start_chars": 0, "end_chars": ANSWER, "total_chars": 10_000_000, "complete": false,
        "next_cursor": cursor, "previous_cursor": null, "next_uri": uri, "previous_uri": null, "digest": digest,
    });
    let mut result = CallToolResult::success(vec![ContentBlock::text(format!("{header}\n{text}"))]);
    result.structured_content = Some(json!({
        "record": { "id": id, "connection_id": "cin_bench", "stream": "long", "record_id": "10000000" },
        "field": { "path": "body", "text_like": true, "digest": digest, "mime_type": "text/plain", "size_chars": 10_000_000 },
        "resource": { "uri": uri, "next_uri": uri, "previous_uri": null },
        "window": {
            "start_chars": 0, "end_chars": ANSWER, "limit_chars": ANSWER, "complete": false, "next_cursor": cursor,
            "previous_cursor": null, "match": null, "text": text,
        },
    }));
    result
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = JsonObject::from_iter([("type".to_owned(), json!("object"))]);
        let schema = Arc::new(schema);
        let tool = |name: &'static str| Tool::new(name, "Answers the same text every time.", schema.clone());
        Ok(ListToolsResult::with_all_items(vec![tool(TOOL), tool(WINDOW), tool(KEPT)]))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(match &*call.name {
            WINDOW => CallToolResult::clone(&self.window).into(),
            KEPT => {
                let written = self.log.lock().unwrap_or_else(PoisonError::into_inner).write();
                written.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                CallToolResult::clone(&self.window).into()
            }
            _ => CallToolResult::success(vec![ContentBlock::text(&*self.text)]).into(),
        })
    }
}

/// Serves with the settings of the real program, until the input closes or for ever: the guard ends it.
pub(crate) async fn serve(transport: Transport) -> anyhow::Result<()> {
    let bare = Bare::new()?;
    match transport {
        Transport::Stdio => {
            bare.serve(stdio_pipes()).await?.waiting().await?;
        }
        Transport::Http => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let url = format!("http://{}/mcp", listener.local_addr()?);
            writeln!(io::stdout(), "{}", json!({ "listening": url }))?;
            let answer = bare.text.clone();
            let constant = post(move || std::future::ready(answer.to_string()));
            let config = StreamableHttpServerConfig::default()
                .with_legacy_session_mode(false)
                .with_json_response(true);
            let sessions = Arc::new(NeverSessionManager::default());
            let service = StreamableHttpService::new(move || Ok(bare.clone()), sessions, config);
            let listener = listener.tap_io(|stream| {
                let _ = stream.set_nodelay(true);
            });
            let router = Router::new().route_service("/mcp", service).route(ROUTE, constant);
            axum::serve(listener, router).await?;
        }
    }
    Ok(())
}
