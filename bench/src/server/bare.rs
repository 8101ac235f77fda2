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
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::sync::Arc;
use stepwell_bench::text::prose;
use tokio::net::TcpListener;

/// The only tool.
pub(crate) const TOOL: &str = "constant";
/// The bytes of its answer: about what a window holds.
pub(crate) const ANSWER: usize = 4_096;
/// A route that answers the same bytes without any protocol.
pub(crate) const ROUTE: &str = "/constant";

#[derive(Clone)]
struct Bare(Arc<str>);

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
        let tool = Tool::new(TOOL, "Answers the same text every time.", Arc::new(schema));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text(&*self.0)]).into())
    }
}

/// Serves with the settings of the real program, until the input closes or for ever: the guard ends it.
pub(crate) async fn serve(transport: Transport) -> anyhow::Result<()> {
    let bare = Bare(prose(ANSWER, ANSWER as u64).into());
    match transport {
        Transport::Stdio => {
            bare.serve(stdio_pipes()).await?.waiting().await?;
        }
        Transport::Http => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let url = format!("http://{}/mcp", listener.local_addr()?);
            writeln!(std::io::stdout(), "{}", json!({ "listening": url }))?;
            let answer = bare.0.clone();
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
