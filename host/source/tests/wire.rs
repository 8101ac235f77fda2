//! What crosses the wire from Postgres: a tap between the store and its database sees every byte.

use crate::vault::{self, CANARY, OPEN, REFUSED};
use crate::world::World;
use stepwell_contract::Chars;
use stepwell_contract::selector::Query;
use stepwell_source::Source;
use stepwell_testkit::{Postgres, wire_tap};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_outside_the_grant_never_leaves_the_database() {
    let postgres = Postgres::shared();
    let tap = wire_tap(postgres.port());
    let world = World::postgres_at(&tap.url(&postgres.fresh_database())).await;
    vault::fill(&world).await;
    assert!(tap.client_bytes_contain(CANARY.as_bytes()), "the tap sees the text that goes in");
    let caller = world.grant(vec![vault::narrow()]).await;
    let wide = world.grant(vec![crate::world::stream("messages")]).await;
    tap.reset();

    for &(id, path, expected) in REFUSED {
        assert!(world.text(&caller, id, path, 0, 100_000).await.is_err(), "{expected}");
        let _ = world.record(&caller, id, None).await;
        let _ = world.record(&caller, id, Some(&["secret".to_owned()])).await;
    }
    let body = world.field(&caller, "home/messages:in", "body").await.unwrap();
    assert_eq!(world.find(&caller, &body, CANARY, 0).await, None);
    let stolen = world.field(&wide, "home/messages:in", "diary").await.unwrap();
    assert!(world.store.text(&caller, &stolen, stolen.whole()).await.is_err());
    assert!(world.store.find(&caller, &stolen, &Query::new("a").unwrap(), Chars(0)).await.is_err());
    world.store.grants().await.unwrap();
    world.store.scopes().await.unwrap();
    assert!(tap.server_bytes_contain(OPEN.as_bytes()), "what is granted does cross");
    assert!(!tap.server_bytes_contain(CANARY.as_bytes()), "what is not granted does not");

    // The same tap sees the canary as soon as someone may read it, so it would have seen it above.
    world.whole(&wide, "home/messages:in", "diary").await.unwrap();
    assert!(tap.server_bytes_contain(CANARY.as_bytes()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_window_costs_the_wire_little_more_than_its_text() {
    let postgres = Postgres::shared();
    let tap = wire_tap(postgres.port());
    let world = World::postgres_at(&tap.url(&postgres.fresh_database())).await;
    let body = "0123456789abcdef".repeat(1 << 16);
    world.fill("c/s", None, &[crate::world::line("k", &serde_json::json!({ "body": body }))]).await;
    let caller = world.grant(vec![crate::world::stream("s")]).await;
    let field = world.field(&caller, "c/s:k", "body").await.unwrap();
    for at in [0, 500_000, 1_044_480] {
        tap.reset();
        let span = stepwell_contract::Span::at(Chars(at), Chars(4_096));
        assert_eq!(world.store.text(&caller, &field, span).await.unwrap().len(), 4_096);
        assert!(tap.bytes_from_server() < 16_384, "{} bytes at {at}", tap.bytes_from_server());
    }
}
