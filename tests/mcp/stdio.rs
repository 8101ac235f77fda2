//! A client on the server's standard input and output.

use crate::mcp::way::Era;
use crate::mcp::world::{Running, World};
use crate::program::Granted;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for what should take milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Stdio {
    pub(crate) era: Era,
    client: &'static str,
    server: Running,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl Stdio {
    /// Starts a server for a grant and opens the session as the era does.
    pub(crate) fn open(world: &World, granted: &Granted, era: Era, arguments: &[&str]) -> Self {
        Self::open_as("a test", world, granted, era, arguments)
    }

    /// The same for a client of another name.
    pub(crate) fn open_as(
        client: &'static str,
        world: &World,
        granted: &Granted,
        era: Era,
        arguments: &[&str],
    ) -> Self {
        let arguments = [&["--stdio", "--token-file", &granted.token_file], arguments].concat();
        Self::started(client, world.serve(&arguments), era)
    }

    /// Starts this server and opens the session as the era does.
    pub(crate) fn started(client: &'static str, mut command: Command, era: Era) -> Self {
        let mut child = command.spawn().expect("the server starts");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = child.stdin.take();
        let mut session = Self { era, client, server: Running(child), input, lines, next_id: 0 };
        if era == Era::Legacy {
            let client = json!({ "name": client, "version": "1" });
            let params =
                json!({ "protocolVersion": era.version(), "capabilities": {}, "clientInfo": client });
            let reply = session.ask("initialize", params);
            assert_eq!(reply["result"]["protocolVersion"], era.version(), "{reply}");
            session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        session
    }

    /// The server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.server.0.id()
    }

    /// Sends a request and gives the reply to it.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Sends a request and does not wait.
    pub(crate) fn post(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let (id, params) = (self.next_id, self.era.dress_as(self.client, params));
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message of the server; whatever it says on standard output must be one.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a message of the server");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("the server reads");
    }

    /// Closes the server's input and says how long it took to end, how it ended, and what it logged.
    pub(crate) fn close(mut self) -> (Duration, ExitStatus, String) {
        let started = Instant::now();
        self.input = None;
        let child = &mut self.server.0;
        let status = loop {
            if let Some(status) = child.try_wait().expect("the server's state") {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        };
        let took = started.elapsed();
        let mut log = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut log).expect("text");
        (took, status, log)
    }
}
