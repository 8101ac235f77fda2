//! `plugins.lock` beside plugins.toml, as loading sees it.

use crate::support::{Memory, RUNTIME, place, record, row, with};
use std::path::Path;
use std::sync::Arc;
use stepwell_tiers::lock::FILE;
use stepwell_tiers::{Config, Health, Lock, LockState, Place, Terms, TierStatus, Tiers, Watch};
use stepwell_tiers_fixtures::{example, hostile};

/// A folder with a plugin in it, and the configuration that names it.
fn folder(fixture: &Path) -> (tempfile::TempDir, Config, Place) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(fixture, folder.path().join("mine.wasm")).unwrap();
    let config = with(Path::new("mine.wasm"), |config| &mut config.preview);
    let place = Place { base: folder.path().to_owned(), ..place() };
    (folder, config, place)
}

fn load(config: &Config, place: &Place) -> TierStatus {
    Tiers::load_in(&RUNTIME, config, place).status().remove(0)
}

fn accept(status: &TierStatus, base: &Path) {
    let mut lock = Lock::read(base);
    lock.accept(&status.name, status.locked.clone().unwrap());
    std::fs::write(base.join(FILE), lock.print().unwrap()).unwrap();
}

#[tokio::test]
async fn a_plugin_is_loaded_as_it_was_accepted_and_not_otherwise() {
    let (_folder, config, place) = folder(&example("mail-preview"));
    let first = load(&config, &place);
    assert_eq!((&first.health, &first.lock), (&Health::Ready, &Some(LockState::Unlocked)));
    let locked = first.locked.as_ref().unwrap();
    assert_eq!((locked.tier.as_str(), locked.wit.as_deref()), ("preview", Some("0.1.0")));
    assert_eq!(Some(&locked.sha256), first.digest.as_ref());
    assert!(locked.imports.contains(&"stepwell:ladder/fields@0.1.0".to_owned()), "{locked:?}");
    accept(&first, &place.base);
    assert_eq!(load(&config, &place).lock, Some(LockState::Locked));

    std::fs::copy(example("html-preview"), place.base.join("mine.wasm")).unwrap();
    let changed = load(&config, &place);
    assert_eq!(changed.lock, Some(LockState::Changed));
    let Health::Broken(fault) = &changed.health else { panic!("{changed:?}") };
    assert_eq!(fault.code(), "not_as_locked");
    // An open lock lets it in, so that it can be looked at.
    let terms = Terms { lock: Lock::read(&place.base).opened(), watch: None };
    let opened = Tiers::load_on(&terms, &RUNTIME, &config, &place).status().remove(0);
    assert_eq!((&opened.health, &opened.lock), (&Health::Ready, &Some(LockState::Changed)));
    accept(&opened, &place.base);
    assert_eq!(load(&config, &place).health, Health::Ready);

    let mut raised = config;
    raised.preview.limits.memory_mb = 512;
    let Health::Broken(fault) = load(&raised, &place).health else { panic!("loaded") };
    assert!(fault.to_string().contains("limits.memory_mb was 64, is 512"), "{fault}");
}

#[tokio::test]
async fn what_is_built_in_needs_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), "no lock at all").unwrap();
    let own = Place { base: folder.path().to_owned(), ..place() };
    for tier in Tiers::load_in(&RUNTIME, &Config::default(), &own).status() {
        assert_eq!((tier.health, tier.lock), (Health::Ready, Some(LockState::BuiltIn)));
    }
    let config = with(&example("mail-preview"), |config| &mut config.preview);
    let Health::Broken(fault) = load(&config, &own).health else { panic!("loaded") };
    assert_eq!(fault.code(), "lock_unreadable");
}

#[tokio::test]
async fn who_watches_sees_what_a_call_took_and_said_and_nobody_rests() {
    let watch = Arc::new(Watch::default());
    let terms = Terms { lock: Lock::default(), watch: Some(Arc::clone(&watch)) };
    let tiers =
        |file: &Path| Tiers::load_on(&terms, &RUNTIME, &with(file, |config| &mut config.preview), &place());
    let fields = [("subject", "Hello"), ("body", "> quoted\n\nwords of my own")];
    let call = async |tiers: &Tiers| {
        tiers.preview().unwrap().compose(vec![record(&fields)], &row(), Memory::of(&fields)).await
    };
    call(&tiers(&hostile("log_spam"))).await.unwrap();
    let seen = watch.take();
    assert_eq!((seen.len(), seen[0].messages.count), (1, 10_000));
    assert_eq!(seen[0].messages.kept.len(), 100);
    assert_eq!(seen[0].messages.kept[0], ("info", "record text that must not get out".to_owned()));
    assert!(seen[0].memory >= 65_536 && !seen[0].took.is_zero(), "{seen:?}");
    call(&tiers(&hostile("read_flood"))).await.ok();
    assert_eq!(watch.take()[0].reads, 10, "all that it may");
    let traps = tiers(&hostile("traps"));
    for _ in 0..6 {
        assert_eq!(call(&traps).await.unwrap_err().code(), "trap");
    }
    assert_eq!(watch.take().len(), 6);
}

#[tokio::test]
async fn nobody_watches_a_server() {
    let tiers = Tiers::load_in(&RUNTIME, &with(&hostile("log_spam"), |config| &mut config.preview), &place());
    let fields = [("body", "text")];
    tiers.preview().unwrap().compose(vec![record(&fields)], &row(), Memory::of(&fields)).await.unwrap();
    assert_eq!(tiers.status()[0].messages, 10_000);
}
