//! Which token goes where.

use super::desk::{Desk, OWN, local, mail, options, refusal};
use crate::world::record;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use stepwell_contract::Code;
use stepwell_source::remote::{CallerTokens, ExchangeOptions, Own};
use stepwell_source::{Remote, Source as _, Token};
use stepwell_testkit::resource_server::{Bearer, Fault, ResourceServer, Shelf};
use tempfile::TempDir;

async fn remote(server: &ResourceServer, folder: &TempDir, tokens: CallerTokens, own: Option<Own>) -> Remote {
    let options = stepwell_source::remote::RemoteOptions { own, tokens, ..options(server) };
    Remote::new(options, local(folder).await).unwrap()
}

#[tokio::test]
async fn a_callers_token_stays_here_unless_both_are_one_resource() {
    let desk = Desk::new(mail()).await;
    desk.server.knows("callers", Bearer::Client("grt_caller".into()));
    let told = refusal(desk.remote.authenticate(&Token::new("callers")).await);
    assert_eq!(told.code, Code::InvalidToken);
    // Not even the process's own token lets a stranger in: it was never handed out.
    assert_eq!(refusal(desk.remote.authenticate(&Token::new(OWN)).await).code, Code::InvalidToken);
    assert!(desk.server.asked().is_empty());
}

#[tokio::test]
async fn with_one_resource_the_server_judges_and_each_caller_reads_under_its_own() {
    let (server, folder) = (ResourceServer::start(mail()), tempfile::tempdir().unwrap());
    server.knows("one", Bearer::Client("grt_one".into()));
    server.knows("two", Bearer::Client("grt_two".into()));
    server.knows("gone", Bearer::Revoked);
    server.knows("mine", Bearer::Owner);
    let remote = remote(&server, &folder, CallerTokens::Forwarded, None).await;
    let one = remote.authenticate(&Token::new("one")).await.unwrap();
    let two = remote.authenticate(&Token::new("two")).await.unwrap();
    assert_eq!((one.grant(), two.grant()), ("grt_one", "grt_two"));
    assert_eq!(refusal(remote.authenticate(&Token::new("gone")).await).code, Code::GrantRevoked);
    assert_eq!(refusal(remote.authenticate(&Token::new("mine")).await).code, Code::OwnerTokenRefused);
    assert_eq!(refusal(remote.authenticate(&Token::new("who")).await).code, Code::InvalidToken);
    // Without a token of its own the process is nobody.
    assert_eq!(refusal(remote.authenticate(&remote.process_token()).await).code, Code::InvalidToken);
    let _ = server.asked();
    remote.authenticate(&Token::new("one")).await.unwrap();
    assert!(server.asked().is_empty(), "a judgement is believed for a while");
    remote.record(&two, &record("cin_a/inbox:m1"), None).await.unwrap();
    let asked = server.asked();
    assert_eq!(asked[0].bearer(), Some("two"));
    assert!(!asked[0].raw_query.contains("two") && !asked[0].path.contains("two"));
    // A revocation counts at the next read, and then nothing is believed any more.
    server.knows("one", Bearer::Revoked);
    assert_eq!(refusal(remote.record(&one, &record("cin_a/inbox:m1"), None).await).code, Code::GrantRevoked);
    assert_eq!(refusal(remote.authenticate(&Token::new("one")).await).code, Code::GrantRevoked);
}

#[tokio::test]
async fn a_file_is_read_again_when_its_token_no_longer_counts() {
    let (server, folder) = (ResourceServer::start(mail()), tempfile::tempdir().unwrap());
    let file = folder.path().join("token");
    std::fs::write(&file, "first").unwrap();
    server.knows("first", Bearer::Client("grt_own".into()));
    let remote = remote(&server, &folder, CallerTokens::Kept, Some(Own::File(file.clone()))).await;
    let caller = remote.authenticate(&remote.process_token()).await.unwrap();
    server.forgets("first");
    let told = refusal(remote.record(&caller, &record("cin_a/inbox:m1"), None).await);
    assert_eq!(told.code, Code::InvalidToken);
    std::fs::write(&file, "second\n").unwrap();
    server.knows("second", Bearer::Client("grt_own".into()));
    remote.record(&caller, &record("cin_a/inbox:m1"), None).await.unwrap();
    assert_eq!(remote.authenticate(&remote.process_token()).await.unwrap().grant(), "grt_own");
    let bearers: Vec<Option<String>> =
        server.asked().iter().map(|asked| asked.bearer().map(str::to_owned)).collect();
    assert!(
        bearers.iter().all(|bearer| matches!(bearer.as_deref(), Some("first" | "second"))),
        "{bearers:?}"
    );
}

