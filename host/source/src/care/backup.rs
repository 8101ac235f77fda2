//! Backups: one SQLite file, whichever engine the store is on.
//!
//! A file is copied page by page, as of one moment, while others read and write it; a database is copied row by row. Both
//! are made beside their place and checked before they take it.

use crate::care::check::{Checked, check_session};
use crate::care::copy::{Share, copy_rows};
use crate::care::session::Session;
use crate::care::watch::Watch;
use crate::care::work::{Existing, Work, make_private};
use crate::error::Failure;
use crate::sqlite::{self, Missing, VERSION};
use crate::url::SourceUrl;
use rusqlite::Connection;
use rusqlite::backup::{Backup, Progress, StepResult};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// How many pages are copied before others get a turn.
const PAGES: i32 = 2_000;

/// What to wait when the file is locked, which in its mode is rare and short.
const PAUSE: Duration = Duration::from_millis(20);

/// Writes a backup of a store to a file. A store on SQLite is not upgraded by that, so one of an earlier version can be backed
/// up as it is; then nothing but its pages can be checked.
pub async fn backup(
    from: &SourceUrl,
    to: &Path,
    existing: Existing,
    watch: &mut dyn Watch,
) -> Result<Option<Checked>, Failure> {
    let place = SourceUrl::Sqlite(to.to_owned());
    if *from == place {
        return Err(Failure::Store("a backup cannot have the place of its store; name another file".into()));
    }
    let checked = match from {
        SourceUrl::Sqlite(path) => {
            let (source, version) = look(path).await?;
            let (path, mut source) = (path.clone(), source);
            // Earlier versions keep no entries beside the store.
            let source = blocking(move || {
                sqlite::pending::settle(&path, &mut source)?;
                Ok(source)
            })
            .await?;
            let work = Work::begin(&place, existing).await?;
            let partial = pages(source, &work, watch).await?;
            let checked = match version == VERSION {
                true => Some(check_file(&partial, watch).await?),
                false => None,
            };
            settle(&partial, "DELETE").await?;
            work.finish().await?;
            checked
        }
        SourceUrl::Postgres(_) => {
            let source = Session::open(from).await?;
            let work = Work::begin(&place, existing).await?;
            let copied = copy_rows(&source, &work, Share::Everything, watch).await?;
            if let Some(partial) = work.partial_file() {
                settle(&partial, "DELETE").await?;
            }
            work.finish().await?;
            Some(copied.checked)
        }
    };
    Ok(checked)
}

/// Makes a store from a backup. One of an earlier version is upgraded on the way; the backup stays as it is.
pub async fn restore(
    from: &Path,
    to: &SourceUrl,
    existing: Existing,
    watch: &mut dyn Watch,
) -> Result<Checked, Failure> {
    let (source, version) = look(from).await?;
    match to {
        SourceUrl::Sqlite(path) if path == from => {
            Err(Failure::Store("a backup cannot be restored to its own place; name another file".into()))
        }
        SourceUrl::Sqlite(_) => {
            let work = Work::begin(to, existing).await?;
            let partial = pages(source, &work, watch).await?;
            let checked = check_file(&partial, watch).await?;
            settle(&partial, "WAL").await?;
            work.finish().await?;
            Ok(checked)
        }
        SourceUrl::Postgres(_) if version < VERSION => Err(Failure::Store(format!(
            "the backup has schema version {version}, and this program speaks {VERSION}: restore it to a SQLite file, \
             which upgrades it, and copy that one with: stepwell store copy"
        ))),
        SourceUrl::Postgres(_) => {
            let work = Work::begin(to, existing).await?;
            let copied = copy_rows(&Session::of(source), &work, Share::Everything, watch).await?;
            work.finish().await?;
            Ok(copied.checked)
        }
    }
}

async fn look(path: &Path) -> Result<(Connection, i64), Failure> {
    let path = path.to_owned();
    blocking(move || match sqlite::look(&path)? {
        (_, 0) => Err(Failure::Store(format!("{} holds no store yet", path.display()))),
        found => Ok(found),
    })
    .await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Failure::Gone)?
}

/// Copies the pages of a file as they are at this moment.
async fn pages(source: Connection, work: &Work, watch: &mut dyn Watch) -> Result<PathBuf, Failure> {
    work.clear().await?;
    let partial = work.partial_file().ok_or(Failure::Gone)?;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let target = partial.clone();
    make_private(&partial)?;
    let copying = tokio::task::spawn_blocking(move || copy_pages(&source, &target, &tell));
    let mut done = None;
    while let Some(Progress { remaining, pagecount }) = told.recv().await {
        let (total, left) =
            (u64::try_from(pagecount).unwrap_or_default(), u64::try_from(remaining).unwrap_or_default());
        if done.is_none() {
            watch.stage("pages", total);
        }
        let copied = total.saturating_sub(left);
        watch.advance(copied.saturating_sub(done.unwrap_or_default()));
        done = Some(copied);
    }
    copying.await.map_err(|_| Failure::Gone)??;
    Ok(partial)
}

fn copy_pages(source: &Connection, target: &Path, tell: &UnboundedSender<Progress>) -> Result<(), Failure> {
    // A read that stays open holds the moment: without it every write of someone else would start the copy again.
    source.execute_batch("BEGIN; SELECT COUNT(*) FROM sqlite_schema")?;
    let mut target = Connection::open(target)?;
    let backup = Backup::new(source, &mut target)?;
    loop {
        match backup.step(PAGES)? {
            StepResult::Busy | StepResult::Locked => std::thread::sleep(PAUSE),
            StepResult::Done => return Ok(()),
            // Nobody listens any more only when the whole work is given up.
            _ if tell.send(backup.progress()).is_err() => return Err(Failure::Gone),
            _ => {}
        }
    }
}

async fn check_file(partial: &Path, watch: &mut dyn Watch) -> Result<Checked, Failure> {
    let session = Session::file(partial, Missing::Refuse).await?;
    let checked = check_session(&session, watch).await?;
    session.close().await?;
    Ok(checked)
}

/// Leaves one file and nothing beside it: without a log of its own for a backup, which may end up where nothing can be
/// written; with one for a store, so that readers and writers do not wait for each other.
async fn settle(partial: &Path, mode: &'static str) -> Result<(), Failure> {
    let partial = partial.to_owned();
    blocking(move || {
        let connection = Connection::open(&partial)?;
        let said: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
        if said != "ok" {
            return Err(Failure::Store(format!("the pages of the store are damaged: {said}")));
        }
        connection.pragma_update(None, "journal_mode", mode)?;
        connection.close().map_err(|(_, error)| error)?;
        // The pages of a backup are written without waiting for the disk.
        let synced = std::fs::File::open(&partial).and_then(|file| file.sync_all());
        synced.map_err(|error| Failure::Store(format!("cannot write {}: {error}", partial.display())))
    })
    .await
}
