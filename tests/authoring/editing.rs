//! `plugin add`, `remove`, `enable` and `disable` in a real plugins.toml.

use super::{copy, plugin};
use serde_json::Value;
use std::path::Path;
use stepwell_tiers_fixtures::{example, hostile};

const CONFIG: &[&str] = &["--config", "plugins.toml"];

fn run(folder: &Path, arguments: &[&str], code: i32) -> String {
    let ran = plugin(folder, &[arguments, CONFIG].concat());
    ran.assert_code(code);
    if code == 0 { ran.text().to_owned() } else { ran.err }
}

/// What `plugin list` says about a plugin.
pub(super) fn listed(folder: &Path, name: &str) -> Value {
    let ran = plugin(folder, &["list", "--json", "--config", "plugins.toml"]);
    ran.assert_code(0);
    let tiers = ran.json()["tiers"].take();
    let found = tiers.as_array().unwrap().iter().find(|tier| tier["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {tiers}")).clone()
}

fn text(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("plugins.toml")).unwrap()
}

#[test]
fn a_plugin_comes_and_goes_and_the_file_is_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let before = "# Mine.\n[ledger] # kept short\nkeep_days = 7\n";
    std::fs::write(folder.join("plugins.toml"), before).unwrap();
    copy(&example("mail-preview"), folder, "mail.wasm");
    run(folder, &["add", "mail.wasm", "--streams", "messages,mail*", "--limits", "memory_mb=32"], 0);
    assert_eq!(
        text(folder),
        format!(
            "{before}\n[[preview]]\nname = \"mail\"\ncomponent = \"mail.wasm\"\n\
             match = {{ streams = [\"messages\", \"mail*\"] }}\nlimits = {{ memory_mb = 32 }}\n"
        )
    );
    let mail = listed(folder, "mail");
    assert_eq!((mail["health"].as_str(), mail["lock"].as_str()), (Some("on"), Some("locked")), "{mail}");
    run(folder, &["disable", "mail"], 0);
    assert_eq!(listed(folder, "mail")["health"], "off");
    run(folder, &["enable", "mail"], 0);
    assert_eq!(listed(folder, "mail")["health"], "on");
    run(folder, &["remove", "mail"], 0);
    assert_eq!(text(folder), before);
    let lock = std::fs::read_to_string(folder.join("plugins.lock")).unwrap();
    assert!(!lock.contains("mail"), "{lock}");
}

#[test]
fn another_tier_takes_the_place_of_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy(&example("window-snap"), folder, "snap.wasm");
    run(folder, &["add", "snap.wasm"], 0);
    assert_eq!(text(folder), "[tiers.field-window]\ncomponent = \"snap.wasm\"\n");
    assert_eq!(listed(folder, "field-window")["lock"], "locked");
    let refused = run(folder, &["add", "snap.wasm", "--streams", "x"], 64);
    assert!(refused.contains("for all records"), "{refused}");
    run(folder, &["remove", "field-window"], 0);
    assert_eq!(listed(folder, "field-window")["origin"], "builtin");
}

#[test]
fn nothing_is_written_that_a_server_would_not_take() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    copy(&hostile("forbidden_import"), folder, "evil.wasm");
    copy(&example("mail-preview"), folder, "mail__x.wasm");
    let evil = run(folder, &["add", "evil.wasm"], 1);
    assert!(evil.contains("evil:net/door@1.0.0"), "{evil}");
    let name = run(folder, &["add", "mail__x.wasm"], 64);
    assert!(name.contains("__") && name.contains("--name"), "{name}");
    let limits = run(folder, &["add", "mail__x.wasm", "--name", "mail", "--limits", "memory_mb=0"], 64);
    assert!(limits.contains("from 1 to 1024"), "{limits}");
    for file in ["plugins.toml", "plugins.lock"] {
        assert!(!folder.join(file).exists(), "{file}");
    }
    let broken = "[server]\nschemata = 1\n";
    std::fs::write(folder.join("plugins.toml"), broken).unwrap();
    let mistake = run(folder, &["add", "mail__x.wasm", "--name", "mail"], 64);
    assert!(mistake.contains("plugins.toml:2") && mistake.contains("schemas"), "{mistake}");
    assert_eq!(text(folder), broken);
    let unknown = run(folder, &["disable", "mail"], 64);
    assert!(unknown.contains("schemas"), "{unknown}");
}

#[cfg(unix)]
#[test]
fn a_link_and_the_permissions_of_the_file_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("real")).unwrap();
    let real = folder.join("real/settings.toml");
    std::fs::write(&real, "").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&real, folder.join("plugins.toml")).unwrap();
    run(folder, &["disable", "resources"], 0);
    assert!(folder.join("plugins.toml").is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "[tiers.resources]\nenabled = false\n");
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
}
