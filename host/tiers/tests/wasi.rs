//! Guests whose standard library imports WASI on its own.

use crate::support::{Memory, RUNTIME, place, record, row, with};
use std::path::Path;
use stepwell_tiers::{Config, Derived, Health, Sheet, Shown, TierFault, Tiers, Wasi};
use stepwell_tiers_fixtures::{hostile, wasi};

fn inert(file: &Path) -> Config {
    let mut config = with(file, |config| &mut config.preview);
    config.preview.wasi = Wasi::Inert;
    config
}

fn refused(config: &Config) -> String {
    match Tiers::load_in(&RUNTIME, config, &place()).status().remove(0).health {
        Health::Broken(fault @ TierFault::WrongWorld(_)) => fault.to_string(),
        other => panic!("{other:?}"),
    }
}

async fn compose(tiers: &Tiers) -> Result<Vec<Sheet>, TierFault> {
    let fields = [("body", "text")];
    tiers.preview().unwrap().compose(vec![record(&fields)], &row(), Memory::of(&fields)).await
}

#[tokio::test]
async fn what_a_standard_library_leaves_behind_finds_nothing_and_harms_nothing() {
    let tiers = Tiers::load_in(&RUNTIME, &inert(&wasi("leftovers")), &place());
    let mut heard = Vec::new();
    for _ in 0..3 {
        let mut sheets = compose(&tiers).await.unwrap();
        let Shown::Derived(Derived { text, .. }) = sheets.remove(0).lines.remove(0) else { panic!() };
        heard.push(text);
    }
    assert!(heard[0].starts_with("printed true true, read 0, 0 variables, 0 arguments, order "), "{heard:?}");
    // A constant seed means the same order every time.
    assert!(heard.iter().all(|one| *one == heard[0]), "{heard:?}");
    assert_eq!(tiers.status()[0].messages, 0);
}

#[tokio::test]
async fn without_the_setting_they_are_refused_with_what_to_write() {
    let mut config = inert(&wasi("leftovers"));
    config.preview.wasi = Wasi::None;
    let fault = refused(&config);
    assert!(fault.contains("\"wasi:") && fault.contains("wasi = \"inert\""), "{fault}");
}

#[tokio::test]
async fn clocks_files_and_networks_are_refused_by_name_whatever_the_setting() {
    for (guest, import) in [
        ("reads_clock", "wasi:clocks/"),
        ("reads_file", "wasi:filesystem/"),
        ("opens_socket", "wasi:sockets/"),
    ] {
        for wasi_setting in [Wasi::None, Wasi::Inert] {
            let mut config = inert(&wasi(guest));
            config.preview.wasi = wasi_setting;
            let fault = refused(&config);
            assert!(fault.contains(import) && !fault.contains("write wasi"), "{guest}: {fault}");
        }
    }
}

#[tokio::test]
async fn leaving_is_a_trap_and_so_is_a_hoard_of_handles() {
    for file in [wasi("leaves"), hostile("handle_hoard")] {
        let tiers = Tiers::load_in(&RUNTIME, &inert(&file), &place());
        for _ in 0..2 {
            let outcome = compose(&tiers).await;
            assert!(matches!(outcome, Err(TierFault::Trap(_))), "{}: {outcome:?}", file.display());
        }
    }
}