#[tokio::test]
async fn what_a_file_holds_by_now_is_judged_before_it_is_used() {
    let (server, folder) = (ResourceServer::start(mail()), tempfile::tempdir().unwrap());
    let file = folder.path().join("token");
    std::fs::write(&file, "first").unwrap();
    server.knows("first", Bearer::Client("grt_own".into()));
    let remote = remote(&server, &folder, CallerTokens::Kept, Some(Own::File(file.clone()))).await;
    let caller = remote.authenticate(&remote.process_token()).await.unwrap();
    server.forgets("first");
    server.knows("owners", Bearer::Owner);
    server.knows("others", Bearer::Client("grt_other".into()));
    let _ = server.asked();
    for (token, code) in [("owners", Code::OwnerTokenRefused), ("others", Code::InvalidToken)] {
        std::fs::write(&file, token).unwrap();
        // As often as it is tried: nothing of it is remembered.
        for _ in 0..2 {
            let told = refusal(remote.record(&caller, &record("cin_a/inbox:m1"), None).await);
            assert_eq!(told.code, code, "{token}");
            for asked in server.asked() {
                let is_read = asked.path.contains("/records/");
                assert!(!is_read || asked.bearer() == Some("first"), "{token} read a record: {asked:?}");
            }
        }
    }
    assert_eq!(remote.authenticate(&remote.process_token()).await.unwrap().grant(), "grt_other");
}

#[tokio::test]
async fn the_credential_of_the_pdpp_command_line_is_used_and_an_owners_is_not() {
    let (server, folder) = (ResourceServer::start(mail()), tempfile::tempdir().unwrap());
    let file = folder.path().join("127.0.0.1.json");
    server.knows("cached", Bearer::Client("grt_cached".into()));
    let write = |credential: serde_json::Value| std::fs::write(&file, credential.to_string()).unwrap();
    let own = || Some(Own::Pdpp(file.clone()));
    write(json!({ "credential": { "access_token": "cached", "expires_at": "2999-01-01T00:00:00Z" } }));
    let source = remote(&server, &folder, CallerTokens::Kept, own()).await;
    assert_eq!(source.authenticate(&source.process_token()).await.unwrap().grant(), "grt_cached");
    for (credential, code) in [
        (
            json!({ "credential": { "access_token": "cached", "token_kind": "owner" } }),
            Code::OwnerTokenRefused,
        ),
        (
            json!({ "credential": { "access_token": "cached", "expires_at": "2001-01-01T00:00:00Z" } }),
            Code::InvalidToken,
        ),
        (json!({}), Code::InvalidToken),
    ] {
        write(credential);
        let source = remote(&server, &folder, CallerTokens::Kept, own()).await;
        let _ = server.asked();
        assert_eq!(refusal(source.authenticate(&source.process_token()).await).code, code);
        assert!(server.asked().is_empty());
    }
}

#[tokio::test]
async fn a_callers_token_is_exchanged_and_never_shown_to_the_resource_server() {
    let (server, folder) = (ResourceServer::start(mail()), tempfile::tempdir().unwrap());
    let authority = ResourceServer::start(Shelf::default());
    server.knows("exchanged", Bearer::Client("grt_x".into()));
    let options = ExchangeOptions {
        token_endpoint: format!("{}/oauth/token", authority.url()).parse().unwrap(),
        client_id: "our well".into(),
        client_secret: Token::new("hu:sh é+"),
        resource: None,
    };
    let remote = remote(&server, &folder, CallerTokens::Exchanged(options), None).await;
    let answer = json!({ "access_token": "exchanged", "token_type": "Bearer", "expires_in": 600 });
    authority.breaks("/oauth/token", Fault::json(200, &answer.to_string()), 1);
    let caller = remote.authenticate(&Token::new("callers & own")).await.unwrap();
    assert_eq!(caller.grant(), "grt_x");
    // The second time it is known.
    remote.authenticate(&Token::new("callers & own")).await.unwrap();
    remote.record(&caller, &record("cin_a/inbox:m1"), None).await.unwrap();
    let asked = authority.asked();
    assert_eq!((asked.len(), asked[0].method.as_str(), asked[0].raw_query.as_str()), (1, "POST", ""));
    let proof = asked[0].header("authorization").unwrap().strip_prefix("Basic ").unwrap();
    assert_eq!(STANDARD.decode(proof).unwrap(), b"our+well:hu%3Ash+%C3%A9%2B", "spelled for a form first");
    let form = &asked[0].body;
    assert!(
        form.contains("grant-type%3Atoken-exchange") && form.contains("subject_token=callers+%26+own"),
        "{form}"
    );
    assert!(form.contains("resource=http%3A%2F%2F127.0.0.1"), "{form}");
    for asked in server.asked() {
        assert_eq!(asked.bearer(), Some("exchanged"));
    }
    for (status, code) in
        [(400, Code::InvalidToken), (401, Code::SourceUnavailable), (500, Code::SourceUnavailable)]
    {
        authority.breaks("/oauth/token", Fault::json(status, r#"{"error":"invalid_grant"}"#), 1);
        assert_eq!(refusal(remote.authenticate(&Token::new("another")).await).code, code, "{status}");
        authority.heals();
    }
}

#[tokio::test]
async fn nothing_goes_unencrypted_to_another_machine() {
    let (server, folder) = (ResourceServer::start(mail()), tempfile::tempdir().unwrap());
    let mut options = options(&server);
    options.url = "http://rs.example/pdpp".parse().unwrap();
    let told = Remote::new(options.clone(), local(&folder).await).unwrap_err().to_string();
    assert!(told.contains("allow_http"), "{told}");
    options.allow_http = true;
    assert!(Remote::new(options, local(&folder).await).is_ok());
}
