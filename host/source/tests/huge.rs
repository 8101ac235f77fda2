//! A field of 100 MB: its windows cost what any window costs.

use crate::dice::Dice;
use crate::on_both_engines;
use crate::world::{World, stream};
use stepwell_contract::{Bytes, Chars, Span};
use stepwell_source::Source;

on_both_engines!(windows_of_a_hundred_megabytes_are_windows);

async fn windows_of_a_hundred_megabytes_are_windows(world: World) {
    const SIZE: usize = 100_000_000;
    const END: &str = "The Last Line, in Zürich 🦢";
    // One block over and over, so that what stands anywhere is known without walking there.
    let block = Dice(31).text(1 << 18).replace('\n', " ");
    let block_chars: Vec<char> = block.chars().collect();
    let blocks = SIZE / block.len() + 1;
    let total = (blocks * block_chars.len() + END.chars().count()) as u64;
    let mut line = String::with_capacity(SIZE + block.len() + 100);
    line.push_str(r#"{"key":"k","data":{"title":"short","body":""#);
    (0..blocks).for_each(|_| line.push_str(&block));
    line.push_str(END);
    line.push_str(r#""}}"#);
    // Words are indexed elsewhere; here they would only take the time of the test.
    let manifest = r#"{"query":{"search":{"lexical_fields":["title"]}}}"#;
    assert_eq!(world.fill("c/s", Some(manifest), &[line]).await.stored.added, 1);

    let caller = world.grant(vec![stream("s")]).await;
    let field = world.field(&caller, "c/s:k", "body").await.unwrap();
    assert_eq!(field.shape.chars, Some(Chars(total)));
    assert_eq!(field.shape.bytes, Some(Bytes((blocks * block.len() + END.len()) as u64)));
    world.assert_no_content_was_selected("measuring");
    let at_end = total - END.chars().count() as u64 - 4_000;
    for at in [0, 1, 4_095, total / 3, total / 2, at_end] {
        let text = world.store.text(&caller, &field, Span::at(Chars(at), Chars(4_096))).await.unwrap();
        let expected: String =
            (at..at + 4_000).map(|index| block_chars[(index % block_chars.len() as u64) as usize]).collect();
        assert!(text.starts_with(&expected), "the window at {at}");
        let seen = world.content_seen();
        assert_eq!(seen.len(), 1, "one window is one statement");
        assert!(seen[0].bytes < 100_000 && seen[0].rows <= 3, "{seen:?}");
    }
    let last = world.store.text(&caller, &field, Span::at(Chars(total - 10), Chars(4_096))).await.unwrap();
    assert_eq!(last, END.chars().skip(END.chars().count() - 10).collect::<String>());

    world.seen.take();
    let hit = world.find(&caller, &field, &END.to_lowercase(), total - 3_000_000).await;
    assert_eq!(hit, Some(total - END.chars().count() as u64));
    assert!(world.content_seen().iter().all(|seen| seen.bytes < 1_200_000), "a search reads bounded pieces");

    let view = world.record(&caller, "c/s:k", None).await.unwrap();
    let body = view.fields.iter().find(|field| field.name == "body").unwrap();
    assert!(!body.is_whole() && body.head.as_ref().is_some_and(|head| block.starts_with(head.as_str())));
    assert!(world.content_seen()[0].bytes < 100_000, "a record shows the head of a long field");
}
