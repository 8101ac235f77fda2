//! A changed plugins.toml in a running server: taken up as a whole or refused as a whole, and clients are told.

use crate::mcp::http::Http;
use crate::mcp::stdio::Stdio;
use crate::mcp::way::Era;
use crate::mcp::world::World;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use stepwell_tiers_fixtures::{example, hostile};
use tempfile::TempDir;

/// How long a test waits for what takes a second or two.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const FULL: &str = "# all tiers\n";
pub(crate) const BARE: &str = "[tiers.preview]\nenabled = false\n[tiers.field-window]\nenabled = false\n[tiers.resources]\nenabled = false\n";

/// An operator at the files of a server.
pub(crate) struct Operator {
    folder: TempDir,
    pub(crate) pid: u32,
}

impl Operator {
    /// Prepares a folder with a configuration.
    pub(crate) fn with(text: &str) -> Self {
        let operator = Self { folder: tempfile::tempdir().unwrap(), pid: 0 };
        operator.write(text);
        operator
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn config(&self) -> String {
        self.path("plugins.toml").to_str().unwrap().to_owned()
    }

    /// Starts a server over HTTP, whose log goes to a file.
    pub(crate) fn http(&mut self, world: &World) -> Http {
        let arguments = ["--http", "0", "--json", "--log", "info", "--config", &self.config()];
        let mut command = world.serve(&arguments);
        command.stderr(File::create(self.path("log")).unwrap());
        let http = Http::started(command, &world.all);
        self.pid = http.server.0.id();
        http
    }

    /// Writes the configuration as an editor does: beside the old one, and then in its place.
    pub(crate) fn write(&self, text: &str) {
        fs::write(self.path("draft"), text).unwrap();
        fs::rename(self.path("draft"), self.path("plugins.toml")).unwrap();
    }

    /// Asks the server to read it again, by the signal for that.
    pub(crate) fn hang_up(&self) {
        let sent = Command::new("kill").args(["-HUP", &self.pid.to_string()]).status().unwrap();
        assert!(sent.success());
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    pub(crate) fn count(&self, words: &str) -> usize {
        self.log().matches(words).count()
    }

    /// Waits until the log has said something so often.
    pub(crate) fn await_log(&self, words: &str, times: usize) {
        until(|| self.count(words) >= times, || format!("{words} {times} times in: {}", self.log()));
    }
}

pub(crate) const TAKEN: &str = "took up the changed configuration";
pub(crate) const REFUSED: &str = "is refused, the old one goes on serving";

/// Waits until something is so.
pub(crate) fn until(mut is_so: impl FnMut() -> bool, what: impl Fn() -> String) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "waited in vain for {}", what());
        thread::sleep(Duration::from_millis(20));
    }
}

fn tools(http: &Http) -> usize {
    http.ask(Era::Modern, "tools/list", json!({}))["result"]["tools"].as_array().unwrap().len()
}

fn page(http: &Http) -> String {
    let call = json!({ "name": "query_records", "arguments": { "stream": "messages", "limit": 2 } });
    http.ask(Era::Legacy, "tools/call", call)["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_changed_file_is_taken_up_by_itself() {
    let mut operator = Operator::with(FULL);
    let http = operator.http(World::shared());
    assert_eq!(tools(&http), 6);
    operator.write(BARE);
    until(|| tools(&http) == 5, || "five tools".to_owned());
    // A component that is replaced is one too.
    fs::copy(hostile("log_spam"), operator.path("own.wasm")).unwrap();
    operator.write("[tiers.preview]\ncomponent = \"own.wasm\"\n");
    until(|| page(&http).contains("derived=\"done\""), || page(&http));
    assert_eq!(tools(&http), 6);
    fs::copy(hostile("remembers"), operator.path("own.wasm")).unwrap();
    until(|| page(&http).contains("derived=\"call 1\""), || page(&http));
    assert_eq!((operator.count(TAKEN), operator.count(REFUSED)), (3, 0), "{}", operator.log());
}

#[test]
fn what_is_wrong_is_refused_as_a_whole_in_one_line() {
    let mut operator = Operator::with(FULL);
    let http = operator.http(World::shared());
    let before = page(&http);
    let wrong = [
        "[tiers.field-window]\nenabled = false\n[tiers.prevew]\n".to_owned(),
        "[tiers.field-window\n".to_owned(),
        "[tiers.field-window]\nenabled = false\n[tiers.preview]\ncomponent = \"none.wasm\"\n".to_owned(),
        format!(
            "[tiers.field-window]\nenabled = false\n[tiers.preview]\ncomponent = {:?}\n",
            hostile("forbidden_import")
        ),
        "[tiers.field-window]\nenabled = false\n[server]\ncursor_keys = \"none\"\n".to_owned(),
    ];
    for (number, text) in wrong.iter().enumerate() {
        operator.write(text);
        operator.hang_up();
        operator.await_log(REFUSED, number + 1);
        assert_eq!((tools(&http), page(&http)), (6, before.clone()), "{text}");
    }
    fs::remove_file(operator.path("plugins.toml")).unwrap();
    operator.hang_up();
    operator.await_log(REFUSED, 6);
    let log = operator.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains(REFUSED)).collect();
    assert_eq!((lines.len(), log.matches("ERROR").count()), (6, 6), "{log}");
    for (line, word) in lines.iter().zip([
        "prevew",
        "plugins.toml:1",
        "none.wasm",
        "evil:net/door",
        "cursor keys",
        "plugins.toml",
    ]) {
        assert!(line.contains(word), "{word}: {line}");
    }
    // The component that was missing is put there: the file that names it is good now, without another change of it.
    operator.write("[tiers.field-window]\nenabled = false\n[tiers.preview]\ncomponent = \"late.wasm\"\n");
    operator.hang_up();
    operator.await_log(REFUSED, 7);
    fs::copy(example("mail-preview"), operator.path("late.wasm")).unwrap();
    until(|| tools(&http) == 5, || "five tools".to_owned());
    assert_eq!(operator.count(TAKEN), 1);
}

