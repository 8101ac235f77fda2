//! Whose certificates count for a resource server.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{CertificateError, ClientConfig, Error, RootCertStore};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The authorities whose certificates count: those that the machine trusts, or those of a file and no others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authorities(Option<Vec<CertificateDer<'static>>>);

impl Authorities {
    /// Reads certificates in PEM. The reason of a failure does not repeat what the file says.
    pub fn read(file: &Path) -> Result<Self, String> {
        let certificates = CertificateDer::pem_file_iter(file)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| format!("no certificate in PEM: {error}"))?;
        let (taken, _) = RootCertStore::empty().add_parsable_certificates(certificates.iter().cloned());
        if taken == 0 || taken < certificates.len() {
            return Err("no certificate in PEM that can be an authority's".to_owned());
        }
        Ok(Self(Some(certificates)))
    }

    /// TLS by these authorities. Certificates are always checked.
    pub(super) fn tls(&self) -> Result<ClientConfig, Error> {
        let mut roots = RootCertStore::empty();
        match &self.0 {
            Some(certificates) => roots.add_parsable_certificates(certificates.iter().cloned()),
            None => roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        Ok(config.with_root_certificates(roots).with_no_client_auth())
    }
}

/// What is wrong with the encryption of a connection that did not stand, if it was that. Trying again would not help.
pub(super) fn fault(error: &reqwest::Error) -> Option<&'static str> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(fault) = error.downcast_ref::<Error>() {
            return Some(said(fault));
        }
        // An error of input and output passes over the one that it carries when it is asked for its cause.
        let carried = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause = match carried {
            Some(carried) => Some(carried),
            None => error.source(),
        };
    }
    None
}

fn said(fault: &Error) -> &'static str {
    match fault {
        Error::InvalidCertificate(reason) => match reason {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "has a certificate that expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "has a certificate that does not count yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "has a certificate for another name"
            }
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "has a certificate of an authority that is not trusted here"
            }
            CertificateError::Revoked => "has a certificate that was revoked",
            _ => "has a certificate that does not count",
        },
        Error::InvalidMessage(_) => "does not speak TLS at this address",
        _ => "does not agree on how to encrypt the connection",
    }
}
