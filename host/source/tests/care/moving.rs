//! Copies, backups and what is restored from them are the store that they came from.

use super::shelf::{Heard, assert_sound, fill, fill_with_sample, rich, url};
use crate::on_both_engines;
use crate::world::{World, line, stream};
use serde_json::json;
use std::path::{Path, PathBuf};
use stepwell_contract::ConnectionId;
use stepwell_source::care::{self, Existing, Quiet, Share};
use stepwell_source::grant::{PackageRequest, StreamRequest};
use stepwell_source::ledger::{Disclosure, LedgerFilter};
use stepwell_source::query::SearchQuery;
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, Source as _, SourceUrl, Token};
use stepwell_testkit::Postgres;
use tempfile::TempDir;

on_both_engines!(
    a_copy_on_sqlite_is_the_store,
    a_copy_on_postgres_is_the_store,
    a_copy_of_records_alone_lets_nobody_in,
    a_copy_never_replaces_a_store_unasked,
    a_copy_that_was_interrupted_goes_on,
    a_copy_of_a_source_that_changed_meanwhile_is_begun_anew,
    a_backup_is_one_file_and_comes_back_on_both_engines,
    a_backup_of_a_store_that_is_being_written_is_sound,
);

/// A place where there is no store yet.
fn new_file(dir: &TempDir) -> SourceUrl {
    SourceUrl::Sqlite(dir.path().join("copy.db"))
}

fn new_database() -> SourceUrl {
    SourceUrl::Postgres(Postgres::shared().fresh_database())
}

async fn open(url: &SourceUrl) -> Embedded {
    url.open(Missing::Refuse).await.unwrap()
}

async fn copy(from: &SourceUrl, to: &SourceUrl) -> care::Copied {
    care::copy(from, to, Share::Everything, Existing::Keep, &mut Quiet).await.unwrap()
}

/// A token of the store that reads everything: that of a package with a grant for each connection.
async fn token(store: &Embedded) -> Token {
    let mut grants = Vec::new();
    for connection in ["home", "work"] {
        let connections = vec![ConnectionId::new(connection).unwrap()];
        let notes = StreamRequest { connections, ..stream("notes") };
        let (grant, _token) = store.create_grant(&crate::world::request(vec![notes])).await.unwrap();
        grants.push(grant.grant_id);
    }
    let wanted = PackageRequest { client: "a client".into(), expires_at: None, grants };
    store.create_package(&wanted).await.unwrap().1
}

/// All that a store says of its notes, its grants and its ledger.
async fn told(store: &Embedded, token: &Token) -> String {
    let caller = store.authenticate(token).await.unwrap();
    let mut told = Vec::new();
    for id in ["home/notes:r1", "home/notes:r2", "home/notes:empty", "work/notes:w1"] {
        let id = crate::world::record(id);
        let view = store.record(&caller, &id, None).await.unwrap();
        for field in &view.fields {
            let path = stepwell_contract::FieldPath::top_level(&field.name);
            let field = store.field(&caller, &id, &path).await.unwrap();
            let text = store.text(&caller, &field, field.whole()).await.unwrap_or_default();
            told.push(format!("{:?} {text:?}", field.shape));
        }
        told.push(format!("{view:?}"));
    }
    let query = SearchQuery {
        q: "word7 of".to_owned(),
        streams: Vec::new(),
        conditions: Vec::new(),
        connection: None,
        limit: 10,
        cursor: None,
    };
    told.push(format!("{:?}", store.search(&caller, &query).await.unwrap()));
    told.push(format!("{:?}", store.grants().await.unwrap()));
    let (packages, tokens) = (store.packages().await.unwrap(), store.tokens().await.unwrap());
    assert_eq!(
        (packages.len(), tokens.len()),
        (2, 5),
        "the one that it is filled with, and that of the reader"
    );
    told.push(format!("{packages:?} {tokens:?}"));
    told.push(format!("{:?}", store.ledger_page(&LedgerFilter::default(), None, 100).await.unwrap()));
    told.join("\n")
}

/// Fills a store and gives a token and what it says.
async fn prepared(world: &World) -> (Token, String) {
    fill(world).await;
    let token = token(&world.store).await;
    let caller = world.store.authenticate(&token).await.unwrap();
    world.store.disclose(&caller, "fetch", &[Disclosure::default(), Disclosure::default()]).await.unwrap();
    let told = told(&world.store, &token).await;
    (token, told)
}

