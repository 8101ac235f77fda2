//! Names of any length: refused alike by both engines before a batch is at stake, or stored by both.

use crate::dice::Dice;
use crate::on_both_engines;
use crate::world::{World, line, record, stream};
use serde_json::json;
use stepwell_contract::FieldPath;
use stepwell_source::Source;
use stepwell_source::prepare::RejectionCode;

on_both_engines!(
    long_names_are_stored_or_rejected_line_by_line,
    a_manifest_may_declare_what_no_record_can_have
);

/// A name that no compression makes short.
fn noise(dice: &mut Dice, bytes: usize) -> String {
    (0..bytes)
        .map(|_| char::from(b'!' + (dice.below(90)) as u8))
        .filter(|c| !"/\\.~\"".contains(*c))
        .collect()
}

async fn long_names_are_stored_or_rejected_line_by_line(world: World) {
    let mut dice = Dice(41);
    let longest = noise(&mut dice, 2_200).chars().take(2_000).collect::<String>();
    let too_long = noise(&mut dice, 20_000);
    let text = "x".repeat(5_000);
    let filled = world
        .fill(
            "c/s",
            None,
            &[
                line(&longest, &json!({ "a": "key" })),
                line("name", &json!({ longest.clone(): "name" })),
                line("nested", &json!({ "tree": { longest.clone(): text } })),
                line(&too_long, &json!({ "a": "key" })),
                line("too-long", &json!({ too_long.clone(): "name" })),
                line("too-long-inside", &json!({ "tree": { too_long.clone(): text } })),
                line(
                    "short-below-long",
                    &json!({ "tree": { too_long.clone(): { "leaf": "short" }, "pad": text } }),
                ),
            ],
        )
        .await;
    use RejectionCode::{NameTooLong, UnsafeKey};
    assert_eq!(filled.rejected, [(4, UnsafeKey), (5, NameTooLong), (6, NameTooLong)]);
    assert_eq!(filled.stored.added, 4);
    let caller = world.grant(vec![stream("s")]).await;
    assert_eq!(world.whole(&caller, &format!("c/s:{longest}"), "a").await.unwrap(), "key");
    assert_eq!(world.whole(&caller, "c/s:name", &longest).await.unwrap(), "name");
    assert_eq!(world.whole(&caller, "c/s:nested", &format!("/tree/{longest}")).await.unwrap(), text);
    assert_eq!(
        world.whole(&caller, "c/s:short-below-long", &format!("/tree/{too_long}/leaf")).await.unwrap(),
        "short"
    );
    // Asking for what cannot be there is no failure.
    assert!(world.field(&caller, &format!("c/s:{too_long}"), "a").await.unwrap_err().refusal().is_some());
    assert!(world.field(&caller, "c/s:name", &too_long).await.unwrap_err().refusal().is_some());
    let path = FieldPath::top_level(&too_long);
    assert!(world.store.field(&caller, &record("c/s:name"), &path).await.unwrap_err().refusal().is_some());
}

async fn a_manifest_may_declare_what_no_record_can_have(world: World) {
    let mut dice = Dice(42);
    let declared =
        json!({ "schema": { "properties": { "a": {}, "nul\0": {}, noise(&mut dice, 20_000): {} } } });
    world.fill("c/s", Some(&declared.to_string()), &[line("k", &json!({ "a": "text" }))]).await;
    let (grant, token) = world.store.create_grant(&crate::world::request(vec![stream("s")])).await.unwrap();
    assert_eq!(grant.streams[0].fields, ["a"]);
    let caller = world.store.authenticate(&token).await.unwrap();
    assert_eq!(world.whole(&caller, "c/s:k", "a").await.unwrap(), "text");
}
