//! Tokens: issued again, rotated, listed without themselves, and ended.

use crate::on_both_engines;
use crate::world::{World, code, line, request, stream};
use serde_json::json;
use stepwell_contract::Code;
use stepwell_source::Source as _;
use stepwell_source::grant::{AccessMode, GrantError, GrantState, PackageRequest, Terms};
use stepwell_source::time;
use stepwell_source::token::{Token, TokenKind, TokenRequest};

on_both_engines!(
    a_new_token_takes_the_place_of_the_old_ones_if_it_is_to,
    tokens_are_listed_by_names_that_are_no_secret,
    a_token_ends_by_itself_or_by_its_owner,
    a_single_use_grant_has_one_token_for_a_day,
    of_two_who_ask_at_once_for_the_one_token_one_gets_it,
    terms_are_kept_as_they_were_given,
);

async fn filled(world: &World) -> String {
    world.fill("home/notes", None, &[line("k", &json!({ "body": "b" }))]).await;
    let wanted = request(vec![stream("notes")]);
    world.store.create_grant_without_token(&wanted, &Terms::default()).await.unwrap().grant_id
}

async fn issue(world: &World, holder: &str, request: TokenRequest) -> Token {
    world.store.issue_token(holder, &request).await.unwrap().1
}

fn rotated(grace: i64) -> TokenRequest {
    TokenRequest { replaces_after: Some(grace), ..TokenRequest::default() }
}

async fn a_new_token_takes_the_place_of_the_old_ones_if_it_is_to(world: World) {
    let grant = filled(&world).await;
    let opens = async |token: &Token| world.store.authenticate(token).await.is_ok();
    let (one, two) =
        (issue(&world, &grant, Default::default()).await, issue(&world, &grant, Default::default()).await);
    assert!(opens(&one).await && opens(&two).await, "a further token leaves the others as they are");
    let three = issue(&world, &grant, rotated(3_600_000)).await;
    assert!(opens(&one).await && opens(&two).await && opens(&three).await, "the grace is not over");
    let tokens = world.store.tokens().await.unwrap();
    let end = tokens.iter().find(|token| token.name == one.name()).unwrap().expires_at.unwrap();
    assert!(end > time::now() + 3_000_000 && end <= time::now() + 3_600_000);
    let four = issue(&world, &grant, rotated(0)).await;
    assert!(opens(&four).await);
    for old in [&one, &two, &three] {
        assert_eq!(code(world.store.authenticate(old).await), Code::InvalidToken);
    }
    // Another grant's tokens are none of it, and a package's are its own.
    let other = filled(&world).await;
    let theirs = issue(&world, &other, Default::default()).await;
    let wanted = PackageRequest { client: "c".into(), expires_at: None, grants: vec![grant.clone()] };
    let (package, of_package) = world.store.create_package(&wanted).await.unwrap();
    let five = issue(&world, &grant, rotated(0)).await;
    assert!(opens(&theirs).await && opens(&of_package).await && opens(&five).await && !opens(&four).await);
    let six = issue(&world, &package.package_id, rotated(0)).await;
    assert!(opens(&six).await && opens(&five).await && !opens(&of_package).await);
}

async fn tokens_are_listed_by_names_that_are_no_secret(world: World) {
    let grant = filled(&world).await;
    let client = issue(&world, &grant, Default::default()).await;
    let owner = world.store.create_labelled_owner_token(Some("importer"), None).await.unwrap();
    let listed = world.store.tokens().await.unwrap();
    let mut told: Vec<_> = listed
        .iter()
        .map(|one| (one.name.clone(), one.kind, one.holder.clone(), one.label.clone()))
        .collect();
    told.sort_by_key(|(_, kind, ..)| *kind != TokenKind::Client);
    let expected = [
        (client.name(), TokenKind::Client, Some(grant), None),
        (owner.name(), TokenKind::Owner, None, Some("importer".to_owned())),
    ];
    assert_eq!(told, expected);
    let all = format!("{listed:?}");
    assert!(!all.contains(client.reveal()) && !all.contains(owner.reveal()));
    assert_eq!(code(world.store.authenticate(&owner).await), Code::OwnerTokenRefused);
}

