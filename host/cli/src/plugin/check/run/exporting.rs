//! Questions to a binary-export tier: blobs of every sort under every sort of name.

use super::{Answered, Question};
use crate::plugin::trial::context;
use stepwell_contract::Bytes;
use stepwell_tiers::{BlobShape, ExportTier, Purpose, TierFault};

/// The first bytes of files, with what they are.
const HEADS: [(&str, &[u8]); 8] = [
    ("a PDF", b"%PDF-1.7\n"),
    ("a PNG", b"\x89PNG\r\n\x1a\n"),
    ("a ZIP", b"PK\x03\x04"),
    ("a program", b"\x7fELF\x02\x01\x01"),
    ("a page with a script", b"<!doctype html><script>alert(1)</script>"),
    ("a picture with a script", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
    ("text", b"date,amount\n2025-01-01,12.50\n"),
    ("nothing", b""),
];
/// MIME types as data declares them, true or not.
const TYPES: [Option<&str>; 6] = [
    None,
    Some("application/pdf"),
    Some("image/png"),
    Some("text/html"),
    Some("image/svg+xml; x=\"\r\nSet-Cookie: a=b\""),
    Some(""),
];
/// File names as data has them.
const NAMES: [Option<&str>; 7] = [
    None,
    Some("invoice.pdf"),
    Some(""),
    Some("../../etc/passwd"),
    Some("C:\\con.txt:stream"),
    Some("\u{202e}fdp.exe\r\nX: y\0"),
    Some("名前 🪽.tar.gz"),
];

pub(super) struct Present<'a> {
    tier: &'a ExportTier,
    name: String,
    blob: BlobShape,
}

pub(super) fn questions(tier: &ExportTier) -> impl Iterator<Item = Present<'_>> {
    let long = "long ".repeat(1_000);
    HEADS.into_iter().flat_map(move |(what, head)| {
        let named = NAMES.map(|name| name.map(str::to_owned)).into_iter().chain([Some(long.clone())]);
        named.flat_map(move |name| {
            TYPES.map(|mime| {
                let said = name.as_deref().map_or("no name", |name| &name[..name.floor_char_boundary(40)]);
                Present {
                    tier,
                    name: format!("{what}, {:?}, {said:?}", mime.unwrap_or("no type")),
                    blob: BlobShape {
                        path: "attachment".to_owned(),
                        mime: mime.map(str::to_owned),
                        bytes: (!head.is_empty()).then_some(Bytes(1 << 20)),
                        file_name: name.clone(),
                        head: head.to_vec(),
                        options: Vec::new(),
                    },
                }
            })
        })
    })
}

impl Question for Present<'_> {
    fn name(&self) -> String {
        self.name.clone()
    }

    async fn ask(&self) -> Result<Answered, TierFault> {
        let card = self.tier.describe(self.blob.clone(), &context(Purpose::Document)).await?;
        let note = card.note.as_ref().map_or(0, String::len);
        let shown = (card.file_name.len() + card.mime.len() + note) as u64;
        Ok(Answered { said: format!("{card:?}"), shown, left_out: 0 })
    }
}
