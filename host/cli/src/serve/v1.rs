//! `/v1` beside MCP, on an address of its own.

use anyhow::Context as _;
use std::io;
use std::sync::Arc;
use stepwell_server::{Server, V1Config, v1};
use stepwell_source::Embedded;
use tokio::net::TcpListener;

/// An address that is listened on, and what answers there.
pub(super) struct Listening {
    /// Where it is.
    pub(super) url: String,
    listener: TcpListener,
    config: V1Config,
    server: Server,
    store: Arc<Embedded>,
}

impl Listening {
    /// Starts to listen, if the configuration says where.
    pub(super) async fn of(
        config: V1Config,
        server: &Server,
        store: Arc<Embedded>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(address) = config.listen else { return Ok(None) };
        let listener = TcpListener::bind(address).await;
        let listener =
            listener.with_context(|| format!("cannot listen on {address}, which v1.listen names"))?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        Ok(Some(Self { url, listener, config, server: server.clone(), store }))
    }
}

/// Answers until the server ends; at once where nothing is listened on.
pub(super) async fn serve(listening: Option<Listening>) -> io::Result<()> {
    match listening {
        None => Ok(()),
        Some(Listening { listener, config, server, store, .. }) => {
            v1::serve(server, store, config, listener).await
        }
    }
}
