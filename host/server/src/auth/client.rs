//! Talks to the authorization server: briefly, directly, and without believing how much it has to say.

use super::NoAuthority;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode};
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use std::time::Duration;

/// How long an answer may take, from the first packet to its last byte.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the connection may take.
const CONNECT: Duration = Duration::from_secs(3);
/// The longest answer: key sets and introspection answers are a few kilobytes.
const LONGEST_ANSWER: usize = 128 * 1024;

/// Makes the client. It follows no redirects, because a token must not go where the operator did not say, and uses no
/// proxy that an environment variable names, for the same reason.
pub(super) fn new() -> Result<Client, NoAuthority> {
    let mut roots = RootCertStore::empty();
    // Unreadable roots matter only if TLS is used, and then the handshake says so.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| NoAuthority(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT)
        .timeout(PATIENCE)
        .user_agent(concat!("stepwell/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| NoAuthority(error.to_string()))
}

/// Sends a request and reads all of a good answer. The reason of a failure is for the operator and holds no token: an
/// error of the library would name the address, which is the operator's own, and nothing of the body.
pub(super) async fn answer(request: RequestBuilder) -> Result<Vec<u8>, String> {
    let failed = |error: reqwest::Error| {
        if error.is_timeout() {
            "it did not answer in time".to_owned()
        } else {
            format!("the connection failed: {}", cause(&error))
        }
    };
    let mut response = request.send().await.map_err(failed)?;
    if response.status() != StatusCode::OK {
        return Err(format!("it answered {}", response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > LONGEST_ANSWER {
            return Err(format!("its answer is longer than {LONGEST_ANSWER} bytes"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The innermost reason, which says more than "error sending request".
fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
