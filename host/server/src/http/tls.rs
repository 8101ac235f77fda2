//! TLS by rustls, with a certificate that can be replaced while the server runs.

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use tokio_rustls::TlsAcceptor;

/// What connections are encrypted with. Those that are open keep what they began with.
#[derive(Debug)]
pub struct Tls(RwLock<Arc<ServerConfig>>);

/// Why a certificate cannot be used. It never repeats what a file says.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct BadTls {
    path: PathBuf,
    reason: String,
}

impl Tls {
    /// Reads a certificate, its chain behind it, and its key.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, BadTls> {
        Ok(Self(RwLock::new(config(certificate, key)?)))
    }

    /// Takes others from now on, or keeps the old ones if something is wrong with them.
    pub fn replace(&self, other: Self) {
        let other = other.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = other;
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone().into()
    }
}

fn config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, BadTls> {
    let bad = |path: &Path, reason: String| BadTls { path: path.to_owned(), reason };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| bad(certificate, format!("no certificate in PEM: {error}")))?;
    if chain.is_empty() {
        return Err(bad(certificate, "no certificate in PEM".to_owned()));
    }
    if is_open_to_all(key) {
        return Err(bad(key, "everyone can read it; allow only its owner to, or a group".to_owned()));
    }
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| bad(key, format!("no private key in PEM: {error}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(certificate, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| bad(certificate, format!("it does not go with the key: {error}")))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// A group may read it: that is how services share a key.
#[cfg(unix)]
fn is_open_to_all(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o007 != 0)
}

#[cfg(not(unix))]
fn is_open_to_all(_: &Path) -> bool {
    false
}