/// Whoever goes on with the copy can write to it as to the original.
async fn assert_goes_on(to: &SourceUrl) {
    let world = World::at(to).await;
    world.fill("home/notes", None, &[line("new", &rich(9)), line("r1", &rich(8))]).await;
    let caller = world.grant(vec![stream("notes")]).await;
    world.store.disclose(&caller, "fetch", &[Disclosure::default()]).await.unwrap();
    world.store.rotate_sealing_key().await.unwrap();
    assert_eq!(assert_sound(to).await.records, 5);
}

async fn is_the_store(world: World, to: SourceUrl) {
    let (token, said) = prepared(&world).await;
    let copied = copy(&url(&world), &to).await;
    assert_eq!((copied.resumed, copied.checked.problems), (0, 0));
    assert_eq!(copied.checked, assert_sound(&url(&world)).await);
    assert_eq!(told(&open(&to).await, &token).await, said);
    assert_goes_on(&to).await;
}

async fn a_copy_on_sqlite_is_the_store(world: World) {
    let dir = tempfile::tempdir().unwrap();
    is_the_store(world, new_file(&dir)).await;
    let mut left: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    // Somebody read the copy, so it has the file in which entries of the ledger wait.
    assert_eq!(left, ["copy.db", "copy.db-pending"], "nothing is left beside it");
}

async fn a_copy_on_postgres_is_the_store(world: World) {
    is_the_store(world, new_database()).await;
}

async fn a_copy_of_records_alone_lets_nobody_in(world: World) {
    let (token, _) = prepared(&world).await;
    let dir = tempfile::tempdir().unwrap();
    for to in [new_file(&dir), new_database()] {
        care::copy(&url(&world), &to, Share::Records, Existing::Keep, &mut Quiet).await.unwrap();
        let copy = open(&to).await;
        assert!(copy.authenticate(&token).await.is_err());
        assert!(copy.grants().await.unwrap().is_empty());
        assert!(copy.ledger_page(&LedgerFilter::default(), None, 9).await.unwrap().is_empty());
        assert_eq!(assert_sound(&to).await.records, 4);
        assert_goes_on(&to).await;
    }
}

async fn a_copy_never_replaces_a_store_unasked(world: World) {
    fill(&world).await;
    let dir = tempfile::tempdir().unwrap();
    for to in [new_file(&dir), new_database()] {
        let other = World::at(&to).await;
        other.fill("other/notes", None, &[line("o", &json!({ "title": "other" }))]).await;
        drop(other);
        let refused =
            care::copy(&url(&world), &to, Share::Everything, Existing::Keep, &mut Quiet).await.unwrap_err();
        assert!(refused.to_string().contains("holds a store already"), "{refused}");
        assert_eq!(assert_sound(&to).await.records, 1);
        care::copy(&url(&world), &to, Share::Everything, Existing::Replace, &mut Quiet).await.unwrap();
        assert_eq!(assert_sound(&to).await.records, 4);
    }
    let itself =
        care::copy(&url(&world), &url(&world), Share::Everything, Existing::Replace, &mut Quiet).await;
    assert!(itself.unwrap_err().to_string().contains("its own place"));
    // What is no store is never replaced.
    let notes = dir.path().join("notes.txt");
    std::fs::write(&notes, "no store ".repeat(100)).unwrap();
    let to = SourceUrl::Sqlite(notes.clone());
    for existing in [Existing::Keep, Existing::Replace] {
        let refused =
            care::copy(&url(&world), &to, Share::Everything, existing, &mut Quiet).await.unwrap_err();
        assert!(refused.to_string().contains("is not a Stepwell store"), "{refused}");
    }
    assert!(std::fs::read_to_string(notes).unwrap().starts_with("no store"));
}

