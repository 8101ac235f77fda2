//! Gets the official SDKs of both eras, once for each list of versions.

use crate::mcp::way::Era;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients");

/// A file for the SDK of an era: those that open with `initialize` stand beside this one.
pub(crate) fn file(era: Era, name: &str) -> PathBuf {
    match era {
        Era::Legacy => Path::new(FILES).join(name),
        Era::Modern => Path::new(FILES).join("modern").join(name),
    }
}

/// A Python that has the SDK of an era.
pub(crate) fn python(era: Era) -> &'static Path {
    static PYTHONS: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
    PYTHONS[era as usize].get_or_init(|| {
        let list = file(era, "requirements.txt");
        let folder = folder_for("python", &[&list]);
        let python = folder.join("bin/python");
        if !folder.join("ready").exists() {
            run(Command::new(find_python()).args(["-m", "venv", "--clear"]).arg(&folder));
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
            run(Command::new(&python).args(pip).arg(&list));
            std::fs::write(folder.join("ready"), "").expect("a mark");
        }
        python
    })
}

/// The folder whose `node_modules` has the SDK of an era.
pub(crate) fn node_modules(era: Era) -> &'static Path {
    static FOLDERS: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
    FOLDERS[era as usize].get_or_init(|| {
        let lists = [file(era, "package.json"), file(era, "package-lock.json")];
        let folder = folder_for("node", &[&lists[0], &lists[1]]);
        if !folder.join("ready").exists() {
            npm_ci(&lists, &folder, |npm| {
                run(npm);
                Some(())
            });
        }
        folder
    })
}

/// Installs what a list and its lock say into a folder, and marks it as done; a command that is skipped leaves no mark.
pub(crate) fn npm_ci(
    lists: &[PathBuf; 2],
    folder: &Path,
    run: impl Fn(&mut Command) -> Option<()>,
) -> Option<()> {
    std::fs::create_dir_all(folder).expect("a folder");
    for list in lists {
        std::fs::copy(list, folder.join(list.file_name().expect("a name"))).expect("a copy");
    }
    need_node();
    run(Command::new("npm").args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(folder))?;
    std::fs::write(folder.join("ready"), "").expect("a mark");
    Some(())
}

/// A folder that changes its name with what the files say, so that an upgrade starts afresh.
pub(crate) fn folder_for(name: &str, lists: &[&PathBuf]) -> PathBuf {
    use sha2::{Digest as _, Sha256};
    let mut hash = Sha256::new();
    lists.iter().for_each(|list| hash.update(std::fs::read(list).expect("a list")));
    let short: String = hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients").join(format!("{name}-{short}"))
}

pub(crate) fn find_python() -> &'static str {
    let names = ["python3", "python3.13", "python3.12", "python3.11", "python3.10"];
    let find = || {
        names
            .into_iter()
            .find(|name| is_new(name, &["-c", "import sys, venv, ensurepip; print(sys.version)"], (3, 10)))
    };
    find().unwrap_or_else(|| {
        install(&["python3", "python3-venv"]);
        find().unwrap_or_else(|| {
            panic!("the Python SDK needs Python 3.10 or later with venv: install it and test again")
        })
    })
}

/// Sees to it that Node.js is there.
pub(crate) fn need_node() {
    let found = || is_new("node", &["--version"], (20, 0)) && is_new("npm", &["--version"], (1, 0));
    if !found() {
        install(&["nodejs", "npm"]);
        assert!(
            found(),
            "the TypeScript SDK needs Node.js 20 or later with npm: install them and test again"
        );
    }
}

/// Whether a program runs and prints at least this version.
pub(crate) fn is_new(program: &str, arguments: &[&str], least: (u32, u32)) -> bool {
    let Ok(output) = Command::new(program).args(arguments).output() else { return false };
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers =
        text.trim_start_matches('v').split(['.', ' ', '\n']).map_while(|part| part.parse().ok());
    output.status.success() && (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= least
}

/// Installs Debian packages, where that is allowed; what is still missing afterwards is said by whoever needs it.
fn install(packages: &[&str]) {
    let apt = |arguments: &[&str]| {
        Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").output()
    };
    let _ = apt(&["update"]);
    let _ = apt(&[&["install", "--yes", "--no-install-recommends"], packages].concat());
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said));
}
