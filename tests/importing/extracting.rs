//! The text of files that came with mail: it can be read and found like any other, and a file that does harm only loses its own.

use super::done;
use crate::on_both_engines;
use crate::program::Store;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

on_both_engines!(the_text_of_documents_can_be_read, files_that_do_harm_lose_their_text_alone);

/// A PDF of one page, as small as one can be.
fn pdf(text: &str) -> Vec<u8> {
    let content = format!("BT /F1 24 Tf 72 700 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut out = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        write!(out, "{} 0 obj\n{object}\nendobj\n", index + 1).unwrap();
    }
    let at = out.len();
    write!(out, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for place in places {
        write!(out, "{place:010} 00000 n \n").unwrap();
    }
    write!(out, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n", objects.len() + 1).unwrap();
    out.into_bytes()
}

fn docx(document: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    zip.write_all(document.as_bytes()).unwrap();
    zip.finish().unwrap().into_inner()
}

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
    let file = store
        .file("a.mbox", mail(&[("tide.pdf", pdf("The heron of Zurich")), ("menu.docx", docx(DOCUMENT))]));
    let report = done(store, &["mbox", &file]);
    assert_eq!(report["left_out"], serde_json::json!({}));
    let token = store.grant(&["--stream", "attachments"]).token_file;
    let read = |n: u8, more: &[&str]| {
        let id = format!("cin_mbox_a/attachments:a@b:{n}");
        store.run(&[&["read", id.as_str(), "content_text", "--token-file", &token], more].concat())
    };
    assert_eq!(read(1, &[]).text().trim(), "The heron of Zurich");
    assert_eq!(read(2, &[]).text(), "Fish & chips\tfor Zürich\nsecond paragraph");
    assert_eq!(read(2, &["--q", "ZÜRICH", "--before", "4", "--after", "0"]).text(), "for Zürich");
    let folder = store.path("papers");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("tide.pdf"), pdf("High water at noon")).unwrap();
    done(store, &["files", folder.to_str().unwrap()]);
    let token = store.grant(&["--stream", "files"]).token_file;
    let read = store.run(&["read", "cin_files_papers/files:tide.pdf", "text", "--token-file", &token]);
    assert_eq!(read.text().trim(), "High water at noon");
}

fn files_that_do_harm_lose_their_text_alone(store: &Store) {
    let whole = pdf("whole");
    let endless = String::from_utf8(pdf("x")).unwrap().replace("/Kids [3 0 R]", "/Kids [2 0 R]").into_bytes();
    let bomb = docx(&format!("<w:t>{}</w:t>", "a".repeat(80 << 20)));
    let grows = docx("<!DOCTYPE w [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><w:t>&b;</w:t>");
    let deep = docx(&"<w:p>".repeat(500_000));
    let files = [
        ("cut.pdf", whole[..whole.len() / 2].to_vec()),
        ("empty.pdf", b"%PDF-1.7\n".to_vec()),
        ("noise.pdf", [b"%PDF-1.7\n".as_slice(), &b"\xff\x00\x80<<>>[["[..].repeat(4_000)].concat()),
        ("endless.pdf", endless),
        ("bomb.docx", bomb),
        ("grows.docx", grows),
        ("deep.docx", deep),
        ("cut.docx", docx(DOCUMENT)[..60].to_vec()),
        ("whole.pdf", whole),
    ];
    let file = store.file("a.mbox", mail(&files));
    let report = done(store, &["mbox", &file]);
    assert_eq!(report["streams"]["attachments"]["added"], files.len() as u64, "{report}");
    assert!(report["left_out"]["no_text"].as_u64() >= Some(6), "{report}");
    assert_eq!(report["left_out"].as_object().unwrap().len(), 1, "{report}");
    let token = store.grant(&["--stream", "attachments"]).token_file;
    let last = format!("cin_mbox_a/attachments:a@b:{}", files.len());
    let read = store.run(&["read", &last, "content_text", "--token-file", &token]);
    assert_eq!(read.text().trim(), "whole");
}
