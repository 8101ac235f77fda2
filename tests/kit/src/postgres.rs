//! A throw-away Postgres server on loopback.

mod account;
mod find;
mod guard;
mod install;
mod process;

pub use find::target_dir;

use account::Account;
use guard::Guard;
use rustix::process::Signal;
use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::Child;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// No test run takes longer; a server that is older has been forgotten.
const LIMIT: Duration = Duration::from_secs(80 * 60);
/// How long a start may take. It includes recovery after a crash on a slow disk.
const START: Duration = Duration::from_secs(60);
/// How often another port is tried when someone was faster.
const PORT_TRIES: u32 = 10;

/// The account that owns the test databases. Like an operator's, it is no superuser, so row-level security counts.
const USER: &str = "stepwell";
/// The superuser.
const ADMIN: &str = "postgres";

/// A Postgres server in a temporary directory, with data that survives a crash of the server and nothing else.
///
/// It listens on 127.0.0.1 only and trusts whoever connects. It stops, and its directory goes, when the value is
/// dropped or the process ends in whatever way.
#[derive(Debug)]
pub struct Postgres {
    // The fields are dropped in this order: the guard ends the server, then the child is there to be reaped.
    guard: Option<Guard>,
    server: Option<Child>,
    account: Account,
    bin: PathBuf,
    dir: PathBuf,
    port: u16,
    databases: AtomicU32,
}

