//! Projects as `plugin new` writes them, in languages other than the docs' own.

use super::{plugin, setup};
use std::path::Path;
use std::process::Command;
use stepwell_tiers_fixtures::example;

fn new(folder: &Path, arguments: &[&str], code: i32) -> String {
    let ran = plugin(folder, &[&["new", "preview"], arguments].concat());
    ran.assert_code(code);
    format!("{}{}", ran.text(), ran.err)
}

#[test]
fn a_project_has_its_name_in_it_and_a_short_readme() {
    let folder = tempfile::tempdir().unwrap();
    for lang in ["rust", "python", "js"] {
        let name = format!("my-{lang}");
        let said = new(folder.path(), &[&name, "--lang", lang], 0);
        assert!(said.contains(&format!("cd {name}")), "{said}");
        let readme = std::fs::read_to_string(folder.path().join(&name).join("README.md")).unwrap();
        let commands = readme.lines().filter(|line| line.starts_with("$ ")).count();
        assert!((4..=6).contains(&commands), "{readme}");
        assert!(readme.contains(&format!("{name}.wasm")) && !readme.contains("{{"), "{readme}");
        for file in ["wit/preview.wit", "wit/shapes.wit", ".gitignore"] {
            assert!(folder.path().join(&name).join(file).is_file(), "{file}");
        }
    }
}

#[test]
fn nothing_is_written_over_and_a_wrong_name_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    new(folder.path(), &["mine"], 0);
    let used = new(folder.path(), &["mine"], 64);
    assert!(used.contains("mine is not empty"), "{used}");
    new(folder.path(), &["mine", "--dir", "other/place"], 0);
    for (name, why) in [("a__b", "__"), ("Mine", "letter"), ("../up", "letter"), ("preview", "another tier")]
    {
        let wrong = new(folder.path(), &[name], 64);
        assert!(wrong.contains(why), "{wrong}");
    }
    assert!(!folder.path().join("a__b").exists());
}

#[test]
fn a_build_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let none = plugin(folder.path(), &["build"]);
    none.assert_code(64);
    assert!(none.err.contains("stepwell plugin new preview NAME"), "{}", none.err);
    new(folder.path(), &["py", "--lang", "python"], 0);
    new(folder.path(), &["js", "--lang", "js"], 0);
    for (project, command) in [("py", "pip install --requirement requirements.txt"), ("js", "npm install")] {
        let mut build = crate::mcp::world::bare(folder.path(), &["plugin", "build", project]);
        let ran = crate::program::Ran::of(build.current_dir(folder.path()).env("PATH", ""));
        ran.assert_code(64);
        assert!(ran.err.contains(command), "{}", ran.err);
    }
}

#[test]
fn a_component_is_not_wrapped_again() {
    let folder = tempfile::tempdir().unwrap();
    let ran = plugin(folder.path(), &["build", example("mail-preview").to_str().unwrap()]);
    ran.assert_code(64);
    assert!(ran.err.contains("component already"), "{}", ran.err);
}

#[test]
fn a_project_in_javascript_builds_and_runs() {
    let Some(modules) = setup::componentize_qjs() else { return };
    let folder = tempfile::tempdir().unwrap();
    new(folder.path(), &["clock", "--lang", "js"], 0);
    let project = folder.path().join("clock");
    link(&modules.join("node_modules"), &project.join("node_modules"));
    setup::run(Command::new("npm").arg("test").current_dir(&project));
    // Much time, because tests run on busy machines.
    builds_and_runs(&project, "clock.wasm", &["--limits", "deadline_ms=10000"]);
}

/// Builds a project, checks the component, and looks at what it shows.
fn builds_and_runs(project: &Path, file: &str, limits: &[&str]) {
    let built = plugin(project, &["build"]);
    built.assert_code(0);
    assert!(built.text().contains(" bytes, a preview tier for stepwell:ladder@0.1.0"), "{}", built.text());
    let checked = plugin(project, &[&["check", "--json", file], limits].concat());
    checked.assert_code(0);
    let report = checked.json();
    assert!(
        report["good"] == true && report["component"]["not_allowed"] == serde_json::json!([]),
        "{report}"
    );
    let record = ["--record", "cin_home_mail/messages:m-0103", "--q", "quote roof"];
    let shown = plugin(project, &[&["preview", file][..], &record, limits].concat());
    shown.assert_code(0);
    assert!(shown.text().contains("derived=\"1 min to read\""), "{}", shown.text());
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).unwrap();
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) {
    std::os::windows::fs::symlink_dir(from, to).unwrap();
}
