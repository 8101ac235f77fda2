//! The default tiers, as components.

use crate::support::{Memory, context, defaults, record, row};
use std::sync::Arc;
use stepwell_contract::{Bytes, Chars, Span, unit};
use stepwell_tiers::{
    Asked, BlobShape, EmptyHand, FieldKind, FieldShape, Health, Hit, Mode, Passage, Purpose, Shown, Target,
};

#[tokio::test]
async fn preview_shows_the_title_the_match_and_the_author() {
    let body = format!("{} the needle is here. {}", "hay ".repeat(500), "hay ".repeat(500));
    let at = body.find("needle").unwrap() as u64;
    let fields = [("subject", "Farm news"), ("from", "Ann"), ("body", body.as_str())];
    let mut shape = record(&fields);
    shape.hits = vec![Hit { path: "body".into(), at: Some(Span::at(Chars(at), Chars(6))), snippet: None }];
    let tiers = defaults();
    let sheets = tiers.preview().unwrap().compose(vec![shape], &row(), Memory::of(&fields)).await.unwrap();
    let sheet = &sheets[0];
    let own = |shown: &Shown| match shown {
        Shown::Verbatim(Passage { path, at }) => {
            let text = fields.iter().find(|(name, _)| name == path).unwrap().1;
            unit::slice(text, *at).to_owned()
        }
        Shown::Derived(derived) => format!("~{}", derived.text),
    };
    assert_eq!(own(sheet.title.as_ref().unwrap()), "Farm news");
    assert!(own(&sheet.lines[0]).contains("the needle is here"), "{:?}", sheet.lines);
    assert_eq!(own(&sheet.lines[1]), "Ann");
}

#[tokio::test]
async fn preview_of_a_long_document_offers_places() {
    let chapters: String =
        (1..=30).map(|n| format!("# Chapter {n}\n\n{}\n\n", "word ".repeat(2_000))).collect();
    let fields = [("title", "Book"), ("text", chapters.as_str())];
    let tiers = defaults();
    let document = context(Purpose::Document, 4_000);
    let preview = tiers.preview().unwrap();
    let sheets = preview.compose(vec![record(&fields)], &document, Memory::of(&fields)).await.unwrap();
    let anchors = &sheets[0].anchors;
    assert!(anchors.len() >= 10, "{anchors:?}");
    assert!(anchors.last().unwrap().at > Chars(150_000), "{anchors:?}");
}

#[tokio::test]
async fn preview_without_a_capability_still_answers() {
    let fields = [("body", "some text")];
    let tiers = defaults();
    let sheets =
        tiers.preview().unwrap().compose(vec![record(&fields)], &row(), Arc::new(EmptyHand)).await.unwrap();
    assert_eq!(sheets.len(), 1);
    assert!(
        tiers.preview().unwrap().compose(Vec::new(), &row(), Arc::new(EmptyHand)).await.unwrap().is_empty()
    );
}

#[tokio::test]
async fn windows_are_exactly_as_asked() {
    let tiers = defaults();
    let window = tiers.window().unwrap();
    let field = FieldShape { chars: Some(Chars(10_000)), ..FieldShape::new("body", FieldKind::Text) };
    let span = |start, end| Span::new(Chars(start), Chars(end)).unwrap();
    for (asked, expected) in [
        (Asked::Page { offset: Chars(4_096), limit: Chars(4_096) }, span(4_096, 8_192)),
        (Asked::Page { offset: Chars(9_000), limit: Chars(4_096) }, span(9_000, 10_000)),
        (Asked::Page { offset: Chars(99_000), limit: Chars(4_096) }, span(10_000, 10_000)),
        (Asked::Back { end: Chars(4_096), limit: Chars(1_000) }, span(3_096, 4_096)),
        (
            Asked::Around {
                hit: span(5_000, 5_006),
                before: Chars(10),
                after: Chars(10),
                limit: Chars(4_096),
            },
            span(4_990, 5_016),
        ),
    ] {
        assert_eq!(
            window.place(field.clone(), asked, &row(), Arc::new(EmptyHand)).await,
            Ok(expected),
            "{asked:?}"
        );
    }
}

#[tokio::test]
async fn resources_offer_the_long_field_first_and_lay_out_the_record() {
    let long = "x ".repeat(5_000);
    let fields = [("body", long.as_str()), ("subject", "Hi")];
    let mut shape = record(&fields);
    shape.fields.push(FieldShape::new("photo", FieldKind::Binary));
    let tiers = defaults();
    let resources = tiers.resources().unwrap();
    let links = resources.links(vec![shape.clone()], &row(), Arc::new(EmptyHand)).await.remove(0).unwrap();
    let targets: Vec<_> = links.iter().map(|offer| offer.target.clone()).collect();
    assert_eq!(targets, [Target::Field("body".into()), Target::WholeRecord, Target::Blob("photo".into())]);
    let parts = resources.layout(shape, &row(), Arc::new(EmptyHand)).await.unwrap();
    assert_eq!(parts.iter().map(|part| part.path.as_str()).collect::<Vec<_>>(), ["subject", "body"]);
}

#[tokio::test]
async fn export_believes_the_bytes_and_the_host_its_own_list() {
    let tiers = defaults();
    let blob = |mime: &str, name: &str, head: &[u8]| BlobShape {
        path: "content".into(),
        mime: Some(mime.into()),
        bytes: Some(Bytes(5_000)),
        file_name: Some(name.into()),
        head: head.to_vec(),
        options: Vec::new(),
    };
    let export = tiers.export().unwrap();
    let photo = export.describe(blob("image/png", "../cat.png", b"\x89PNG\r\n\x1a\n"), &row()).await.unwrap();
    assert_eq!(
        (photo.file_name.as_str(), photo.mime.as_str(), photo.mode),
        ("cat.png", "image/png", Mode::Window)
    );
    let page = export.describe(blob("text/html", "a.html", b"<html>"), &row()).await.unwrap();
    assert_eq!((page.mime.as_str(), page.mode), ("application/octet-stream", Mode::DownloadOnly));
}

#[tokio::test]
async fn status_tells_where_a_tier_comes_from_and_how_it_is_doing() {
    let tiers = defaults();
    let status = tiers.status();
    assert_eq!(
        status.iter().map(|tier| tier.name.as_str()).collect::<Vec<_>>(),
        ["preview", "field-window", "resources", "binary-export"]
    );
    for tier in status {
        assert_eq!((tier.health, tier.origin.as_str()), (Health::Ready, "builtin"));
        assert!(tier.faults.iter().all(|(_, count)| *count == 0), "{:?}", tier.faults);
        let version = if tier.name == "resources" { "0.2.0" } else { "0.1.0" };
        assert_eq!(tier.wit_version.as_deref(), Some(version));
        assert_eq!(tier.digest.map(|digest| digest.len()), Some(64));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_calls_than_the_pool_holds_wait_for_their_turn() {
    let tiers = Arc::new(defaults());
    let calls: Vec<_> = (0..200)
        .map(|_| {
            let tiers = Arc::clone(&tiers);
            tokio::spawn(async move {
                let fields = [("body", "some text")];
                let preview = tiers.preview().unwrap();
                preview
                    .compose(vec![record(&fields)], &row(), Memory::of(&fields))
                    .await
                    .map(|sheets| sheets.len())
            })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), Ok(1));
    }
}
