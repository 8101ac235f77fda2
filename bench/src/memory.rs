//! How much memory reading takes, in a process of its own: this one has held whole texts.

use crate::Plan;
use crate::shelf::{Client, Shelf};
use anyhow::Context as _;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};
use stepwell_bench::report::{self, Report, count};
use stepwell_contract::selector::WindowArguments;
use stepwell_source::{SourceUrl, Token};
use stepwell_testkit::{peak_rss_kb, rss_kb};

/// How many windows the other process reads, spread over the field.
const WINDOWS: u64 = 400;

pub(crate) fn run(shelf: &Shelf, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let Some(size) = plan.fields.last() else { return Ok(()) };
    report.heading(
        format_args!("{}: memory of a process that reads {}", shelf.engine, report::size(*size)),
        "times the same process with the store open and nothing read",
    )?;
    let figures = child(shelf, *size)?;
    let kb = |key: &str| figures[key].as_u64().map(|kb| kb as usize * 1_024);
    let (Some(idle), Some(after), Some(peak)) = (kb("idle"), kb("after"), kb("peak")) else {
        return report.note("  this system does not tell");
    };
    let raw =
        |bytes: usize| format!("{} above {}", report::size(bytes.saturating_sub(idle)), report::size(idle));
    let ratio = |bytes: usize| bytes as f64 / idle as f64;
    report.line(format_args!("after {} windows", count(WINDOWS as usize)), ratio(after), raw(after))?;
    report.line("at its peak, with q over all of it", ratio(peak), raw(peak))
}

fn child(shelf: &Shelf, size: usize) -> anyhow::Result<Value> {
    // The address of a throw-away store may be an argument; a token never is.
    let url = match &shelf.place.url {
        SourceUrl::Sqlite(path) => format!("sqlite:{}", path.display()),
        SourceUrl::Postgres(url) => url.clone(),
    };
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--read-windows-of", &url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().context("no pipe")?;
    writeln!(stdin, "{size} {}", shelf.token.reveal())?;
    drop(stdin);
    let output = child.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "the reading process ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// What the other process does.
pub(crate) async fn read_windows(url: &SourceUrl) -> anyhow::Result<()> {
    let input = std::io::read_to_string(std::io::stdin())?;
    let (size, token) = input.trim().split_once(' ').context("no size and token")?;
    let size: usize = size.parse()?;
    let client = Client::open(url, &Token::new(token)).await?;
    let me = std::process::id();
    let idle = rss_kb(me);
    for index in 0..WINDOWS {
        let offset_chars = Some(size as u64 / WINDOWS * index);
        let arguments =
            WindowArguments { offset_chars, limit_chars: Some(16_384), ..WindowArguments::default() };
        client.window(size, arguments).await?;
    }
    let after = rss_kb(me);
    let q = Some(stepwell_bench::text::PHRASE.to_owned());
    client.window(size, WindowArguments { q, ..WindowArguments::default() }).await?;
    let figures = json!({ "idle": idle, "after": after, "peak": peak_rss_kb(me) });
    writeln!(std::io::stdout(), "{figures}")?;
    Ok(())
}