impl Postgres {
    /// The server that all tests of this process share, started on first use.
    ///
    /// # Panics
    /// When there is no Postgres and none can be installed, with a sentence that says what to do.
    #[must_use]
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Result<Postgres, String>> = OnceLock::new();
        SHARED.get_or_init(|| Self::try_start(LIMIT)).as_ref().unwrap_or_else(|reason| panic!("{reason}"))
    }

    /// A server of its own, for a test that kills it.
    ///
    /// # Panics
    /// As [`shared`](Self::shared).
    #[must_use]
    pub fn start() -> Self {
        Self::start_with_limit(LIMIT)
    }

    /// A server of its own that ends after this time even if its test still runs.
    ///
    /// # Panics
    /// As [`shared`](Self::shared).
    #[must_use]
    pub fn start_with_limit(limit: Duration) -> Self {
        Self::try_start(limit).unwrap_or_else(|reason| panic!("{reason}"))
    }

    /// Creates a new, empty database and returns its URL.
    ///
    /// May be called from inside an async runtime.
    ///
    /// # Panics
    /// When the server does not answer.
    #[must_use]
    pub fn fresh_database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.admin(&format!("CREATE DATABASE {name} OWNER {USER} TEMPLATE template0"))
            .unwrap_or_else(|reason| panic!("cannot create a test database: {reason}"));
        self.url(USER, &name)
    }

    /// The same database with the rights of a superuser, for what a test must see or break behind the owner's back.
    ///
    /// # Panics
    /// When the URL is not one of [`fresh_database`](Self::fresh_database).
    #[must_use]
    pub fn admin_url(&self, url: &str) -> String {
        let name = url.rsplit('/').next().filter(|name| name.starts_with("test_"));
        self.url(ADMIN, name.expect("the URL of a test database"))
    }

    /// The port on 127.0.0.1. It stays the same over [`restart`](Self::restart).
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The process id of the server.
    ///
    /// # Panics
    /// When the server was killed and not restarted.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.server.as_ref().expect("the server runs").id()
    }

    /// Where the server keeps its data.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// What the server has logged so far.
    #[must_use]
    pub fn log(&self) -> String {
        let log = std::fs::read(self.log_file()).unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }

    /// Kills every process of the server at once with SIGKILL, as a failing machine would.
    ///
    /// # Panics
    /// When the server does not run, or does not die.
    pub fn kill_immediately(&mut self) {
        let mut server = self.server.take().expect("the server runs");
        process::kill_family(&mut server).unwrap_or_else(|reason| panic!("{reason}"));
    }

    /// Starts the server again on its port and its data; ends it in good order first if it still runs.
    ///
    /// # Panics
    /// When the server does not come back.
    pub fn restart(&mut self) {
        if let Some(mut server) = self.server.take() {
            process::signal(&server, Signal::INT);
            server.wait().expect("a child can be waited for");
        }
        let until = Instant::now() + START;
        loop {
            match self.launch() {
                Ok(()) => return,
                // What the killed server held, its port or its memory, may be released only now.
                Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(100)),
                Err(reason) => panic!("{reason}"),
            }
        }
    }

    fn try_start(limit: Duration) -> Result<Self, String> {
        let found = install::find_or_install()?;
        // Chosen only now: the installation may have brought an account of its own.
        let account = Account::choose()?;
        let dir = temporary_directory(account)?;
        let guard = Guard::start(account, &dir, limit)?;
        let bin = match &found.copy {
            None => found.bin,
            Some(root) => account.copy_tree(root, &dir.join("postgres"))?.join("bin"),
        };
        let databases = AtomicU32::new(0);
        let mut postgres = Self { guard: Some(guard), server: None, account, bin, dir, port: 0, databases };
        postgres.initialise()?;
        for attempt in 1.. {
            postgres.port = free_port()?;
            match postgres.launch() {
                Ok(()) => break,
                Err(_) if attempt < PORT_TRIES && postgres.port_was_taken() => {}
                Err(reason) => return Err(reason),
            }
        }
        // Whoever looks into a store behind its back sees all of it. The store's own readers say that they do not.
        postgres.admin(&format!("CREATE ROLE {USER} LOGIN; ALTER ROLE {USER} SET stepwell.owner = 'on'"))?;
        Ok(postgres)
    }

    fn initialise(&self) -> Result<(), String> {
        let mut initdb = self.command("initdb")?;
        initdb.args([
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--username",
            ADMIN,
            "--pgdata",
        ]);
        let status =
            initdb.arg(self.data_dir()).status().map_err(|error| format!("initdb does not run: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("initdb failed, {status}:\n{}", self.log())) }
    }

    /// Starts the server on the chosen port and waits until it takes connections.
    fn launch(&mut self) -> Result<(), String> {
        let mut command = self.command("postgres")?;
        command.arg("-D").arg(self.data_dir());
        let settings = [
            "listen_addresses=127.0.0.1".to_owned(),
            format!("port={}", self.port),
            format!("unix_socket_directories={}", self.dir.display()),
            // Small, as several servers may run at once. What makes an acknowledged write durable stays on.
            "shared_buffers=32MB".to_owned(),
            "max_connections=60".to_owned(),
            "fsync=on".to_owned(),
            "logging_collector=off".to_owned(),
            "timezone=UTC".to_owned(),
            "log_timezone=UTC".to_owned(),
        ];
        for setting in &settings {
            command.args(["-c", setting]);
        }
        let child = command.spawn().map_err(|error| format!("postgres does not run: {error}"))?;
        let child = self.server.insert(child);
        let pid_file = self.dir.join("data").join("postmaster.pid");
        let until = Instant::now() + START;
        // The server's own word counts. A connection could be answered by a stranger who took the port.
        while !process::is_ready(&pid_file, child.id()) {
            let ended = child.try_wait().map_err(|error| error.to_string())?;
            if ended.is_some() || Instant::now() > until {
                if ended.is_none() {
                    let _ = child.kill();
                    let _ = child.wait();
                }
                self.server = None;
                return Err(format!("the Postgres server does not start:\n{}", self.log()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn port_was_taken(&self) -> bool {
        let log = self.log();
        log.contains("could not bind IPv4 address") || log.contains("could not create any TCP/IP sockets")
    }

    /// A program of the installation, inside the guard's reach, writing to the log.
    fn command(&self, program: &str) -> Result<std::process::Command, String> {
        let path = self.log_file();
        let log = File::options().create(true).append(true).open(&path);
        let log = log.and_then(|out| Ok((out.try_clone()?, out)));
        let (out, err) = log.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        let mut command = self.account.command(self.bin.join(program));
        command.current_dir(&self.dir).stdout(out).stderr(err);
        self.guard.as_ref().expect("the guard runs until drop").adopt(&mut command);
        Ok(command)
    }

    /// Runs one statement as the superuser, on a thread and runtime of its own.
    fn admin(&self, statement: &str) -> Result<(), String> {
        let url = self.url(ADMIN, "postgres");
        let work = || -> Result<(), String> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map_err(|error| error.to_string())?.block_on(async {
                let (client, connection) =
                    tokio_postgres::connect(&url, tokio_postgres::NoTls).await.map_err(|e| describe(&e))?;
                let connection = tokio::spawn(connection);
                client.batch_execute(statement).await.map_err(|e| describe(&e))?;
                // Wait for the goodbye to be sent, so that the server does not log a lost connection.
                drop(client);
                let _ = connection.await;
                Ok(())
            })
        };
        std::thread::scope(|scope| scope.spawn(work).join())
            .unwrap_or_else(|_| Err("its thread panicked".to_owned()))
    }

    fn url(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{database}", self.port)
    }

    fn log_file(&self) -> PathBuf {
        self.dir.join("log")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.guard.take());
        if let Some(mut server) = self.server.take() {
            let _ = server.wait();
        }
    }
}

/// The database's own message; the error's `Display` says no more than "db error".
fn describe(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |db| db.message().to_owned())
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("loopback has no free port: {error}"))
}

/// A directory that the server's account owns, in a place where it can also remove it.
fn temporary_directory(account: Account) -> Result<PathBuf, String> {
    // The path of a socket must not be longer than about a hundred bytes.
    let usual = Some(std::env::temp_dir()).filter(|dir| dir.as_os_str().len() <= 60);
    let places = usual.into_iter().chain(["/tmp", "/var/tmp"].map(PathBuf::from));
    let place = places.into_iter().find(|dir| account.can_write(dir));
    let place = place.ok_or("no temporary directory that the Postgres server can write to; set TMPDIR")?;
    let dir = tempfile::Builder::new().prefix("stepwell-pg-").tempdir_in(&place);
    let dir = dir.map_err(|error| format!("cannot create a directory in {}: {error}", place.display()))?;
    account.own(dir.path())?;
    // From here on the guard removes it.
    Ok(dir.keep())
}
