//! A large mail archive through the real program: how fast, in how much memory, and whether a second time changes anything.

mod archive;

use anyhow::Context as _;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use stepwell_bench::report::{self, Report, count};
use stepwell_testkit::peak_rss_kb;

/// How many messages the archives have: the second shows what ten times as many cost.
pub(crate) const FULL: [usize; 2] = [20_000, 200_000];
pub(crate) const QUICK: [usize; 2] = [500, 5_000];

/// How often the memory of a running import is looked at. The kernel keeps its peak, so only the last moment can be missed.
const LOOK: Duration = Duration::from_millis(20);

/// One run of the program.
struct Run {
    time: Duration,
    /// The most memory that it held, where the system tells.
    peak: Option<usize>,
    report: Value,
}

impl Run {
    /// The records of both streams that a report counts under a name.
    fn records(&self, name: &str) -> usize {
        let streams = self.report["streams"].as_object().into_iter().flat_map(serde_json::Map::values);
        streams.filter_map(|stream| stream[name].as_u64()).map(|records| records as usize).sum()
    }
}

pub(crate) fn run(stepwell: &Path, sizes: [usize; 2], report: &Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    report.heading(
        "import: an mbox into SQLite, by the real program",
        "times reading and preparing the same without a store (--dry-run)",
    )?;
    let mut stored = Vec::new();
    for messages in sizes {
        let mbox = folder.path().join(format!("{messages}.mbox"));
        let bytes = archive::write(&mbox, messages)?;
        let store = format!("sqlite:{}", folder.path().join(format!("{messages}.db")).display());
        let import = |more: &[&str]| import(stepwell, &store, &mbox, more);
        let plain = import(&["--dry-run"])?;
        let first = import(&[])?;
        let again = import(&[])?;
        let raw = |run: &Run, records: usize| {
            let seconds = run.time.as_secs_f64().max(1e-9);
            let peak = run.peak.map_or("unknown".to_owned(), report::size);
            format!(
                "{}, {} records/s, {:.1} MB/s, at most {peak} of memory",
                report::time(run.time),
                count((records as f64 / seconds) as usize),
                bytes as f64 / 1e6 / seconds
            )
        };
        let (records, unchanged) = (first.records("added"), again.records("unchanged"));
        report.note(format_args!(
            "  {} messages and {} files, {}",
            count(messages),
            count(records.saturating_sub(messages)),
            report::size(bytes as usize)
        ))?;
        let ratio = |run: &Run| run.time.as_secs_f64() / plain.time.as_secs_f64().max(1e-9);
        report.line("without a store", 1.0, raw(&plain, records))?;
        report.line("for the first time", ratio(&first), raw(&first, records))?;
        report.line("again", ratio(&again), raw(&again, unchanged))?;
        anyhow::ensure!(
            (again.records("added"), again.records("changed"), unchanged) == (0, 0, records),
            "the second import of {messages} messages changed something: {}",
            again.report
        );
        report.note(format_args!("  again: 0 added, 0 changed, {} unchanged", count(unchanged)))?;
        stored.push((messages, first));
        // The larger archive needs the room.
        std::fs::remove_file(&mbox)?;
    }
    if let [(few, small), (many, large)] = stored.as_slice() {
        report.heading("import: what more messages cost", format_args!("times {} messages", count(*few)))?;
        let ratio = large.time.as_secs_f64() / small.time.as_secs_f64().max(1e-9);
        let raw = format!("{} against {}", report::time(large.time), report::time(small.time));
        report.line(format_args!("time of {} messages", count(*many)), ratio, raw)?;
        if let (Some(small), Some(large)) = (small.peak, large.peak) {
            let raw = format!("{} against {}", report::size(large), report::size(small));
            report.line("memory at its peak", large as f64 / small as f64, raw)?;
        }
    }
    Ok(())
}

fn import(stepwell: &Path, store: &str, mbox: &Path, more: &[&str]) -> anyhow::Result<Run> {
    let started = Instant::now();
    let child = Command::new(stepwell)
        .args(["import", "--json", "--source", store, "mbox"])
        .arg(mbox)
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let (output, peak) = watch(child)?;
    let time = started.elapsed();
    let last = output.lines().last().context("the import reported nothing")?;
    Ok(Run { time, peak, report: serde_json::from_str(last)? })
}

/// Waits for a process, and gives what it said and the most memory that it held.
fn watch(mut child: Child) -> anyhow::Result<(String, Option<usize>)> {
    let said = child.stdout.take().context("no pipe")?;
    let reader = std::thread::spawn(move || std::io::read_to_string(said));
    let mut peak = None;
    let status = loop {
        peak = peak_rss_kb(child.id()).map(|kb| kb as usize * 1_024).or(peak);
        match child.try_wait()? {
            Some(status) => break status,
            None => sleep(LOOK),
        }
    };
    anyhow::ensure!(status.success(), "the import ended with {status}");
    let said = reader.join().map_err(|_| anyhow::anyhow!("nobody read what the import said"))??;
    Ok((said, peak))
}
