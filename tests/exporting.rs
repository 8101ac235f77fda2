//! `stepwell export --format zip`: what an owner takes away, held against what went in and against what clients get.

use crate::clients::find_python;
use crate::mcp::http::Http;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use crate::on_both_engines;
use crate::program::Store;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;
use stepwell_testkit::peak_rss_kb;

on_both_engines!(
    an_archive_has_every_record_and_each_file_once,
    names_of_files_cannot_leave_the_archive,
    an_archive_that_fails_leaves_nothing_behind,
);

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(length: usize, seed: u8) -> Vec<u8> {
    (0..length).map(|n| (n * 7 % 251) as u8 ^ seed).collect()
}

/// A mail with one file.
fn mail(id: &str, file_name: &str, mime: &str, content: &[u8]) -> String {
    let encoded = STANDARD.encode(content);
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!(
        "From a@b Mon Mar  2 09:00:00 2026\nMessage-ID: <{id}@b>\nDate: Mon, 2 Mar 2026 09:00:00 +0000\nSubject: About {id}\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nThe plan of {id}.\n--b\nContent-Type: {mime}\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"{file_name}\"\n\n{}\n--b--\n\n",
        lines.join("\n")
    )
}

/// Reads an archive with a program that is not ours: what it holds by name, and each entry's SHA-256.
fn entries(path: &str) -> BTreeMap<String, (String, Value)> {
    const READ: &str = "import hashlib, json, sys, zipfile\n\
        z = zipfile.ZipFile(sys.argv[1])\n\
        assert z.testzip() is None\n\
        names = z.namelist()\n\
        assert len(set(names)) == len(names), names\n\
        text = lambda n, b: b.decode() if n.endswith('json') else ''\n\
        print(json.dumps({n: [hashlib.sha256(z.read(n)).hexdigest(), text(n, z.read(n))] for n in names}))";
    let output = Command::new(find_python()).args(["-c", READ, path]).output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: BTreeMap<String, (String, String)> = serde_json::from_slice(&output.stdout).unwrap();
    let parsed = |(name, (hash, text)): (String, (String, String))| {
        let lines = text.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>();
        let value = match name.ends_with(".ndjson") {
            true => json!(lines.unwrap()),
            false => serde_json::from_str(&text).unwrap_or_default(),
        };
        (name, (hash, value))
    };
    read.into_iter().map(parsed).collect()
}

fn import(store: &Store, mails: &[String]) {
    let file = store.file("All mail.mbox", mails.concat());
    store.run(&["import", "mbox", &file, "--label", "Home mail"]).assert_code(0);
}

fn an_archive_has_every_record_and_each_file_once(store: &Store) {
    let [picture, plan] = [bytes(200_000, 1), bytes(70_000, 2)];
    let mails = [
        mail("one", "picture.png", "image/png", &picture),
        mail("two", "the same picture.png", "image/png", &picture),
        mail("three", "plan.txt", "application/octet-stream", &plan),
    ];
    import(store, &mails);
    let [first, second] = ["first.zip", "second.zip"].map(|name| store.name(name));
    let done = store.run(&["--json", "export", "--out", &first]);
    done.assert_code(0);
    let expected = json!({ "event": "done", "records": 6, "files": 2, "file_bytes": 270_000 });
    assert_eq!(done.json(), expected);
    let entries = entries(&first);
    let names: Vec<&str> = entries.keys().map(String::as_str).collect();
    let (short_plan, short_picture) = (&sha256(&plan)[..12], &sha256(&picture)[..12]);
    assert_eq!(
        names,
        [
            "contents.json",
            &format!("files/picture-{short_picture}.png"),
            &format!("files/plan-{short_plan}.txt"),
            "records/cin_mbox_all_mail/attachments.manifest.json",
            "records/cin_mbox_all_mail/attachments.ndjson",
            "records/cin_mbox_all_mail/messages.manifest.json",
            "records/cin_mbox_all_mail/messages.ndjson",
        ]
    );
    let lines = entries["records/cin_mbox_all_mail/attachments.ndjson"].1.as_array().unwrap();
    assert_eq!(lines.len(), 3);
    for line in lines {
        let blob = &line["data"]["content"]["$blob"];
        let (hash, _) = &entries[blob["path"].as_str().unwrap()];
        assert_eq!(blob["sha256"], json!(hash), "{line}");
    }
    let contents = &entries["contents.json"].1;
    assert_eq!((&contents["records"], &contents["files"]), (&json!(6), &json!(2)));
    let streams = contents["streams"].as_array().unwrap();
    assert_eq!(streams[1]["path"], "records/cin_mbox_all_mail/messages.ndjson");
    assert_eq!((&streams[1]["display_name"], &streams[1]["records"]), (&json!("Home mail"), &json!(3)));
    // The same records give the same bytes, to a file and to a pipe.
    store.run(&["export", "--out", &second]).assert_code(0);
    let piped = store.run(&["export", "--format", "zip"]);
    piped.assert_code(0);
    let whole = std::fs::read(&first).unwrap();
    assert!(whole == std::fs::read(&second).unwrap() && whole == piped.out);
    // Only what was asked for, and lines that can be taken in again.
    let only = store.name("only.zip");
    store.run(&["export", "messages", "--out", &only]).assert_code(0);
    assert!(
        self::entries(&only).keys().all(|name| !name.contains("attachments") && !name.starts_with("files/"))
    );
    store.run(&["export"]).assert_code(64);
}