/// Gives up when a table is begun, as a kill would.
struct UntilStage(&'static str);

impl care::Watch for UntilStage {
    fn stage(&mut self, name: &'static str, _: u64) {
        assert_ne!(name, self.0, "enough");
    }
    fn advance(&mut self, _: u64) {}
    fn problem(&mut self, _: care::Problem) {}
}

/// Copies until a table is begun, and is gone.
async fn interrupted(from: &SourceUrl, to: &SourceUrl, stage: &'static str) {
    let (from, to) = (from.clone(), to.clone());
    let work = async move {
        care::copy(&from, &to, Share::Everything, Existing::Keep, &mut UntilStage(stage)).await
    };
    assert!(tokio::spawn(work).await.unwrap_err().is_panic());
}

async fn a_copy_that_was_interrupted_goes_on(world: World) {
    let (token, said) = prepared(&world).await;
    let dir = tempfile::tempdir().unwrap();
    for to in [new_file(&dir), new_database()] {
        for stage in ["record", "seg", "blob_part", "unit", "disclosure", "comparing", "blobs"] {
            interrupted(&url(&world), &to, stage).await;
            if let SourceUrl::Sqlite(path) = &to {
                assert!(!path.exists(), "half a copy is no store");
            }
        }
        // What comes while nobody copies comes along.
        let caller = world.store.authenticate(&token).await.unwrap();
        let before = said.lines().count();
        let copied = copy(&url(&world), &to).await;
        assert!(copied.resumed > 100 && copied.rows > copied.resumed, "{copied:?}");
        assert_eq!(told(&open(&to).await, &token).await.lines().count(), before);
        assert_eq!(told(&open(&to).await, &token).await, told(&world.store, &token).await);
        world.store.disclose(&caller, "fetch", &[Disclosure::default()]).await.unwrap();
        assert_goes_on(&to).await;
    }
}

async fn a_copy_of_a_source_that_changed_meanwhile_is_begun_anew(world: World) {
    fill(&world).await;
    let dir = tempfile::tempdir().unwrap();
    for (round, to) in [new_file(&dir), new_database()].into_iter().enumerate() {
        interrupted(&url(&world), &to, "unit").await;
        world.fill("home/notes", None, &[line("r1", &rich(20 + round as u64))]).await;
        let copied = copy(&url(&world), &to).await;
        assert_eq!(copied.resumed, 0);
        assert_eq!(assert_sound(&to).await, assert_sound(&url(&world)).await);
    }
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn backup_file(dir: &TempDir) -> PathBuf {
    dir.path().join("backup.sqlite")
}

async fn a_backup_is_one_file_and_comes_back_on_both_engines(world: World) {
    let (token, said) = prepared(&world).await;
    let (kept, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = backup_file(&kept);
    let mut heard = Heard::default();
    let checked = care::backup(&url(&world), &file, Existing::Keep, &mut heard).await.unwrap().unwrap();
    assert_eq!((checked.records, checked.problems), (4, 0));
    assert!(heard.steps > 0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o077,
            0,
            "it is the owner's alone"
        );
    }
    assert_eq!(files(kept.path()), ["backup.sqlite"]);
    let bytes = std::fs::read(&file).unwrap();
    assert_eq!(bytes[18..20], [1, 1], "it needs no log, so it can be read where nothing can be written");
    let refused = care::backup(&url(&world), &file, Existing::Keep, &mut Quiet).await.unwrap_err();
    assert!(refused.to_string().contains("--force"), "{refused}");
    for to in [new_file(&fresh), new_database()] {
        let checked = care::restore(&file, &to, Existing::Keep, &mut Quiet).await.unwrap();
        assert_eq!((checked.records, checked.problems), (4, 0));
        assert_eq!(told(&open(&to).await, &token).await, said);
        let refused = care::restore(&file, &to, Existing::Keep, &mut Quiet).await.unwrap_err();
        assert!(refused.to_string().contains("--force"), "{refused}");
        assert_goes_on(&to).await;
        care::restore(&file, &to, Existing::Replace, &mut Quiet).await.unwrap();
        assert_eq!(told(&open(&to).await, &token).await, said);
    }
    assert_eq!(std::fs::read(&file).unwrap(), bytes, "a backup stays as it is");
    assert_eq!(files(kept.path()), ["backup.sqlite"]);
    care::backup(&url(&world), &file, Existing::Replace, &mut Quiet).await.unwrap();
    assert_eq!(files(kept.path()), ["backup.sqlite"]);
}

async fn a_backup_of_a_store_that_is_being_written_is_sound(world: World) {
    fill_with_sample(&world).await;
    let dir = tempfile::tempdir().unwrap();
    let (address, file) = (url(&world), backup_file(&dir));
    let writing = async {
        for round in 0..12 {
            let lines: Vec<String> =
                (0..4).map(|key| line(&format!("r{key}"), &rich(round * 4 + key))).collect();
            world.fill("home/notes", None, &lines).await;
        }
    };
    let backing_up = async {
        for _ in 0..3 {
            let checked = care::backup(&address, &file, Existing::Replace, &mut Quiet).await.unwrap();
            assert_eq!(checked.map(|checked| checked.problems), Some(0));
        }
    };
    tokio::join!(writing, backing_up);
    assert_sound(&SourceUrl::Sqlite(file)).await;
}
