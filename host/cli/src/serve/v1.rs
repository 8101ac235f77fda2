//! `/v1` beside MCP, on an address of its own.

use anyhow::Context as _;
use std::sync::Arc;
use stepwell_server::V1Config;
use stepwell_server::http::Beside;
use stepwell_source::Embedded;
use tokio::net::TcpListener;

/// Starts to listen, if the configuration says where.
pub(super) async fn listen(config: &V1Config, store: Arc<Embedded>) -> anyhow::Result<Option<Beside>> {
    let Some(address) = config.listen else { return Ok(None) };
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("cannot listen on {address}, which v1.listen names"))?;
    Ok(Some(Beside { listener, config: config.clone(), store }))
}
