//! Gets a Debian package's files without installing it: they are found where they are installed, or downloaded and
//! unpacked, once, into the folder that cargo builds into. No step needs root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use stepwell_testkit::target_dir;

/// How many versions of a package are tried: an index may name one that its server has dropped.
const VERSIONS: usize = 5;

/// The package that a package of another name stands for, such as the newest version of it.
pub(super) fn stands_for(package: &str) -> Result<String, String> {
    let told = run(Command::new("apt-cache").args(["depends", package]))?;
    let depends = told.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
    depends.map(str::to_owned).ok_or_else(|| format!("apt knows no {package}"))
}

/// The files of a package below a folder, such as `usr/share/dictd`, none of them compressed.
pub(super) fn files(package: &str, below: &str) -> Result<PathBuf, String> {
    let root = target_dir().join("bench-corpus").join(package);
    let (files, ready) = (root.join(below), root.join("ready"));
    if ready.exists() {
        return Ok(files);
    }
    fs::create_dir_all(&root).map_err(|error| format!("cannot make {}: {error}", root.display()))?;
    let installed = Path::new("/").join(below);
    if installed.exists() {
        run(Command::new("cp").arg("-r").arg("--parents").arg(installed).arg(&root))?;
    } else {
        let archive = download(package, &root)?;
        run(Command::new("dpkg-deb").arg("-x").arg(&archive).arg(&root))?;
        // It has served, and a second one beside it would do no harm.
        let _ = fs::remove_file(archive);
    }
    // Only files: a link may lead to a name that is no longer there.
    for suffix in [".gz", ".dz"] {
        let named = format!("*{suffix}");
        let unpack = ["-type", "f", "-name", &named, "-exec", "gzip", "-dfqS", suffix, "{}", "+"];
        run(Command::new("find").arg(&files).args(unpack))?;
    }
    fs::write(ready, "").map_err(|error| error.to_string())?;
    Ok(files)
}

/// Downloads the newest version that can be had.
fn download(package: &str, into: &Path) -> Result<PathBuf, String> {
    let told = run(Command::new("apt-cache").args(["madison", package]))?;
    let mut reason = format!("apt knows no {package}");
    for version in told.lines().filter_map(|line| line.split('|').nth(1)).take(VERSIONS) {
        let wanted = format!("{package}={}", version.trim());
        match run(Command::new("apt-get").args(["download", &wanted]).current_dir(into)) {
            Ok(_) => return archive(into).ok_or_else(|| format!("apt-get left no archive of {wanted}")),
            Err(failure) => reason = failure,
        }
    }
    Err(reason)
}

fn archive(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(|path| path.extension().is_some_and(|extension| extension == "deb"))
}

fn run(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{program}: {}", said.lines().last().unwrap_or("it failed")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
