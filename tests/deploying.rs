//! What `contrib/` has for operators, as far as it can be tried here.

use crate::program::{Ran, stepwell};
use std::path::Path;
use std::process::Command;

const CONTRIB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contrib");

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(CONTRIB).join(name)).unwrap()
}

/// Looks at the unit with systemd's own eyes, where it is installed.
fn analyze(arguments: &[&str], unit: &Path) -> Option<Ran> {
    let output = Command::new("systemd-analyze").args(arguments).arg(unit).output().ok()?;
    Some(Ran::from(output))
}

#[test]
fn the_unit_is_understood_and_leaves_little_exposed() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("stepwell.service");
    // The program is not installed here, and neither is its user.
    let text = read("stepwell.service").replace("/usr/local/bin/stepwell", env!("CARGO_BIN_EXE_stepwell"));
    std::fs::write(&unit, text).unwrap();
    let Some(verified) = analyze(&["verify", "--man=no"], &unit) else { return };
    assert!(!verified.err.contains("stepwell.service"), "{}", verified.err);
    // From 0, nothing is exposed, to 100. Versions of systemd differ by a few points.
    if let Some(secured) = analyze(&["security", "--offline=true", "--threshold=25"], &unit) {
        assert_eq!(secured.code, Some(0), "{}", secured.text());
    }
}

#[test]
fn the_commands_of_unit_and_container_are_words_that_the_program_knows() {
    let unit = read("stepwell.service");
    let started =
        unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/stepwell ")).unwrap();
    let container = read("Containerfile");
    let command = container.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap();
    let command: Vec<String> = serde_json::from_str(command).unwrap();
    let home = tempfile::tempdir().unwrap();
    for words in [started.split(' ').map(str::to_owned).collect(), command] {
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        Ran::of(&mut stepwell(home.path(), &words)).assert_code(0);
    }
}

#[test]
fn the_proxies_pass_on_what_the_server_decides_by() {
    let nginx = read("nginx.conf");
    for line in ["proxy_set_header Host $host;", "proxy_buffering off;", "client_max_body_size 1m;"] {
        assert!(nginx.contains(line), "{line}");
    }
    let caddy = read("Caddyfile");
    assert!(caddy.contains("flush_interval -1") && caddy.contains("max_size 1MB"));
}
