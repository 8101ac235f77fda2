//! A resource server under real TLS: whose certificate counts, and that nothing is sent to one whose does not.

use super::desk::{OWN, local, mail, options, refusal};
use crate::world::record;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use stepwell_contract::Code;
use stepwell_source::remote::{Authorities, CallerTokens, ExchangeOptions, RemoteOptions};
use stepwell_source::{Remote, Source as _, Token};
use stepwell_testkit::resource_server::{Bearer, Fault, ResourceServer};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// An authority that is made for a test.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// What a server of this name is encrypted with.
    fn server(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> Arc<ServerConfig> {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let secret = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth();
        Arc::new(config.with_single_cert(vec![certificate.der().clone()], secret).unwrap())
    }

    fn trusted(&self, folder: &TempDir) -> Authorities {
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, &self.pem).unwrap();
        Authorities::read(&file).unwrap()
    }
}

/// Ends TLS before a server that speaks plain HTTP, and counts who came. It ends with the test.
async fn front(tls: Arc<ServerConfig>, upstream: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, came) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counter = came.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::Relaxed);
            let acceptor = TlsAcceptor::from(tls.clone());
            tokio::spawn(async move {
                let mut near = acceptor.accept(stream).await?;
                let mut far = TcpStream::connect(upstream).await?;
                tokio::io::copy_bidirectional(&mut near, &mut far).await
            });
        }
    });
    (address, came)
}

fn upstream(server: &ResourceServer) -> SocketAddr {
    server.url().strip_prefix("http://").unwrap().parse().unwrap()
}

async fn remote(server: &ResourceServer, url: &str, authorities: Authorities, folder: &TempDir) -> Remote {
    let options = RemoteOptions { url: url.parse().unwrap(), authorities, ..options(server) };
    Remote::new(options, local(folder).await).unwrap()
}

#[tokio::test]
async fn a_certificate_of_a_named_authority_counts() {
    let (server, folder, authority) =
        (ResourceServer::start(mail()), tempfile::tempdir().unwrap(), Authority::new());
    server.knows(OWN, Bearer::Client("grt_own".to_owned()));
    let (address, _) = front(authority.server("localhost", |_| {}), upstream(&server)).await;
    let url = format!("https://localhost:{}", address.port());
    let remote = remote(&server, &url, authority.trusted(&folder), &folder).await;
    let caller = remote.authenticate(&remote.process_token()).await.unwrap();
    let view = remote.record(&caller, &record("cin_a/inbox:m1"), None).await.unwrap();
    assert!(view.fields.iter().any(|field| field.head.as_deref() == Some("The key")), "{view:?}");
    assert!(server.asked().iter().all(|asked| asked.bearer() == Some(OWN)));

    // A redirect is not followed, whether to a place without TLS or to another server.
    let stray = ResourceServer::start(mail());
    for location in [format!("http://{}/v1/streams", upstream(&stray)), format!("{url}/v1/elsewhere")] {
        server.breaks("/records/m1", Fault::json(302, "{}").with("location", &location), 1);
        let _ = server.asked();
        let told = refusal(remote.record(&caller, &record("cin_a/inbox:m1"), None).await);
        assert_eq!(told.code, Code::InvalidRsResponse, "{told:?}");
        assert_eq!(server.asked().len(), 1, "nobody was asked again");
        assert!(stray.asked().is_empty(), "nobody else was asked");
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_whose_certificate_does_not_count() {
    let (server, folder) = (ResourceServer::start(mail()), tempfile::tempdir().unwrap());
    let (authority, stranger) = (Authority::new(), Authority::new());
    let expired = authority.server("localhost", |params| {
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
    });
    let early = authority.server("localhost", |params| {
        params.not_before = date_time_ymd(4000, 1, 1);
        params.not_after = date_time_ymd(4001, 1, 1);
    });
    for (tls, said) in [
        (stranger.server("localhost", |_| {}), "a certificate of an authority that is not trusted here"),
        (authority.server("rs.example", |_| {}), "a certificate for another name"),
        (expired, "a certificate that expired"),
        (early, "a certificate that does not count yet"),
    ] {
        let (address, came) = front(tls, upstream(&server)).await;
        let url = format!("https://localhost:{}", address.port());
        let remote = remote(&server, &url, authority.trusted(&folder), &folder).await;
        let told = refusal(remote.authenticate(&remote.process_token()).await);
        assert_eq!(told.code, Code::SourceUnavailable, "{told:?}");
        assert_eq!(told.message, format!("the resource server has {said}, so nothing was sent to it"));
        assert!(told.hint.as_deref().is_some_and(|hint| hint.contains("ca_file")), "{told:?}");
        assert!(!format!("{told:?}").contains(&address.port().to_string()), "{told:?}");
        assert_eq!(came.load(Ordering::Relaxed), 1, "{said}: trying again does not help");
        assert!(server.asked().is_empty(), "{said}");
    }
}

#[tokio::test]
async fn the_machines_own_authorities_are_the_default_and_https_is_https() {
    let (server, folder, authority) =
        (ResourceServer::start(mail()), tempfile::tempdir().unwrap(), Authority::new());
    let (address, _) = front(authority.server("localhost", |_| {}), upstream(&server)).await;
    let url = format!("https://localhost:{}", address.port());
    let by_default = remote(&server, &url, Authorities::default(), &folder).await;
    let told = refusal(by_default.authenticate(&by_default.process_token()).await);
    assert!(told.message.contains("not trusted here"), "{told:?}");
    let plain = server.url().replace("http://", "https://");
    let plain = remote(&server, &plain, authority.trusted(&folder), &folder).await;
    let told = refusal(plain.authenticate(&plain.process_token()).await);
    assert!(told.message.contains("does not speak TLS at this address"), "{told:?}");
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn credentials_do_not_go_over_plain_http_to_another_machine() {
    let (server, folder) = (ResourceServer::start(mail()), tempfile::tempdir().unwrap());
    let local = local(&folder).await;
    for url in
        ["http://rs.example", "http://10.0.0.1:8080", "http://localhost.rs.example", "http://[2001:db8::1]"]
    {
        let options = RemoteOptions { url: url.parse().unwrap(), ..options(&server) };
        let refused = Remote::new(options, local.clone()).unwrap_err().to_string();
        assert!(refused.contains("is not encrypted"), "{url}: {refused}");
    }
    // What exchanges tokens is held to the same.
    let tokens = CallerTokens::Exchanged(ExchangeOptions {
        token_endpoint: "http://as.example/token".parse().unwrap(),
        client_id: "host".to_owned(),
        client_secret: Token::new("s3cret"),
        resource: None,
    });
    let refused = Remote::new(RemoteOptions { tokens, ..options(&server) }, local).unwrap_err().to_string();
    assert!(refused.contains("is not encrypted") && !refused.contains("s3cret"), "{refused}");
}

#[test]
fn a_file_of_authorities_has_to_hold_some() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    assert!(Authorities::read(&file).is_err());
    for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        std::fs::write(&file, text).unwrap();
        assert!(Authorities::read(&file).unwrap_err().contains("no certificate"), "{text}");
    }
}
