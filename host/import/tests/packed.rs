//! Archives that are made to do damage.

use crate::desk::{Desk, Room};
use stepwell_import::limits::{ZIP_RATIO, ZIP_RATIO_FROM};
use stepwell_import::{ImportError, Kind, Options};

#[test]
fn what_unpacks_to_a_thousand_times_its_size_is_stopped() {
    let room = Room::new();
    let mut json = b"[".to_vec();
    json.resize(ZIP_RATIO_FROM as usize * 3, b' ');
    json.extend(b"]");
    let zip = room.zip("bomb.zip", &[("conversations.json", &json)]);
    let packed = zip.metadata().unwrap().len();
    assert!(packed * ZIP_RATIO < json.len() as u64, "it is no bomb: {packed} bytes");
    let desk = Desk::import(Kind::Chatgpt, &zip);
    assert_eq!((desk.drafts.len(), desk.reasons()), (0, vec!["zip_bomb"]));
}

#[test]
fn names_that_lead_out_of_an_archive_are_left_out() {
    let room = Room::new();
    let zip = room.zip(
        "x.zip",
        &[
            ("../../conversations.json", b"[]"),
            ("/etc/conversations.json", b"[]"),
            ("ok/conversations.json", b"[]"),
        ],
    );
    let desk = Desk::import(Kind::Chatgpt, &zip);
    assert!(desk.reasons().contains(&"unsafe_name"), "{:?}", desk.skips);
    assert!(!room.path("../conversations.json").exists());
}

#[test]
fn a_broken_archive_is_refused() {
    let room = Room::new();
    let zip = std::fs::read(room.zip("x.zip", &[("conversations.json", b"[1,2,3]")])).unwrap();
    for cut in [5, zip.len() / 2, zip.len() - 3] {
        let path = room.file("cut.zip", &zip[..cut]);
        let error = Desk::with(Kind::Chatgpt, &path, Options::default()).err().expect("a refusal");
        assert!(matches!(error, ImportError::Io { .. }), "{error}");
    }
    let mut flipped = zip;
    flipped[45] ^= 0xff;
    // Damage inside shows when it is read.
    match Desk::with(Kind::Chatgpt, &room.file("flipped.zip", &flipped), Options::default()) {
        Ok(desk) => assert!(!desk.skips.is_empty()),
        Err(error) => {
            assert!(matches!(error, ImportError::Io { .. } | ImportError::NotOfKind { .. }), "{error}");
        }
    }
}
