//! A native tier in a running server: it is asked like any other, in a process that ends with the server.
#![cfg(unix)]

use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use stepwell_tiers_fixtures::native;

fn open() -> Stdio {
    let world = World::shared();
    let library = native("local-time");
    let digest = Sha256::digest(std::fs::read(&library).unwrap());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let config = format!(
        "[[preview]]\nname = \"local-time\"\nkind = \"native\"\ntrust = \"native\"\ncomponent = {library:?}\n\
         sha256 = \"{digest}\"\non_fault = \"refuse\"\nlimits = {{ deadline_ms = 20000 }}\n"
    );
    let config = world.store.file("native.toml", config);
    Stdio::open(world, &world.all, Era::Modern, &["--config", &config])
}

#[test]
fn a_native_preview_is_asked_like_any_other() {
    let mut session = open();
    let call = json!({ "name": "query_records", "arguments": { "stream": "messages", "limit": 3 } });
    for _ in 0..2 {
        let reply = session.ask("tools/call", call.clone());
        let text = reply["result"]["content"][0]["text"].as_str().unwrap();
        // It says the moment, which the default preview does not.
        assert!(text.contains(" UTC"), "{text}");
    }
}

/// The processes that this one started.
#[cfg(target_os = "linux")]
fn children_of(parent: u32) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let is_child = |stat: &String| {
        stat.rsplit(')').next().unwrap().split_whitespace().nth(1) == Some(parent.to_string().as_str())
    };
    let stats = all.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter(is_child).filter_map(|stat| Some(stat.split(' ').next()?.to_owned())).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn its_process_ends_with_the_server_even_if_that_is_killed() {
    let session = open();
    let spare = loop {
        let found = children_of(session.pid());
        if !found.is_empty() {
            break found;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    // Dropping the session kills the server, which cannot do anything about it.
    drop(session);
    let started = std::time::Instant::now();
    let is_there = |pid: &String| std::path::Path::new("/proc").join(pid).join("exe").exists();
    while spare.iter().any(is_there) {
        assert!(started.elapsed() < std::time::Duration::from_secs(60), "{spare:?} outlived the server");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
