//! TLS towards Postgres, by rustls with the machine's own trusted roots. `sslmode` in the URL decides whether it is used.

use crate::error::Failure;
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Makes the connector. Certificates are always checked: an unchecked one would protect against nobody.
pub(super) fn connector() -> Result<MakeRustlsConnect, Failure> {
    let mut roots = RootCertStore::empty();
    // Unreadable roots matter only if TLS is used, and then the handshake says so.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::Store(format!("TLS cannot be set up: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
