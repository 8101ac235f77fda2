//! A client on a server's standard input and output: a message is a line.

use super::connection::Request;
use super::guard::Running;
use anyhow::Context as _;
use std::cell::{Cell, RefCell};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout};

pub(super) struct Stdio {
    server: Running,
    input: ChildStdin,
    output: RefCell<BufReader<ChildStdout>>,
    last_id: Cell<u64>,
}

impl Stdio {
    pub(super) fn new(mut server: Running) -> anyhow::Result<Self> {
        let input = server.0.stdin.take().context("no pipe")?;
        let output = server.0.stdout.take().context("no pipe")?;
        Ok(Self { server, input, output: RefCell::new(BufReader::new(output)), last_id: Cell::new(0) })
    }

    pub(super) fn send(&self, message: &str) -> anyhow::Result<()> {
        // One write: a line in two pieces would wake the server twice.
        Ok((&self.input).write_all(format!("{message}\n").as_bytes())?)
    }

    pub(super) fn ask(&self, request: &Request) -> anyhow::Result<(u64, Vec<u8>)> {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        self.send(&request.numbered(id))?;
        let mut line = Vec::new();
        self.output.borrow_mut().read_until(b'\n', &mut line)?;
        anyhow::ensure!(line.ends_with(b"\n"), "the server ended instead of answering");
        Ok((id, line))
    }

    pub(super) fn pid(&self) -> u32 {
        self.server.0.id()
    }
}