#[test]
fn what_only_a_start_can_change_is_named() {
    let mut operator = Operator::with(FULL);
    let http = operator.http(World::shared());
    operator
        .write("[server]\nhttp = \"1\"\nlog = \"debug\"\nschemas = \"seed\"\n[source]\nurl = \"sqlite:x\"\n");
    operator.hang_up();
    operator.await_log(TAKEN, 1);
    operator
        .await_log("from the next start on, and not before, counts: server.http, server.log, source.url", 1);
    let listed = http.ask(Era::Modern, "tools/list", json!({}))["result"]["tools"].to_string();
    assert!(listed.contains("oneOf"), "the spelling of schemas is taken up at once");
}

/// The method of each message that is a notification.
fn notice(message: &Value) -> Option<&str> {
    message["method"].as_str()
}

const TOOLS: &str = "notifications/tools/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";

#[test]
fn clients_on_standard_input_are_told_that_lists_changed() {
    let world = World::shared();
    for era in [Era::Legacy, Era::Modern] {
        let mut operator = Operator::with(FULL);
        let mut session =
            Stdio::open(world, &world.all, era, &["--log", "info", "--config", &operator.config()]);
        operator.pid = session.pid();
        session.ask("tools/list", json!({}));
        if era == Era::Modern {
            let wanted = json!({ "toolsListChanged": true, "resourcesListChanged": true });
            session.post("subscriptions/listen", json!({ "notifications": wanted }));
            let acknowledged = session.receive();
            assert_eq!(acknowledged["params"]["notifications"], wanted, "{acknowledged}");
        }
        operator.write(BARE);
        operator.hang_up();
        for expected in [TOOLS, RESOURCES] {
            let message = session.receive();
            assert_eq!(notice(&message), Some(expected), "{era:?}: {message}");
            let id = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            assert_eq!(id.is_null(), era == Era::Legacy, "{message}");
        }
        let listed = session.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len();
        assert_eq!(listed, 5, "{era:?}");
        // What leaves the lists as they are is no news; what changes one of them is.
        operator.write(&format!("{BARE}limits = {{ reads = 9 }}\n"));
        operator.hang_up();
        operator.write("[tiers.resources]\nenabled = false\n");
        operator.hang_up();
        let message = session.receive();
        assert_eq!(notice(&message), Some(TOOLS), "{era:?}: {message}");
        let (_, status, log) = session.close();
        assert!(status.success(), "{log}");
    }
}

#[test]
fn subscribers_over_http_are_told_what_they_asked_for() {
    let mut operator = Operator::with(FULL);
    let http = operator.http(World::shared());
    let mut messages = http.listen(json!({ "toolsListChanged": true }));
    let acknowledged = messages.next().unwrap();
    assert_eq!(notice(&acknowledged), Some("notifications/subscriptions/acknowledged"));
    for text in [BARE, FULL] {
        operator.write(text);
        operator.hang_up();
        assert_eq!(notice(&messages.next().unwrap()), Some(TOOLS));
    }
}

#[test]
fn notices_are_promised_where_they_can_be_sent() {
    let world = World::shared();
    let told = |capabilities: &Value| {
        let one = |name: &str| capabilities[name]["listChanged"].clone();
        (one("tools"), one("resources"))
    };
    let (yes, no) = ((json!(true), json!(true)), (Value::Null, Value::Null));
    let http = Http::open(world, &world.all, &[]);
    let discovered = http.ask(Era::Modern, "server/discover", json!({}));
    assert_eq!(told(&discovered["result"]["capabilities"]), yes);
    let opening = json!({
        "protocolVersion": Era::Legacy.version(), "capabilities": {}, "clientInfo": { "name": "a", "version": "1" },
    });
    let opened = http.ask(Era::Legacy, "initialize", opening.clone());
    assert_eq!(told(&opened["result"]["capabilities"]), no, "{opened}");
    let mut session = Stdio::open(world, &world.all, Era::Modern, &[]);
    assert_eq!(told(&session.ask("server/discover", json!({}))["result"]["capabilities"]), yes);
    let input = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening });
    let arguments = ["serve", "--stdio", "--token-file", &world.all.token_file];
    let ran = world.store.run_with_input(&arguments, format!("{input}\n").as_bytes());
    assert_eq!(told(&ran.json()["result"]["capabilities"]), yes);
}

#[test]
fn a_file_that_appears_in_the_usual_place_is_taken_up() {
    let mut operator = Operator::with(FULL);
    let world = World::shared();
    let mut command = world.serve(&["--http", "0", "--json"]);
    command.env("XDG_CONFIG_HOME", operator.path("config"));
    command.stderr(File::create(operator.path("log")).unwrap());
    let http = Http::started(command, &world.all);
    operator.pid = http.server.0.id();
    assert_eq!(tools(&http), 6);
    let folder = operator.path("config/stepwell");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("plugins.toml"), BARE).unwrap();
    until(|| tools(&http) == 5, || "five tools".to_owned());
    // That it is gone is no wish for the defaults, however often one asks.
    fs::remove_file(folder.join("plugins.toml")).unwrap();
    for times in 1..=2 {
        operator.hang_up();
        operator.await_log(REFUSED, times);
        assert_eq!(tools(&http), 5);
    }
}
