//! A server ends with its test, whichever way the test ends.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stepwell_testkit::Postgres;

/// Set for a copy of this program that only starts a server and waits to be killed.
const HOLDER: &str = "STEPWELL_TESTKIT_HOLDER";

/// What must be gone in the end.
#[derive(Debug)]
struct Traces {
    server: u32,
    port: u16,
    data: PathBuf,
}

impl Traces {
    fn of(postgres: &Postgres) -> Self {
        Self { server: postgres.pid(), port: postgres.port(), data: postgres.data_dir() }
    }

    fn left(&self) -> bool {
        self.data.parent().expect("a parent").exists()
            || lives(self.server)
            || TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok()
    }

    fn left_after(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while self.left() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.left()
    }
}

#[test]
fn dropping_stops_the_server_and_removes_its_directory() {
    let postgres = Postgres::start();
    let traces = Traces::of(&postgres);
    assert!(lives(traces.server) && traces.data.is_dir());
    drop(postgres);
    assert!(!traces.left());
}

#[test]
fn a_server_ends_after_its_time_limit() {
    let postgres = Postgres::start_with_limit(Duration::from_secs(5));
    let Traces { data, port, .. } = Traces::of(&postgres);
    let until = Instant::now() + Duration::from_secs(30);
    // The process itself is this one's child, and stays as an entry until it is dropped.
    while data.exists() || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
        assert!(Instant::now() < until, "the server outlived its limit");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn kill_9_of_the_test_stops_the_server_and_removes_its_directory() {
    let exe = std::env::current_exe().expect("this program");
    let mut holder = Command::new(exe);
    holder.args(["--exact", "lifetime::holder", "--ignored", "--nocapture"]).env(HOLDER, "1");
    let mut holder = holder.stdout(Stdio::piped()).spawn().expect("a copy of this program");
    let said = BufReader::new(holder.stdout.take().expect("piped")).lines();
    let said = said.map_while(Result::ok).find_map(|line| line.strip_prefix("holds ").map(str::to_owned));
    let said = said.expect("the copy started a server");
    let mut words = said.split(' ');
    let mut number = || words.next().and_then(|word| word.parse::<u32>().ok()).expect("a number");
    let (server, port, bystander) = (number(), number() as u16, number());
    let traces = Traces { server, port, data: words.next().expect("a path").into() };
    assert!(lives(server) && lives(bystander) && traces.data.is_dir());

    holder.kill().expect("kill -9");
    holder.wait().expect("wait");
    let left = traces.left_after(Duration::from_secs(20));
    let bystander_lives = lives(bystander);
    sh(&format!("kill -9 {bystander}"));

    assert!(!left, "something is left: {traces:?}");
    // A child of the test lives on. It did not keep the server alive, and was not stopped with it.
    assert!(bystander_lives);
}

#[test]
#[ignore = "the test above runs it, to kill it"]
fn holder() {
    if std::env::var_os(HOLDER).is_none() {
        return;
    }
    let postgres = Postgres::start();
    let bystander = Command::new("sleep").arg("120").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let bystander = bystander.expect("sleep").id();
    let Traces { server, port, data } = Traces::of(&postgres);
    println!("holds {server} {port} {bystander} {}", data.display());
    std::thread::sleep(Duration::from_secs(120));
}

/// A dead process that nobody has waited for yet does not count.
fn lives(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z')),
        Err(_) => !cfg!(target_os = "linux") && sh(&format!("kill -0 {pid} 2>/dev/null")),
    }
}

fn sh(script: &str) -> bool {
    Command::new("sh").args(["-c", script]).status().is_ok_and(|status| status.success())
}