async fn a_token_ends_by_itself_or_by_its_owner(world: World) {
    let grant = filled(&world).await;
    let past = TokenRequest { expires_at: Some(time::now() - 1), ..TokenRequest::default() };
    let past = issue(&world, &grant, past).await;
    assert_eq!(code(world.store.authenticate(&past).await), Code::InvalidToken);
    let (one, two) =
        (issue(&world, &grant, Default::default()).await, issue(&world, &grant, Default::default()).await);
    assert!(world.store.revoke_token(&one.name()).await.unwrap());
    assert!(!world.store.revoke_token(&one.name()).await.unwrap(), "the second time changes nothing");
    assert_eq!(code(world.store.authenticate(&one).await), Code::InvalidToken);
    assert!(world.store.authenticate(&two).await.is_ok());
    for unknown in ["", "tok_", "tok_000000000000", two.reveal()] {
        assert!(
            matches!(world.store.revoke_token(unknown).await, Err(GrantError::UnknownToken(_))),
            "{unknown}"
        );
    }
    world.store.revoke_grant(&grant).await.unwrap();
    let refused = world.store.issue_token(&grant, &Default::default()).await;
    assert!(matches!(refused, Err(GrantError::Ended(_))));
    let refused = world.store.issue_token("grt_0", &Default::default()).await;
    assert!(matches!(refused, Err(GrantError::NotFound(_))));
}

async fn a_single_use_grant_has_one_token_for_a_day(world: World) {
    filled(&world).await;
    let once = Terms { access_mode: AccessMode::SingleUse, ..Terms::default() };
    let wanted = request(vec![stream("notes")]);
    let (grant, token) = world.store.create_grant_on(&wanted, &once).await.unwrap();
    assert_eq!(world.store.grant(&grant.grant_id).await.unwrap(), grant);
    assert_eq!(grant.consumed_at, Some(grant.issued_at));
    let caller = world.store.authenticate(&token).await.unwrap();
    assert!(
        world.field(&caller, "home/notes:k", "body").await.is_ok(),
        "the token is good for more than one read"
    );
    let [issued] = &world.store.tokens().await.unwrap()[..] else { panic!("one token") };
    assert_eq!(issued.expires_at, Some(grant.issued_at + 86_400_000));
    for request in [TokenRequest::default(), rotated(0)] {
        let refused = world.store.issue_token(&grant.grant_id, &request).await.unwrap_err();
        assert!(
            matches!(refused, GrantError::Consumed(_)) && refused.to_string().starts_with("grant_consumed: ")
        );
    }
    assert!(world.store.authenticate(&token).await.is_ok(), "a refused rotation ends nothing");
    // Made without a token, it has its one still to come; a shorter life than a day is kept.
    let later = world.store.create_grant_without_token(&wanted, &once).await.unwrap();
    assert_eq!(later.consumed_at, None);
    let soon = TokenRequest { expires_at: Some(time::now() + 60_000), ..TokenRequest::default() };
    let (issued, _) = world.store.issue_token(&later.grant_id, &soon).await.unwrap();
    assert_eq!((issued.expires_at, issued.state(time::now())), (soon.expires_at, GrantState::Active));
    assert!(world.store.grant(&later.grant_id).await.unwrap().consumed_at.is_some());
    assert!(world.store.issue_token(&later.grant_id, &soon).await.is_err());
    world.store.revoke_token(&issued.name).await.unwrap();
    assert!(world.store.issue_token(&later.grant_id, &soon).await.is_err(), "also when the one was ended");
}

async fn of_two_who_ask_at_once_for_the_one_token_one_gets_it(world: World) {
    filled(&world).await;
    let once = Terms { access_mode: AccessMode::SingleUse, ..Terms::default() };
    for _ in 0..5 {
        let wanted = request(vec![stream("notes")]);
        let grant = world.store.create_grant_without_token(&wanted, &once).await.unwrap().grant_id;
        let (other, plain) = (world.again().await, TokenRequest::default());
        let (one, two) =
            tokio::join!(world.store.issue_token(&grant, &plain), other.issue_token(&grant, &plain));
        assert_eq!([one.is_ok(), two.is_ok()].iter().filter(|&&ok| ok).count(), 1);
    }
}

async fn terms_are_kept_as_they_were_given(world: World) {
    filled(&world).await;
    let terms = Terms {
        access_mode: AccessMode::Continuous,
        purpose_code: Some("research".into()),
        retention: Some(json!({ "max_days": 30, "ä": [1.5, null] })),
        source: Some(json!({ "id": "https://example.org/m.json", "kind": "connector" })),
    };
    let (grant, _) = world.store.create_grant_on(&request(vec![stream("notes")]), &terms).await.unwrap();
    assert_eq!(world.store.grant(&grant.grant_id).await.unwrap(), grant);
    assert_eq!(
        (grant.purpose_code, grant.retention, grant.source),
        (terms.purpose_code, terms.retention, terms.source)
    );
}