fn names_of_files_cannot_leave_the_archive(store: &Store) {
    let hostile = [
        "../../etc/cron.d/evil",
        "C:\\\\Windows\\\\evil.dll",
        "con",
        "....",
        "a/b/c.txt",
        "nul.txt",
        "Report.pdf",
        "report.PDF",
    ];
    let files: Vec<Value> = hostile
        .iter()
        .enumerate()
        .map(|(n, name)| {
            let blob = json!({ "mime_type": "a/b", "file_name": name, "base64": STANDARD.encode(bytes(100, n as u8)) });
            json!({ "key": format!("f{n}"), "data": { "file": { "$blob": blob } } })
        })
        .collect();
    let lines: Vec<String> = files.iter().map(Value::to_string).collect();
    store.ingest("we ird/con", &lines.join("\n"));
    store.ingest("WE IRD/Con", &lines[0]);
    store.ingest("zürich:1/a?b", &lines[0]);
    let out = store.name("out.zip");
    store.run(&["export", "--out", &out]).assert_code(0);
    let entries = entries(&out);
    assert_eq!(entries.keys().filter(|name| name.starts_with("files/")).count(), hostile.len());
    let lower: BTreeSet<String> = entries.keys().map(|name| name.to_lowercase()).collect();
    assert_eq!(lower.len(), entries.len(), "no two are alike where case does not count");
    for name in entries.keys() {
        assert!(!name.starts_with('/') && !name.contains('\\') && !name.contains(':'), "{name}");
        assert!(name.split('/').all(|part| !part.is_empty() && !part.starts_with('.')), "{name}");
        let depth = name.split('/').count();
        assert!(
            depth
                == if name.starts_with("records/") {
                    3
                } else if name.starts_with("files/") {
                    2
                } else {
                    1
                },
            "{name}"
        );
    }
    let streams = entries["contents.json"].1["streams"].as_array().unwrap();
    let places: BTreeSet<(&str, &str)> = streams
        .iter()
        .map(|stream| (stream["connection_id"].as_str().unwrap(), stream["stream"].as_str().unwrap()))
        .collect();
    assert_eq!(places, BTreeSet::from([("we ird", "con"), ("WE IRD", "Con"), ("zürich:1", "a?b")]));
    assert!(streams.iter().all(|stream| entries.contains_key(stream["path"].as_str().unwrap())));
}

fn an_archive_that_fails_leaves_nothing_behind(store: &Store) {
    import(store, &[mail("one", "plan.txt", "text/x-plan", &bytes(70_000, 3))]);
    let folder = store.path("out");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("mail.zip");
    let path = file.to_str().unwrap();
    // The bytes of the file are no longer what their digest says.
    crate::caring::damage(
        store,
        "UPDATE blob_part SET data = blob_part_damage(data)"
            .replace(
                "blob_part_damage(data)",
                match store.url.starts_with("sqlite:") {
                    true => "CAST(x'00' || substr(data, 2) AS BLOB)",
                    false => "'\\x00'::bytea || substring(data from 2)",
                },
            )
            .as_str(),
    );
    let failed = store.run(&["export", "--out", path]);
    failed.assert_code(1);
    assert!(failed.err.contains("store check"), "{}", failed.err);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "no half of an archive");
    std::fs::write(&file, "mine").unwrap();
    let there = store.run(&["export", "--out", path]);
    there.assert_code(1);
    assert!(there.err.contains("is there already"), "{}", there.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let open = store.run(&["--json", "grant", "list"]);
    assert!(!open.text().contains("\"revoked_at\":null"), "no grant is left open: {}", open.text());
}

