//! Native tiers: real libraries in real processes.
#![cfg(unix)]

use crate::support::{Memory, RUNTIME, place, record, row};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;
use stepwell_tiers::{
    Config, Context, Derived, FieldKind, FieldShape, GuestRefusal, Health, Invalid, Kind, Origin, Passage,
    Place, Sheet, Shown, TierFault, Tiers,
};
use stepwell_tiers_fixtures::{native, native_hostile};

const FIELDS: [(&str, &str); 2] =
    [("title", "Kettles"), ("body", "The blue one leaks. The green one does not.")];

fn digest(file: &Path) -> String {
    Sha256::digest(std::fs::read(file).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn here() -> Place {
    Place { tier_host: Some(env!("CARGO_BIN_EXE_stepwell-tier-host").into()), ..place() }
}

/// A configuration whose preview is this library, told to do this.
fn config(file: &Path, what: &str) -> Config {
    let mut config = Config::default();
    let tier = &mut config.preview;
    (tier.kind, tier.component) = (Kind::Native, Origin::File(file.to_owned()));
    tier.sha256 = Some(digest(file));
    // A process starts within a call where many of them run, as in these tests.
    tier.limits.deadline = Duration::from_secs(2);
    tier.limits.reads = 10;
    tier.options.insert("do".to_owned(), what.to_owned());
    config
}

fn load(config: &Config) -> Tiers {
    Tiers::load_in(&RUNTIME, config, &here())
}

async fn compose(tiers: &Tiers) -> Result<Vec<Sheet>, TierFault> {
    let mut shape = record(&FIELDS);
    shape.fields.push(FieldShape::new("photo", FieldKind::Binary));
    tiers.preview().unwrap().compose(vec![shape], &row(), Memory::of(&FIELDS)).await
}

/// Has the hostile library do something, and sees that the next call works.
async fn outcome(what: &str) -> Result<Vec<Sheet>, TierFault> {
    let file = native_hostile("misbehaves");
    let outcome = compose(&load(&config(&file, what))).await;
    assert_eq!(said(compose(&load(&config(&file, ""))).await), "nothing to do", "the call after {what:?}");
    outcome
}

fn said(sheets: Result<Vec<Sheet>, TierFault>) -> String {
    match sheets.unwrap().remove(0).lines.remove(0) {
        Shown::Derived(Derived { text, .. }) => text,
        Shown::Verbatim(_) => panic!("it was to say something of its own"),
    }
}

fn broken(config: &Config) -> TierFault {
    match load(config).status().remove(0).health {
        Health::Broken(fault) => fault,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_example_reads_the_record_and_the_system_s_time_zones() {
    let tiers = load(&config(&native("local-time"), ""));
    let mut shape = record(&FIELDS);
    shape.time = Some("2026-07-01T10:00:00Z".to_owned());
    let context = Context { time_zone: "Asia/Tokyo".to_owned(), ..row() };
    let composed = tiers.preview().unwrap().compose(vec![shape], &context, Memory::of(&FIELDS)).await;
    let sheet = composed.unwrap().remove(0);
    let whole = |path: &str, chars| {
        let at = stepwell_contract::Span::at(stepwell_contract::Chars::ZERO, stepwell_contract::Chars(chars));
        Shown::Verbatim(Passage { path: path.to_owned(), at })
    };
    assert_eq!(sheet.title, Some(whole("title", 7)));
    assert_eq!(sheet.lines[1], whole("body", 20));
    let Shown::Derived(moment) = &sheet.lines[0] else { panic!("{sheet:?}") };
    // A system without such data has UTC alone.
    let has_zones = Path::new("/usr/share/zoneinfo/Asia/Tokyo").exists();
    assert_eq!(
        moment.text,
        format!("Wednesday 1 July 2026, {}", if has_zones { "19:00 JST" } else { "10:00 UTC" })
    );
    let status = tiers.status().remove(0);
    assert_eq!((status.health, status.digest), (Health::Ready, Some(digest(&native("local-time")))));
}

#[tokio::test]
async fn a_crash_is_a_typed_fault() {
    for (what, how) in [
        ("segfault", "signal 11"),
        ("abort", "signal 6"),
        ("exit", "its process ended"),
        ("panic", "it reported an error"),
        ("nonsense", "malformed answer"),
        ("garbage", "malformed answer"),
    ] {
        assert_eq!(outcome(what).await, Err(TierFault::Trap(how.to_owned())), "{what}");
    }
}

#[tokio::test]
async fn a_hoard_of_memory_meets_the_limit_of_its_process() {
    let fault = outcome("hoard").await.unwrap_err();
    assert!(fault == TierFault::Trap("signal 6".to_owned()) || cfg!(not(target_os = "linux")), "{fault}");
}

#[tokio::test]
async fn whatever_never_answers_ends_at_its_deadline() {
    for what in ["loop", "sleep", "log for ever"] {
        assert_eq!(outcome(what).await, Err(TierFault::Deadline(Duration::from_secs(2))), "{what}");
    }
}

#[tokio::test]
async fn too_much_output_is_refused() {
    assert_eq!(outcome("flood").await, Err(TierFault::OutputTooLarge(256)));
}

#[tokio::test]
async fn answers_are_checked_like_any_other() {
    let Err(TierFault::InvalidOutput(Invalid::OutsideField { .. })) = outcome("past the end").await else {
        panic!("a span outside of its field was taken")
    };
    assert_eq!(outcome("decline").await, Err(TierFault::Refused(GuestRefusal::Other)));
}

#[tokio::test]
async fn reads_pass_the_same_door() {
    assert_eq!(said(outcome("outside").await), "not-in-hand not-in-hand not-in-hand given not-in-hand");
    assert_eq!(said(outcome("read for ever").await), "10 reads");
}

#[tokio::test]
async fn what_it_prints_goes_nowhere_and_harms_nothing() {
    assert_eq!(said(outcome("print").await), "printed");
}

#[tokio::test]
async fn its_process_has_no_environment_no_files_and_no_memory_of_other_calls() {
    // The standard three, the line to the host twice, and the folder that lists them.
    assert_eq!(said(outcome("look around").await), "0 variables, 6 descriptors, in /");
    let tiers = load(&config(&native_hostile("misbehaves"), "remember"));
    for _ in 0..5 {
        assert_eq!(said(compose(&tiers).await), "call 1");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("leak");
    let mut config = config(&native_hostile("misbehaves"), "write a file");
    config.preview.options.insert("file".to_owned(), file.to_str().unwrap().to_owned());
    // Growing a file over its limit ends a process.
    assert_eq!(compose(&load(&config)).await, Err(TierFault::Trap("signal 25".to_owned())));
    assert_eq!(std::fs::read(&file).unwrap_or_default(), b"");
}

#[tokio::test]
async fn a_library_that_is_none_of_ours_is_refused_with_the_reason() {
    for (name, why) in [
        ("no_table", "it exports no STEPWELL_TIER_V1"),
        ("wrong_abi", "it speaks version 7 of the native interface, and this host speaks 1"),
        ("wrong_size", "its table has 8 bytes, and version 1 has 16"),
    ] {
        assert_eq!(broken(&config(&native_hostile(name), "")), TierFault::WrongWorld(why.to_owned()));
    }
    let late = broken(&config(&native_hostile("loops_at_load"), ""));
    assert_eq!(late, TierFault::Deadline(stepwell_tiers::limits::NATIVE_START));
    let component = broken(&config(&stepwell_tiers_fixtures::hostile("loops"), ""));
    assert!(component.to_string().contains("it cannot be loaded"), "{component}");
}

#[tokio::test]
async fn only_the_file_that_was_named_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tier.so");
    std::fs::copy(native_hostile("misbehaves"), &file).unwrap();
    let good = config(&file, "");
    let tiers = load(&good);
    // What was verified is a private copy, so it does not matter what becomes of the file.
    std::fs::write(&file, "#!/bin/sh").unwrap();
    for _ in 0..3 {
        assert_eq!(said(compose(&tiers).await), "nothing to do");
    }
    let expected = good.preview.sha256.clone().unwrap();
    assert_eq!(broken(&good), TierFault::DigestMismatch { expected, found: digest(&file) });
    std::fs::remove_file(&file).unwrap();
    assert_eq!(broken(&good).code(), "missing");
    // A native tier that was configured without a digest, by a program that skipped plugins.toml, is refused too.
    let mut without = config(&native_hostile("misbehaves"), "");
    without.preview.sha256 = None;
    assert_eq!(broken(&without).code(), "digest_mismatch");
}

#[tokio::test]
async fn without_a_program_to_run_it_there_is_no_native_tier() {
    let tiers = Tiers::load_in(&RUNTIME, &config(&native("local-time"), ""), &place());
    assert!(matches!(tiers.status().remove(0).health, Health::Broken(TierFault::WrongWorld(_))));
}

/// The processes of a group that are still there.
#[cfg(target_os = "linux")]
fn members_of(groups: &[i32]) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let stat = all.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stat.filter(|line| {
        let fields: Vec<_> = line.rsplit(')').next().unwrap().split_whitespace().collect();
        groups.contains(&fields[2].parse().unwrap()) && fields[0] != "Z"
    })
    .collect()
}

/// The groups of this process's children.
#[cfg(target_os = "linux")]
fn groups() -> Vec<i32> {
    let own = std::process::id().to_string();
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let stat = all.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let fields = stat.map(|line| line.rsplit(')').next().unwrap().to_owned());
    fields
        .filter_map(|fields| {
            let fields: Vec<_> = fields.split_whitespace().collect();
            (fields[1] == own).then(|| fields[2].parse().unwrap())
        })
        .collect()
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn nobody_is_left_behind() {
    let tiers = load(&config(&native_hostile("misbehaves"), "fork"));
    let before = groups();
    assert!(!before.is_empty(), "a spare process waits");
    assert_eq!(said(compose(&tiers).await), "forked");
    drop(tiers);
    // Other tests have processes of their own, so only those that were there before the call are looked at.
    let started = std::time::Instant::now();
    while !members_of(&before).is_empty() && started.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(members_of(&before), Vec::<String>::new());
}
