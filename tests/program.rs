//! Runs the built program on a store of its own.

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, SourceUrl};
use stepwell_testkit::Postgres;
use tempfile::TempDir;

/// A store that no other test uses, and a folder for files.
pub(crate) struct Store {
    pub(crate) url: String,
    dir: TempDir,
}

impl Store {
    pub(crate) fn sqlite() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        Self { url: format!("sqlite:{}", dir.path().join("store.sqlite").display()), dir }
    }

    pub(crate) fn postgres() -> Self {
        Self::at(Postgres::shared().fresh_database())
    }

    pub(crate) fn at(url: String) -> Self {
        Self { url, dir: tempfile::tempdir().expect("a directory") }
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).expect("a file");
        self.name(name)
    }

    /// A path in the folder as an argument.
    pub(crate) fn name(&self, name: &str) -> String {
        self.path(name).to_str().expect("a path in UTF-8").to_owned()
    }

    /// The program, set to this store.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = stepwell(self.dir.path(), arguments);
        command.env("STEPWELL_SOURCE", &self.url);
        command
    }

    /// Runs the program on this store.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    /// Runs it with something to read on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        child.stdin.take().expect("a pipe").write_all(input).expect("the program reads");
        Ran::from(child.wait_with_output().expect("the program ends"))
    }

    /// Ingests lines into `connection/stream`.
    pub(crate) fn ingest(&self, place: &str, lines: &str) {
        let (connection, stream) = place.split_once('/').expect("connection/stream");
        let ran = self.run_with_input(&["ingest", "--connection", connection, stream, "-"], lines.as_bytes());
        ran.assert_code(0);
    }

    /// Makes a grant and gives the name of the file that holds its token.
    pub(crate) fn grant(&self, arguments: &[&str]) -> Granted {
        let token_file = self.name(&format!("token-{}", self.files()));
        let base = ["grant", "create", "--client", "a test", "--yes", "--json", "--token-out", &token_file];
        let made = self.run(&[&base, arguments].concat());
        made.assert_code(0);
        let id = made.json()["grant_id"].as_str().expect("an id").to_owned();
        Granted { id, token_file }
    }

    /// Opens the store by the library, for what the program has no verb for.
    pub(crate) async fn open(&self) -> Embedded {
        let url: SourceUrl = self.url.parse().expect("a store's address");
        url.open(Missing::Refuse).await.expect("the store opens")
    }

    /// Whether there is a store at all; a database always is one, for it makes its tables when it is opened.
    pub(crate) fn exists(&self) -> bool {
        self.url.strip_prefix("sqlite:").is_none_or(|path| Path::new(path).exists())
    }

    /// Whether it is a store at all, and not a resource server.
    pub(crate) fn is_own(&self) -> bool {
        !self.url.starts_with("http")
    }

    fn files(&self) -> usize {
        std::fs::read_dir(self.dir.path()).expect("the directory").count()
    }
}

/// A grant that was made.
pub(crate) struct Granted {
    pub(crate) id: String,
    pub(crate) token_file: String,
}

/// The program in an environment that is the same everywhere, with nothing to find but what a test gives it.
pub(crate) fn stepwell(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwell"));
    command.args(arguments).stdin(Stdio::null()).env("HOME", home).env("XDG_DATA_HOME", home.join("data"));
    command.env("COLUMNS", "100").env_remove("STEPWELL_SOURCE").env_remove("STEPWELL_TOKEN");
    command.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_STATE_HOME", home.join("state"));
    command.env_remove("PDPP_CACHE_ROOT");
    command.env_remove("STEPWELL_LOG").env_remove("STEPWELL_CONFIG");
    command
}

/// What the program did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        Self::from(command.output().expect("the program runs"))
    }

    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).expect("text")
    }

    /// Standard output as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|_| panic!("one JSON value: {self:?}"))
    }

    /// Standard output as a JSON value a line.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{}\n{}", String::from_utf8_lossy(&self.out), self.err);
    }
}

impl From<std::process::Output> for Ran {
    fn from(output: std::process::Output) -> Self {
        let err = String::from_utf8(output.stderr).expect("messages are text");
        Self { code: output.status.code(), out: output.stdout, err }
    }
}

/// A runtime for what the library does.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(work)
}
