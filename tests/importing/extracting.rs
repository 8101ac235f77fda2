//! The text of files that came with mail: it can be read and found like any other, and a file that does harm only loses its own.

use super::done;
use crate::on_both_engines;
use crate::program::Store;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;

on_both_engines!(
    the_text_of_documents_can_be_read,
    a_pdf_is_kept_without_its_text,
    files_that_do_harm_lose_their_text_alone,
);

fn docx(document: &str) -> Vec<u8> {
    let mut zip = ZipArchiveWriter::new(Vec::new());
    let file = zip.new_file("word/document.xml").compression_method(CompressionMethod::DEFLATE);
    let (mut entry, sums) = file.start().unwrap();
    let mut writer = sums.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
    writer.write_all(document.as_bytes()).unwrap();
    let (encoder, sums) = writer.finish().unwrap();
    encoder.finish().unwrap();
    entry.finish(sums).unwrap();
    zip.finish().unwrap()
}

const PDF: &[u8] = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n";
const DOCUMENT: &str = "<?xml version=\"1.0\"?><w:document xmlns:w=\"x\"><w:body><w:p><w:r><w:t>Fish &amp; chips</w:t></w:r><w:r><w:tab/><w:t>for Z&#xfc;rich</w:t></w:r></w:p><w:p><w:r><w:instrText>HIDDEN</w:instrText><w:t>second paragraph</w:t></w:r></w:p></w:body></w:document>";

fn mail(files: &[(&str, Vec<u8>)]) -> String {
    let mut mail = "From a@b Mon Mar  2 09:00:00 2026\nMessage-ID: <a@b>\nSubject: files\nContent-Type: multipart/mixed; boundary=b\n\n".to_owned();
    for (name, bytes) in files {
        let encoded = STANDARD.encode(bytes);
        let lines: Vec<&str> =
            encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
        write!(mail, "--b\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"{name}\"\n\n{}\n", lines.join("\n")).unwrap();
    }
    mail + "--b--\n"
}

fn the_text_of_documents_can_be_read(store: &Store) {
    let file = store.file("a.mbox", mail(&[("menu.docx", docx(DOCUMENT))]));
    let report = done(store, &["mbox", &file]);
    assert_eq!(report["left_out"], json!({}));
    let token = store.grant(&["--stream", "attachments"]).token_file;
    let read = |more: &[&str]| {
        let id = "cin_mbox_a/attachments:a@b:1";
        store.run(&[&["read", id, "content_text", "--token-file", &token], more].concat())
    };
    assert_eq!(read(&[]).text(), "Fish & chips\tfor Zürich\nsecond paragraph");
    assert_eq!(read(&["--q", "ZÜRICH", "--before", "4", "--after", "0"]).text(), "for Zürich");
    let folder = store.path("papers");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("menu.docx"), docx(DOCUMENT)).unwrap();
    done(store, &["files", folder.to_str().unwrap()]);
    let token = store.grant(&["--stream", "files"]).token_file;
    let read = store.run(&["read", "cin_files_papers/files:menu.docx", "text", "--token-file", &token]);
    assert_eq!(read.text(), "Fish & chips\tfor Zürich\nsecond paragraph");
}

fn a_pdf_is_kept_without_its_text(store: &Store) {
    let file = store.file("a.mbox", mail(&[("tide.pdf", PDF.to_vec())]));
    let said = store.run(&["import", "--json", "--strict", "mbox", &file]);
    said.assert_code(0);
    let events = said.json_lines();
    let left_out = events.iter().find(|event| event["event"] == "left_out").expect("a reason");
    assert_eq!(left_out["reason"], "no_text");
    assert_eq!(left_out["detail"], "a file that came with it: the text of a PDF is not taken out yet");
    let folder = store.path("papers");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("tide.pdf"), PDF).unwrap();
    let report = done(store, &["files", folder.to_str().unwrap()]);
    assert_eq!(report["left_out"], json!({ "no_text": 1 }));
    let token = store.grant(&["--stream", "attachments", "--stream", "files"]).token_file;
    let digest: String = Sha256::digest(PDF).iter().map(|byte| format!("{byte:02x}")).collect();
    for id in ["cin_mbox_a/attachments:a@b:1", "cin_files_papers/files:tide.pdf"] {
        let shown = store.run(&["--json", "show", id, "--token-file", &token]);
        assert_eq!(shown.json()["fields"]["content"]["digest"], format!("sha256:{digest}"), "{shown:?}");
    }
}

fn files_that_do_harm_lose_their_text_alone(store: &Store) {
    let bomb = docx(&format!("<w:t>{}</w:t>", "a".repeat(80 << 20)));
    let grows = docx("<!DOCTYPE w [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><w:t>&b;</w:t>");
    let deep = docx(&"<w:p>".repeat(500_000));
    let harmful = [
        ("bomb.docx", bomb),
        ("grows.docx", grows),
        ("deep.docx", deep),
        ("cut.docx", docx(DOCUMENT)[..60].to_vec()),
    ];
    let files = [harmful.as_slice(), &[("whole.docx", docx(DOCUMENT))]].concat();
    let file = store.file("a.mbox", mail(&files));
    let report = done(store, &["mbox", &file]);
    assert_eq!(report["streams"]["attachments"]["added"], files.len() as u64, "{report}");
    assert_eq!(report["left_out"], json!({ "no_text": harmful.len() }));
    let token = store.grant(&["--stream", "attachments"]).token_file;
    let last = format!("cin_mbox_a/attachments:a@b:{}", files.len());
    let read = store.run(&["read", &last, "content_text", "--token-file", &token]);
    assert!(read.text().starts_with("Fish & chips"), "{read:?}");
}
