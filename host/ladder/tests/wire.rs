//! What never left the database, read off the wire between it and us.

use crate::world::{Ask, World, fields};
use stepwell_sample::known::{self, CANARIES};
use stepwell_testkit::{Postgres, wire_tap};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_text_of_ungranted_fields_never_leaves_the_server() {
    let url = Postgres::shared().fresh_database();
    World::at(url.clone(), None).await.fill_with_the_sample().await;
    let tap = wire_tap(Postgres::shared().port());
    let world = World::at(tap.url(&url), None).await;
    let caller = world.grant(vec![fields(known::HOME_MAIL, known::MESSAGES, &["from", "folder"])]).await;
    for canary in CANARIES {
        for ask in [
            Ask::new(&canary.place.id(), canary.place.field),
            Ask::new(&canary.place.id(), canary.place.field).q(canary.text),
            Ask::new(&canary.place.id(), "from"),
        ] {
            let _ = world.read(&caller, &ask).await;
        }
        assert!(!tap.server_bytes_contain(canary.text.as_bytes()), "{canary:?}");
    }
    // The tap does see what is granted, or its silence would prove nothing.
    let caller = world.grant(vec![fields(known::HOME_MAIL, known::MESSAGES, &["body"])]).await;
    let granted = &CANARIES[0];
    world.window(&caller, &Ask::new(&granted.place.id(), granted.place.field)).await;
    assert!(tap.server_bytes_contain(granted.text.as_bytes()));
}
