//! From a file to a tier, or to a fault that says why not.

use crate::support::{Memory, RUNTIME, place, record, replaced, row, with};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use stepwell_tiers::{Config, Health, Links, OnFault, Phase, Place, TierFault, TierStatus, Tiers};
use stepwell_tiers_fixtures::hostile;

fn status_of(file: &Path) -> TierStatus {
    replaced(file, |config| &mut config.preview).status().remove(0)
}

fn fault_of(file: &Path) -> TierFault {
    match status_of(file).health {
        Health::Broken(fault) => fault,
        other => panic!("{other:?}"),
    }
}

fn written(dir: &Path, bytes: &[u8]) -> PathBuf {
    let path = dir.join("guest.wasm");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[tokio::test]
async fn a_forbidden_import_is_refused_by_name() {
    let fault = fault_of(&hostile("forbidden_import"));
    assert_eq!(fault.code(), "wrong_world");
    assert!(fault.to_string().contains("evil:net/door@1.0.0"), "{fault}");
}

#[tokio::test]
async fn a_component_of_another_tier_is_refused_by_what_it_exports() {
    let fault = fault_of(&hostile("stuck_window"));
    assert_eq!(fault.code(), "wrong_world");
    assert!(fault.to_string().contains("stepwell:ladder/windower@0.1.0"), "{fault}");
    assert!(fault.to_string().contains("stepwell:ladder/previewer@0.1.0"), "{fault}");
}

#[tokio::test]
async fn what_is_no_component_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(fault_of(&dir.path().join("none.wasm")).code(), "missing");
    assert_eq!(fault_of(dir.path()).code(), "missing");
    let core = fault_of(&written(dir.path(), b"\0asm\x01\0\0\0"));
    assert!(core.to_string().contains("core module"), "{core}");
    assert_eq!(fault_of(&written(dir.path(), b"")).code(), "wrong_world");
    assert_eq!(fault_of(&written(dir.path(), b"#!/bin/sh")).code(), "wrong_world");
    let huge = std::fs::File::create(dir.path().join("huge.wasm")).unwrap();
    huge.set_len(100 << 20).unwrap();
    assert_eq!(fault_of(&dir.path().join("huge.wasm")).code(), "too_large");
}

#[tokio::test]
async fn a_damaged_file_is_refused_wherever_the_damage_is() {
    let dir = tempfile::tempdir().unwrap();
    let good = stepwell_tiers_bundle::PREVIEW;
    for part in [9, 100, good.len() / 2, good.len() - 1] {
        let fault = fault_of(&written(dir.path(), &good[..part]));
        assert!(["compile", "wrong_world"].contains(&fault.code()), "{part}: {fault}");
    }
    // A flipped bit may leave a valid component; it must never do worse than end in a fault.
    for place in (8..good.len()).step_by(good.len() / 12) {
        let mut flipped = good.to_vec();
        flipped[place] ^= 0x10;
        let tiers = replaced(&written(dir.path(), &flipped), |config| &mut config.preview);
        let fields = [("body", "text")];
        let _ = tiers.preview().unwrap().compose(vec![record(&fields)], &row(), Memory::of(&fields)).await;
    }
}

#[tokio::test]
async fn a_digest_decides() {
    let file = hostile("declines");
    let digest: String =
        Sha256::digest(std::fs::read(&file).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect();
    let load = |digest: &str| {
        let mut config = with(&file, |config| &mut config.preview);
        config.preview.sha256 = Some(digest.to_owned());
        Tiers::load_in(&RUNTIME, &config, &place()).status().remove(0)
    };
    let right = load(&digest);
    assert_eq!((right.health, right.digest.as_deref()), (Health::Ready, Some(digest.as_str())));
    let Health::Broken(fault) = load(&"0".repeat(64)).health else { panic!("loaded") };
    assert_eq!(fault, TierFault::DigestMismatch { expected: "0".repeat(64), found: digest });
}

#[tokio::test]
async fn a_broken_tier_answers_with_its_fault_and_leaves_the_others_alone() {
    let mut config = with(Path::new("none.wasm"), |config| &mut config.preview);
    config.preview.on_fault = OnFault::Refuse.into();
    let tiers = Tiers::load_in(&RUNTIME, &config, &place());
    let preview = tiers.preview().unwrap();
    assert_eq!(preview.on_fault(), OnFault::Refuse.into());
    for _ in 0..5 {
        let answer = preview.compose(vec![record(&[("body", "x")])], &row(), Memory::of(&[])).await;
        assert_eq!(answer.unwrap_err().code(), "missing");
    }
    let status = tiers.status();
    assert_eq!((status[0].calls, status[0].faults[0]), (5, (Phase::Resolve, 5)));
    assert!(status[1..].iter().all(|tier| tier.health == Health::Ready));
}

#[tokio::test]
async fn a_tier_that_is_off_is_not_there() {
    let mut config = Config::default();
    config.preview.enabled = false;
    config.field_window.enabled = false;
    config.resources.tier.enabled = false;
    config.binary_export.enabled = false;
    config.resources.links = Links::Always;
    let tiers = Tiers::load_in(&RUNTIME, &config, &place());
    assert!(tiers.preview().is_none() && tiers.window().is_none());
    assert!(tiers.resources().is_none() && tiers.export().is_none());
    assert_eq!(tiers.links(), Links::Never);
    assert!(tiers.status().iter().all(|tier| tier.health == Health::Off));
}

#[tokio::test]
async fn a_component_that_needs_more_memory_than_it_may_have_is_refused() {
    let mut config = with(&hostile("declines"), |config| &mut config.preview);
    config.preview.limits.memory_mb = 1;
    let status = Tiers::load_in(&RUNTIME, &config, &place()).status().remove(0);
    assert_eq!(status.health, Health::Broken(TierFault::Instantiate));
}

#[tokio::test]
async fn the_second_start_finds_everything_compiled_and_damage_is_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let own = Place { cache: Some(dir.path().join("cache")), ..Place::default() };
    let cached = || {
        let tiers = Tiers::load_in(&RUNTIME, &Config::default(), &own);
        tiers.status().iter().map(|tier| tier.was_cached).collect::<Vec<_>>()
    };
    assert_eq!(cached(), [false; 4]);
    assert_eq!(cached(), [true; 4]);
    for entry in std::fs::read_dir(dir.path().join("cache")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "cwasm") {
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            // As a crash or a disk would do it: a new file, because the old one is mapped by the tiers above.
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, bytes).unwrap();
        }
    }
    assert_eq!(cached(), [false; 4]);
    assert_eq!(cached(), [true; 4]);
}
