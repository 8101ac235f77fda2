//! HTTP under TLS.

use crate::client::{Answer, Ask, PATIENCE, read_answer};
use crate::limits::{Lock, call, until_blocked};
use crate::world::World;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use stepwell_server::http::{HttpOptions, Times, Tls};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Makes a certificate and its key, writes them to files, and gives the certificate.
fn make(folder: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("certificate.pem"), made.cert.pem()).unwrap();
    let key = folder.join("key.pem");
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    allow(&key, 0o600);
    made.cert.der().clone()
}

fn allow(path: &Path, mode: u32) {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}

fn load(folder: &Path) -> Result<Tls, String> {
    Tls::load(&folder.join("certificate.pem"), &folder.join("key.pem")).map_err(|error| error.to_string())
}

async fn connect(
    address: SocketAddr,
    trusted: &CertificateDer<'static>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream).await
}

async fn ask(mut stream: TlsStream<TcpStream>, ask: &Ask) -> Answer {
    ask.write(&mut stream).await;
    read_answer(stream).await
}

#[tokio::test]
async fn a_new_certificate_takes_its_place_while_the_server_runs() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let folder = tempfile::tempdir().unwrap();
    let first = make(folder.path());
    let tls = Arc::new(load(folder.path()).unwrap());
    let server = world.serve(HttpOptions { tls: Some(tls.clone()), ..HttpOptions::default() }).await;
    let list = Ask::legacy("tools/list", json!({}));
    let answer = ask(connect(server.address, &first).await.unwrap(), &list.clone().bearing(&token)).await;
    assert_eq!(answer.status, 200);
    let answer = ask(connect(server.address, &first).await.unwrap(), &list).await;
    let metadata = format!("https://{}/.well-known/oauth-protected-resource/mcp", server.address);
    assert!(answer.header("www-authenticate").unwrap().contains(&metadata));

    let open = connect(server.address, &first).await.unwrap();
    let second = make(folder.path());
    tls.replace(load(folder.path()).unwrap());
    assert!(connect(server.address, &first).await.is_err(), "the old certificate is gone");
    let answer = ask(connect(server.address, &second).await.unwrap(), &list.clone().bearing(&token)).await;
    assert_eq!(answer.status, 200);
    let answer = ask(open, &list.clone().bearing(&token)).await;
    assert_eq!(answer.status, 200, "what was open goes on");

    // Plain text is answered by no page of HTTP.
    let mut plain = list.bearing(&token).begin(server.address).await;
    let mut bytes = Vec::new();
    let _ = plain.read_to_end(&mut bytes).await;
    assert!(!bytes.starts_with(b"HTTP/"), "{bytes:?}");
}

#[tokio::test]
async fn a_call_under_tls_is_finished_too() {
    let world = World::on_postgres().await;
    let (_, token) = world.grant().await;
    let folder = tempfile::tempdir().unwrap();
    let certificate = make(folder.path());
    let tls = Some(Arc::new(load(folder.path()).unwrap()));
    let server = world.serve(HttpOptions { tls, ..HttpOptions::default() }).await;
    let lock = Lock::on(&world, "record").await;
    let mut stream = connect(server.address, &certificate).await.unwrap();
    call(&token).write(&mut stream).await;
    until_blocked(&world, 1).await;
    server.end();
    lock.release().await;
    let answer = read_answer(stream).await;
    assert_eq!((answer.status, &answer.json()["result"]["isError"]), (200, &json!(false)), "{answer:?}");
    server.ended().await;
}

#[test]
fn files_that_cannot_be_used_are_named_and_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    assert!(load(folder.path()).unwrap_err().contains("certificate.pem"));
    make(folder.path());
    let key = folder.path().join("key.pem");
    let secret = std::fs::read_to_string(&key).unwrap();
    #[cfg(unix)]
    {
        allow(&key, 0o644);
        assert!(load(folder.path()).unwrap_err().contains("everyone can read it"));
        allow(&key, 0o640);
        assert!(load(folder.path()).is_ok());
    }
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&key, other.signing_key.serialize_pem()).unwrap();
    let error = load(folder.path()).unwrap_err();
    assert!(
        error.contains("does not go with the key") && !error.contains(secret.lines().nth(1).unwrap()),
        "{error}"
    );
    std::fs::write(&key, "no key").unwrap();
    assert!(load(folder.path()).unwrap_err().contains("no private key"));
    make(folder.path());
    std::fs::write(folder.path().join("certificate.pem"), "").unwrap();
    assert!(load(folder.path()).unwrap_err().contains("no certificate"));
}

#[tokio::test]
async fn a_handshake_has_its_time() {
    let world = World::new().await;
    let (_, token) = world.grant().await;
    let folder = tempfile::tempdir().unwrap();
    let certificate = make(folder.path());
    let tls = Some(Arc::new(load(folder.path()).unwrap()));
    let times = Times { handshake: Duration::from_secs(1), ..Times::default() };
    let server = world.serve(HttpOptions { tls, times, ..HttpOptions::default() }).await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let mut said = Vec::new();
    let closed = tokio::time::timeout(PATIENCE, silent.read_to_end(&mut said)).await;
    assert_eq!(closed.expect("it is closed").unwrap_or_default(), 0);
    let list = Ask::legacy("tools/list", json!({})).bearing(&token);
    let answer = ask(connect(server.address, &certificate).await.unwrap(), &list).await;
    assert_eq!(answer.status, 200);
}
