//! Parts of blobs, from servers that give parts and from those that do not.

use super::desk::{Desk, mail, options, refusal};
use crate::world::record;
use stepwell_contract::{Bytes, Code, FieldPath};
use stepwell_source::{Field, FieldKind, Source as _};
use stepwell_testkit::resource_server::{Fault, Shelf};

async fn file(desk: &Desk) -> Field {
    desk.remote.field(&desk.caller, &record("cin_a/inbox:m1"), &FieldPath::top_level("file")).await.unwrap()
}

#[tokio::test]
async fn parts_are_the_same_whether_the_server_gives_them_or_not() {
    let desk = Desk::new(mail()).await;
    let field = file(&desk).await;
    assert_eq!((field.shape.kind, field.shape.bytes), (FieldKind::Binary, Some(Bytes(100_000))));
    assert_eq!(field.shape.mime.as_deref(), Some("image/png"));
    let whole: &[u8] = &desk.server.shelf().blobs["blob_1"].1;
    for ranges in [false, true] {
        desk.server.behave(|habits| habits.ranges = ranges);
        for (start, length) in [(0, 10), (99_000, 65_536), (300, 65_536), (100_000, 1), (200_000, 1)] {
            let part = desk.remote.bytes(&desk.caller, &field, Bytes(start), Bytes(length)).await.unwrap();
            let start = (start as usize).min(whole.len());
            let end = (start + length as usize).min(whole.len());
            assert!(part == whole[start..end], "{start}+{length}, ranges: {ranges}");
        }
    }
    let asked = desk.server.asked().pop().unwrap();
    assert_eq!((asked.path.as_str(), asked.param("connection_id")), ("/v1/blobs/blob_1", Some("cin_a")));
}

#[tokio::test]
async fn what_lies_too_far_in_or_elsewhere_is_refused() {
    let server = stepwell_testkit::resource_server::ResourceServer::start(mail());
    let desk = Desk::at(server).await;
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(&desk.server);
    options.limits.skipped = 50_000;
    let remote = stepwell_source::Remote::new(options, super::desk::local(&folder).await).unwrap();
    let field = file(&desk).await;
    let far = remote.bytes(&desk.caller, &field, Bytes(60_000), Bytes(10)).await;
    assert_eq!(refusal(far).code, Code::UnsupportedBySource);
    assert_eq!(remote.bytes(&desk.caller, &field, Bytes(50_000), Bytes(10)).await.unwrap().len(), 10);
    let other = Fault::typed(206, "image/png", "elsewhere").with("content-range", "bytes 7-15/100000");
    desk.server.breaks("/blob_1", other, 1);
    let moved = remote.bytes(&desk.caller, &field, Bytes(3), Bytes(9)).await;
    assert_eq!(refusal(moved).code, Code::InvalidRsResponse);
}

#[tokio::test]
async fn an_object_with_an_id_is_no_blob() {
    let shelf = Shelf::default().with(
        "cin_a/inbox:m",
        serde_json::json!({ "person": { "id": "p1", "url": "https://a.example", "name": "Ann" } }),
    );
    let desk = Desk::new(shelf).await;
    let view = desk.remote.record(&desk.caller, &record("cin_a/inbox:m"), None).await.unwrap();
    assert_eq!(view.fields[0].shape.kind, FieldKind::Json);
}
