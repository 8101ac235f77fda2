//! The conformance suite, against the program as it ships with one plugin more: the one whose tools the suite calls.

use crate::conformance::proxy::Proxy;
use crate::conformance::setup::{Tools, file};
use crate::mcp::http::Http;
use crate::mcp::world::World;
use serde_json::Value;
use std::path::Path;
use stepwell_tiers_fixtures::conformance;

/// Runs a requirement set. The suite itself fails on a failure that is not on the list, and on one on the list that is no
/// failure any more.
fn conforms(revision: &str) {
    let Some(tools) = Tools::get() else { return };
    let world = World::shared();
    // A busy machine takes its time, and this is not about time.
    let plugin = format!(
        "[[tool]]\nname = \"suite\"\ncomponent = {:?}\nlimits = {{ deadline_ms = 60000 }}\n",
        conformance()
    );
    let config = world.store.file(&format!("conformance-{revision}.toml"), plugin);
    // The suite plays a web page of this machine too, which is let in, and one of elsewhere, which is not.
    let origins = ["--allow-origin", "http://localhost:*", "--allow-origin", "http://127.0.0.1:*"];
    let http = Http::open(world, &world.all, &[&["--config", &config], &origins[..]].concat());
    let proxy = Proxy::before(&http.address, &http.token);
    let url = format!("http://{}/mcp", proxy.address);
    let mut suite = tools.command("@modelcontextprotocol/conformance/dist/index.js");
    suite.args([
        "server",
        "--url",
        &url,
        "--requirements",
        revision,
        "--timeout",
        "120000",
        "--expected-failures",
    ]);
    let results = tempfile::tempdir().expect("a folder");
    suite.arg(file(&expected_failures(revision))).arg("--output-dir").arg(results.path());
    let output = suite.output().expect("the suite runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let verdict = said.split_once("=== SUMMARY ===").map_or(&*said, |(_, summary)| summary);
    let failed = || failures(results.path()).join("\n");
    assert!(output.status.success(), "{verdict}\n{}\n{}", failed(), String::from_utf8_lossy(&output.stderr));
    // A suite that found nothing to do would be content as well.
    assert!(said.contains("Baseline check passed"), "{said}");
}

/// Every check that did not pass, in the suite's own words.
fn failures(results: &Path) -> Vec<String> {
    let scenarios = std::fs::read_dir(results).into_iter().flatten().flatten();
    let checks = scenarios.filter_map(|scenario| std::fs::read(scenario.path().join("checks.json")).ok());
    let checks = checks.filter_map(|text| serde_json::from_slice::<Vec<Value>>(&text).ok()).flatten();
    let failed = checks.filter(|check| check["status"] == "FAILURE" || check["status"] == "WARNING");
    failed.map(|check| format!("{} {}: {}", check["status"], check["id"], check["errorMessage"])).collect()
}

fn expected_failures(revision: &str) -> String {
    format!("expected-failures-{revision}.yml")
}

#[test]
fn the_server_conforms_to_2025_11_25() {
    conforms("2025-11-25");
}

#[test]
fn the_server_conforms_to_2026_07_28() {
    conforms("2026-07-28");
}

/// What is about every server, whatever it offers, must never be on a list.
const GENERIC: &[&str] = &[
    "caching",
    "completion-complete",
    "dns-rebinding-protection",
    "http-header-validation",
    "ping",
    "prompts-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-stateless",
    "server-sse-polling",
    "tools-call-error",
    "tools-call-simple-text",
    "tools-list",
];

#[test]
fn every_expected_failure_has_a_reason() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let text = std::fs::read_to_string(file(&expected_failures(revision))).unwrap();
        let entries = text.lines().filter_map(|line| line.strip_prefix("  - "));
        for entry in entries.clone() {
            let (scenario, reason) = entry.split_once(" # ").unwrap_or((entry, ""));
            assert!(reason.len() > 10, "{revision}: {scenario} has no reason");
            assert!(!GENERIC.contains(&scenario.trim()), "{revision}: {scenario} is not up to us");
        }
        assert!(entries.count() > 0);
    }
}
