//! Whole values: what comes out is what went in, and only a piece of it is in memory.

use crate::dice::Dice;
use crate::on_both_engines;
use crate::world::{World, fields, line, record, stream};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use stepwell_contract::handle::{Handle, HandleKind};
use stepwell_contract::{Bytes, Code, FieldPath};
use stepwell_source::whole::{Blobs, Broken, Closed, Outlet, Pen, WholeRecord, write_bytes, write_text};
use stepwell_source::{Caller, RecordView, Source as _, SourceError};

on_both_engines!(
    a_record_comes_out_as_it_went_in,
    what_changed_meanwhile_is_said_before_anything_is_written,
    a_revocation_ends_a_long_answer_in_its_middle,
    nobody_reads_for_whoever_is_gone,
);

/// Keeps everything, and how large its pieces were.
#[derive(Default)]
struct Kept {
    all: Vec<u8>,
    largest: usize,
}

#[async_trait]
impl Outlet for Kept {
    async fn put(&mut self, piece: Vec<u8>) -> Result<(), Closed> {
        self.largest = self.largest.max(piece.len());
        self.all.extend(piece);
        Ok(())
    }
}

async fn written(world: &World, caller: &Caller, view: &RecordView, blobs: Blobs) -> (Value, usize) {
    let mut kept = Kept::default();
    let mut pen = Pen::new(&mut kept);
    let whole = WholeRecord::locate(&world.store, caller, view, blobs).await.unwrap();
    whole.write(&mut pen).await.unwrap();
    pen.flush().await.unwrap();
    (serde_json::from_slice(&kept.all).unwrap(), kept.largest)
}

/// A text of all lengths of code points, with everything that JSON escapes.
fn long_text() -> String {
    Dice(7).text(900_000) + "\"\\\u{0}\u{1}\t\n</script>\u{2028}🦢" + &"\"".repeat(200_000)
}

fn everything() -> Value {
    let bytes: Vec<u8> = (0..700_001_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    json!({
        "body": long_text(),
        "empty": "",
        "file": { "$blob": { "mime_type": "image/png", "file_name": "a \"b\".png", "base64": STANDARD.encode(&bytes) } },
        "list": (0..60_000).map(|n| json!({ "n": n, "t": "é\"" })).collect::<Vec<_>>(),
        "none": null,
        "number": 12.5,
        "short": "a\"b\\c\u{0}",
        "small": { "a": [1, 2] },
        "yes": true,
    })
}

async fn a_record_comes_out_as_it_went_in(world: World) {
    let data = everything();
    let stored = line("k", &data);
    assert_eq!(world.fill("c/s", None, &[stored]).await.stored.added, 1);
    let caller = world.grant(vec![stream("s")]).await;
    let view = world.record(&caller, "c/s:k", None).await.unwrap();

    let (inline, largest) = written(&world, &caller, &view, Blobs::Inline).await;
    assert_eq!(inline, data);
    assert!(largest < 1_500_000, "a piece of {largest} bytes");

    let (mut linked, _) = written(&world, &caller, &view, Blobs::Linked("/v1/blobs/")).await;
    let link = linked["file"].take();
    linked["file"] = data["file"].clone();
    assert_eq!(linked, data);
    assert_eq!((&link["mime_type"], &link["size_bytes"]), (&json!("image/png"), &json!(700_001)));
    let id = link["blob_id"].as_str().unwrap();
    assert_eq!(link["fetch_url"], format!("/v1/blobs/{id}"));
    let handle = Handle::decode(HandleKind::Blob, id).unwrap();
    assert_eq!(handle.result_id().unwrap().to_string(), "c/s:k");

    // The fields by themselves.
    let field = world.field(&caller, "c/s:k", "body").await.unwrap();
    let mut kept = Kept::default();
    let mut pen = Pen::new(&mut kept);
    write_text(&world.store, &caller, &field, &mut pen).await.unwrap();
    pen.flush().await.unwrap();
    assert!(kept.all == long_text().as_bytes());
    let field = world.field(&caller, "c/s:k", "file").await.unwrap();
    let bytes = STANDARD.decode(data["file"]["$blob"]["base64"].as_str().unwrap()).unwrap();
    for (start, end) in [(0, 700_001), (65_535, 65_537), (700_000, 900_000), (5, 5)] {
        let mut kept = Kept::default();
        let mut pen = Pen::new(&mut kept);
        write_bytes(&world.store, &caller, &field, (Bytes(start), Bytes(end)), &mut pen).await.unwrap();
        pen.flush().await.unwrap();
        assert!(kept.all == bytes[start as usize..(end as usize).min(bytes.len())], "{start} to {end}");
    }

    // No more than the grant names.
    let caller = world.grant(vec![fields("s", &["short", "number"])]).await;
    let view = world.record(&caller, "c/s:k", None).await.unwrap();
    let (granted, _) = written(&world, &caller, &view, Blobs::Inline).await;
    assert_eq!(granted, json!({ "number": 12.5, "short": "a\"b\\c\u{0}" }));
}

async fn what_changed_meanwhile_is_said_before_anything_is_written(world: World) {
    let of = |text: &str| line("k", &json!({ "body": text.repeat(9_000) }));
    world.fill("c/s", None, &[of("one ")]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let view = world.record(&caller, "c/s:k", None).await.unwrap();
    world.fill("c/s", None, &[of("two ")]).await;
    let told = WholeRecord::locate(&world.store, &caller, &view, Blobs::Inline).await;
    assert!(matches!(told, Err(SourceError::Changed)), "{told:?}");
}

/// Does something when the first piece comes.
struct Interrupted<'a> {
    world: &'a World,
    grant: String,
    pieces: usize,
}

#[async_trait]
impl Outlet for Interrupted<'_> {
    async fn put(&mut self, _: Vec<u8>) -> Result<(), Closed> {
        self.pieces += 1;
        if self.pieces == 1 {
            assert!(self.world.store.revoke_grant(&self.grant).await.unwrap());
        }
        Ok(())
    }
}

async fn a_revocation_ends_a_long_answer_in_its_middle(world: World) {
    world.fill("c/s", None, &[line("k", &json!({ "body": "text ".repeat(400_000) }))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let view = world.record(&caller, "c/s:k", None).await.unwrap();
    let mut outlet = Interrupted { world: &world, grant: caller.grant().to_owned(), pieces: 0 };
    let mut pen = Pen::new(&mut outlet);
    let whole = WholeRecord::locate(&world.store, &caller, &view, Blobs::Inline).await.unwrap();
    let told = whole.write(&mut pen).await;
    let Err(Broken::Source(SourceError::Refused(refusal))) = told else { panic!("{told:?}") };
    assert_eq!(refusal.code, Code::GrantRevoked);
    assert_eq!(outlet.pieces, 1, "nothing follows");
}

struct Gone;

#[async_trait]
impl Outlet for Gone {
    async fn put(&mut self, _: Vec<u8>) -> Result<(), Closed> {
        Err(Closed)
    }
}

async fn nobody_reads_for_whoever_is_gone(world: World) {
    world.fill("c/s", None, &[line("k", &json!({ "body": "text ".repeat(900_000) }))]).await;
    let caller = world.grant(vec![stream("s")]).await;
    let field = world.store.field(&caller, &record("c/s:k"), &FieldPath::top_level("body")).await.unwrap();
    world.seen.take();
    let told = write_text(&world.store, &caller, &field, &mut Pen::new(&mut Gone)).await;
    assert!(matches!(told, Err(Broken::Closed(Closed))), "{told:?}");
    assert_eq!(world.content_seen().len(), 1, "one piece, and then no more");
}