/// The bytes of an export over HTTP.
fn exported(http: &Http, handle: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(&http.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = format!(
        "GET /export/{handle} HTTP/1.0\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        http.address, http.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.0 200") || answer.starts_with(b"HTTP/1.1 200"));
    let body = answer.windows(4).position(|part| part == b"\r\n\r\n").expect("an end of the head") + 4;
    answer.split_off(body)
}

/// The bytes of a blob, window by window.
fn windows(server: &mut Stdio, uri: &str) -> Vec<u8> {
    let (mut whole, mut next) = (Vec::new(), Some(uri.to_owned()));
    while let Some(uri) = next {
        let reply = server.ask("resources/read", json!({ "uri": uri }));
        let contents = &reply["result"]["contents"][0];
        whole
            .extend(STANDARD.decode(contents["blob"].as_str().unwrap_or_else(|| panic!("{reply}"))).unwrap());
        next = contents["_meta"]["next_uri"].as_str().map(str::to_owned);
    }
    whole
}

fn attachments_are_the_same_whichever_way_they_leave(store: Store) {
    let files = [
        ("one", "picture.png", "image/png", bytes(200_000, 1)),
        ("two", "plan.pdf", "application/pdf", bytes(65_536, 2)),
        ("three", "note.bin", "application/octet-stream", bytes(1, 3)),
    ];
    let mails: Vec<String> =
        files.iter().map(|(id, name, mime, content)| mail(id, name, mime, content)).collect();
    import(&store, &mails);
    let out = store.name("mail.zip");
    store.run(&["export", "attachments", "--out", &out]).assert_code(0);
    let entries = entries(&out);
    let lines = entries["records/cin_mbox_all_mail/attachments.ndjson"].1.as_array().unwrap();
    let all = store.grant(&["--stream", "attachments"]);
    let world = World { store, all };
    let mut server = Stdio::open(&world, &world.all, Era::Legacy, &[]);
    let http = Http::open(&world, &world.all, &[]);
    for (id, name, _, content) in &files {
        let line = lines.iter().find(|line| line["data"]["file_name"] == *name).expect("its line");
        let blob = &line["data"]["content"]["$blob"];
        let wanted = sha256(content);
        assert_eq!(entries[blob["path"].as_str().unwrap()].0, wanted, "{name} in the archive");
        let record = format!("cin_mbox_all_mail/attachments:{}", line["key"].as_str().unwrap());
        assert!(record.contains(id));
        let reply = server.ask("tools/call", json!({ "name": "fetch", "arguments": { "id": record } }));
        let fields = &reply["result"]["structuredContent"]["content_ladder"]["records"][0]["fields"];
        let rungs = fields.as_array().unwrap_or_else(|| panic!("{reply}"));
        let uri = rungs.iter().find(|rung| rung["path"] == "content").expect("a rung")["resource"]["uri"]
            .as_str()
            .unwrap();
        assert_eq!(sha256(&windows(&mut server, uri)), wanted, "{name} by windows");
        let handle = uri.strip_prefix("pdpp://blob/").expect("a blob");
        assert_eq!(sha256(&exported(&http, handle)), wanted, "{name} over HTTP");
    }
}

#[test]
fn attachments_are_the_same_whichever_way_they_leave_sqlite() {
    attachments_are_the_same_whichever_way_they_leave(Store::sqlite());
}

#[test]
fn attachments_are_the_same_whichever_way_they_leave_postgres() {
    attachments_are_the_same_whichever_way_they_leave(Store::postgres());
}

/// More than 120 MB of files and a text of 20 MB leave whole, and the process holds a part at a time.
#[test]
fn an_archive_is_written_in_constant_memory() {
    let store = Store::sqlite();
    let text = "A line of sixteen\n".repeat(1_200_000);
    for n in 0..8_u8 {
        let mime = if n % 2 == 0 { "video/mp4" } else { "application/x-scan" };
        let blob = json!({ "mime_type": mime, "file_name": "scan", "base64": STANDARD.encode(bytes(16_000_000, n)) });
        let text = if n == 0 { text.as_str() } else { "" };
        let line = json!({ "key": format!("k{n}"), "data": { "file": { "$blob": blob }, "text": text } });
        store.ingest("home/scans", &line.to_string());
    }
    let out = store.name("scans.zip");
    let mut child =
        store.command(&["export", "--out", &out]).stdout(std::process::Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    let code = loop {
        peak = peak_rss_kb(child.id()).unwrap_or_default().max(peak);
        match child.try_wait().unwrap() {
            Some(code) => break code,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    assert!(code.success());
    let entries = entries(&out);
    assert_eq!(entries.keys().filter(|name| name.starts_with("files/")).count(), 8);
    assert!(peak < 80_000, "the peak was {peak} KB");
}
