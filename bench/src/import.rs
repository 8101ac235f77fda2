//! An import of mail as the program does it: how fast, and in how much memory, against reading the same and storing nothing.

use crate::Plan;
use crate::report::{self, Report, count};
use anyhow::{Context as _, ensure};
use serde_json::Value;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stepwell_testkit::peak_rss_kb;

/// What one run took.
struct Run {
    elapsed: Duration,
    peak: usize,
    report: Value,
}

pub(crate) fn run(stepwell: &Path, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let archive = folder.path().join("mail.mbox");
    let bytes = write(&archive, plan.messages)?;
    report.heading(
        format_args!("import of {} messages, an mbox of {}", count(plan.messages), report::size(bytes)),
        "times a dry run, which reads and prepares everything and stores nothing",
    )?;
    let store = format!("sqlite:{}", folder.path().join("store.sqlite").display());
    let dry = import(stepwell, &archive, &store, &["--dry-run"])?;
    let first = import(stepwell, &archive, &store, &[])?;
    let again = import(stepwell, &archive, &store, &[])?;
    let added = first.report["streams"]["messages"]["added"].as_u64();
    let unchanged = again.report["streams"]["messages"]["unchanged"].as_u64();
    ensure!(added == Some(plan.messages as u64) && unchanged == added, "{} {}", first.report, again.report);
    for (name, run) in [("read", &dry), ("stored", &first), ("again, unchanged", &again)] {
        let seconds = run.elapsed.as_secs_f64();
        let rate = count((plan.messages as f64 / seconds) as usize);
        let raw = format!(
            "{rate} messages/s, {:.0} MB/s, at most {} of memory",
            bytes as f64 / 1e6 / seconds,
            report::size(run.peak)
        );
        report.line(format_args!("{name}"), seconds / dry.elapsed.as_secs_f64(), raw)?;
    }
    Ok(())
}

/// Writes an archive: threads of five, mostly short letters, some long ones, a file with every twentieth.
fn write(path: &Path, messages: usize) -> anyhow::Result<usize> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    let mut bytes = 0;
    for n in 0..messages {
        let (root, minute, second) = (n / 5 * 5, n / 60 % 60, n % 60);
        let mut message = format!(
            "From p{}@mail.example Mon Mar  2 09:00:00 2026\nMessage-ID: <{n}@mail.example>\nReferences: <{root}@mail.example>\n\
             Date: Mon, {} Mar 2026 09:{minute:02}:{second:02} +0000\nFrom: Person {} <p{}@mail.example>\nTo: Ilse <ilse@home.example>\n\
             Subject: Letter {n} about the ferry\nMIME-Version: 1.0\n",
            n % 997,
            n % 28 + 1,
            n % 997,
            n % 997
        );
        let words = if n % 50 == 0 { 2_000 } else { 60 + n % 140 };
        let text: String = (0..words)
            .map(|word| {
                if word % 12 == 11 {
                    "tide\n"
                } else if (word + n) % 3 == 0 {
                    "heron "
                } else {
                    "ferry "
                }
            })
            .collect();
        if n % 20 == 0 {
            message += &format!(
                "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n{text}\n--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename=\"{n}.bin\"\n\n{n} {}\n--b--\n\n",
                "x".repeat(8_000)
            );
        } else {
            message += &format!("Content-Type: text/plain; charset=utf-8\n\n{text}\n\n");
        }
        out.write_all(message.as_bytes())?;
        bytes += message.len();
    }
    out.flush()?;
    Ok(bytes)
}

fn import(stepwell: &Path, archive: &Path, store: &str, more: &[&str]) -> anyhow::Result<Run> {
    let started = Instant::now();
    let mut child = Command::new(stepwell)
        .args(["import", "--json", "mbox", "--source", store])
        .arg(archive)
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start stepwell")?;
    let mut out = child.stdout.take().context("no output")?;
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        out.read_to_string(&mut said).map(|_| said)
    });
    let mut peak = 0;
    let status = loop {
        // The system keeps the peak itself, so it is enough to look now and then until the end.
        peak = peak.max(peak_rss_kb(child.id()).unwrap_or_default());
        match child.try_wait()? {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let elapsed = started.elapsed();
    let said = reader.join().ok().context("the reader is gone")??;
    ensure!(status.success(), "stepwell import failed");
    let report = serde_json::from_str(said.lines().last().unwrap_or_default()).context("no report")?;
    Ok(Run { elapsed, peak: peak as usize * 1_024, report })
}
