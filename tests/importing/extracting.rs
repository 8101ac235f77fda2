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
    the_text_of_a_pdf_can_be_read,
    pdfs_that_do_harm_lose_their_text_alone,
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

/// A PDF of one page. Its objects are numbered from 1: the catalogue, the list of pages, the page, what it draws, and others.
fn pdf(page: &str, content: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << {page} >> >>"
        )
        .into(),
        stream("", content),
    ];
    objects.extend_from_slice(others);
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", index + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let (start, count) = (file.len(), objects.len() + 1);
    file.extend(format!("xref\n0 {count}\n0000000000 65535 f \n").bytes());
    file.extend(places.iter().flat_map(|place| format!("{place:010} 00000 n \n").into_bytes()));
    file.extend(format!("trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

fn stream(about: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< {about} /Length {} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

const FONT: &[u8] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const TIDES: &[u8] =
    b"BT /F1 12 Tf 72 700 Td (High tide in Z\xfcrich) Tj 0 -14 Td [(at) -300 (half past nine)] TJ ET";

fn the_text_of_a_pdf_can_be_read(store: &Store) {
    let tides = pdf("/Font << /F1 5 0 R >>", TIDES, &[FONT.to_vec()]);
    let file = store.file("a.mbox", mail(&[("tide.pdf", tides.clone())]));
    let report = done(store, &["mbox", &file]);
    assert_eq!(report["left_out"], json!({}));
    let folder = store.path("papers");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("tide.pdf"), &tides).unwrap();
    done(store, &["files", folder.to_str().unwrap()]);
    let token = store.grant(&["--stream", "attachments", "--stream", "files"]).token_file;
    let digest: String = Sha256::digest(&tides).iter().map(|byte| format!("{byte:02x}")).collect();
    for (id, field) in
        [("cin_mbox_a/attachments:a@b:1", "content_text"), ("cin_files_papers/files:tide.pdf", "text")]
    {
        let read = store.run(&["read", id, field, "--token-file", &token]);
        assert_eq!(read.text(), "High tide in Zürich\nat half past nine");
        let shown = store.run(&["--json", "show", id, "--token-file", &token]);
        assert_eq!(shown.json()["fields"]["content"]["digest"], format!("sha256:{digest}"), "{shown:?}");
    }
    let found = store.run(&["--json", "search", "\"past nine\"", "--token-file", &token]);
    assert_eq!(found.json()["hits"].as_array().map(Vec::len), Some(2), "{found:?}");
}

/// What a PDF that somebody made to do damage may be: each loses its text, and says why.
fn harmful_pdfs() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let fonts = "/Font << /F1 5 0 R >>";
    let deflated = |content: &[u8]| {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(content).unwrap();
        stream("/Filter /FlateDecode", &zlib.finish().unwrap())
    };
    let draws = |what: &str, times: usize| {
        stream(
            &format!("/Subtype /Form /Resources << /XObject << /X {what} >> >>"),
            "/X Do ".repeat(times).as_bytes(),
        )
    };
    let whole = pdf(fonts, TIDES, &[FONT.to_vec()]);
    // A page that draws itself, and one whose drawings draw ten others each.
    let itself = pdf("/XObject << /X 5 0 R >>", b"/X Do", &[draws("5 0 R", 1)]);
    let laughing: Vec<Vec<u8>> = (6..16).map(|next| draws(&format!("{next} 0 R"), 10)).collect();
    let laughs = pdf("/XObject << /X 5 0 R >>", b"/X Do", &[laughing, vec![draws("15 0 R", 10)]].concat());
    // A page of one gigabyte, packed to one megabyte.
    let mut bomb = pdf(fonts, b"", &[FONT.to_vec(), deflated(&vec![b' '; 1 << 30])]);
    let at = bomb.windows(5).position(|bytes| bytes == b"4 0 R").unwrap();
    bomb[at] = b'6';
    // A list of pages that leads to itself, and lists that never close.
    let circle =
        String::from_utf8_lossy(&pdf("", b"", &[])).replace("/Kids [3 0 R]", "/Kids [2 0 R]").into_bytes();
    let deep = pdf(fonts, &b"[".repeat(2_000_000), &[FONT.to_vec()]);
    let scanned = pdf("", b"0 0 m 10 10 l S", &[]);
    let lock = "28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A";
    let encrypt = format!(
        "/Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{lock}> /U <{lock}> >>"
    );
    let locked = String::from_utf8_lossy(&pdf("", b"", &[])).replace("/Root 1 0 R", &encrypt).into_bytes();
    let broken = "its text could not be read";
    let empty = "it has no text, or too much";
    vec![
        ("itself.pdf", itself, empty),
        ("laughs.pdf", laughs, broken),
        ("bomb.pdf", bomb, broken),
        ("circle.pdf", circle, empty),
        ("deep.pdf", deep, empty),
        ("cut.pdf", whole[..40].to_vec(), broken),
        ("scanned.pdf", scanned, empty),
        ("locked.pdf", locked, "it needs a password"),
        ("words.pdf", b"%PDF-1.7 and then only words".to_vec(), broken),
    ]
}

fn pdfs_that_do_harm_lose_their_text_alone(store: &Store) {
    let harmful = harmful_pdfs();
    let mut files: Vec<(&str, Vec<u8>)> =
        harmful.iter().map(|(name, file, _)| (*name, file.clone())).collect();
    files.push(("whole.pdf", pdf("/Font << /F1 5 0 R >>", TIDES, &[FONT.to_vec()])));
    let file = store.file("a.mbox", mail(&files));
    let said = store.run(&["import", "--json", "--strict", "mbox", &file]);
    said.assert_code(0);
    let events = said.json_lines();
    let reasons: Vec<&str> = events
        .iter()
        .filter(|event| event["reason"] == "no_text")
        .filter_map(|event| event["detail"].as_str())
        .collect();
    let expected: Vec<String> =
        harmful.iter().map(|(_, _, why)| format!("a file that came with it: {why}")).collect();
    assert_eq!(reasons, expected);
    assert_eq!(events.last().unwrap()["streams"]["attachments"]["added"], files.len() as u64);
    let token = store.grant(&["--stream", "attachments"]).token_file;
    let last = format!("cin_mbox_a/attachments:a@b:{}", files.len());
    let read = store.run(&["read", &last, "content_text", "--token-file", &token]);
    assert!(read.text().starts_with("High tide"), "{read:?}");
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
