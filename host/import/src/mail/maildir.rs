//! `maildir`: one file a message, in folders with `cur` and `new`.

use super::{Envelope, Post};
use crate::error::ImportError;
use crate::extract::Extractor;
use crate::input;
use crate::intake::{Intake, Stopped};
use crate::kind::Kind;
use crate::limits::{FOLDER_DEPTH, MESSAGE_MAX};
use crate::moment;
use crate::skip::{Place, Reason};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where messages lie, and where they lie while they are written.
const PLACES: [&str; 3] = ["cur", "new", "tmp"];

pub(crate) fn import(
    paths: &[PathBuf],
    extractor: Option<&Extractor>,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut post = Post::new(extractor, intake)?;
    for root in paths {
        let mut folders = Vec::new();
        find(root, 0, &mut folders).map_err(ImportError::io(root))?;
        if folders.is_empty() {
            return Err(ImportError::not(
                Kind::Maildir,
                root,
                "neither it nor a folder in it has cur or new",
            ));
        }
        for folder in folders {
            mailbox(root, &folder, &mut post)?;
        }
    }
    Ok(())
}

/// Finds the folders that hold messages, in the order of their names. Their names begin with a dot where they lie beside
/// `cur`, so hidden ones count.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if ["cur", "new"].iter().any(|place| folder.join(place).is_dir()) {
        found.push(folder.to_owned());
    }
    let mut inside = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && !PLACES.iter().any(|place| entry.file_name() == *place) {
            inside.push(entry.path());
        }
    }
    inside.sort_unstable();
    if depth < FOLDER_DEPTH {
        inside.iter().try_for_each(|folder| find(folder, depth + 1, found))?;
    }
    Ok(())
}

fn mailbox(root: &Path, folder: &Path, post: &mut Post<'_, '_>) -> Result<(), ImportError> {
    let label = label(root, folder);
    for place in ["cur", "new"] {
        let Ok(entries) = std::fs::read_dir(folder.join(place)) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort_unstable();
        for file in files.iter().filter(|file| !input::name(file).starts_with('.')) {
            let place = Place::file(&Arc::from(format!("{label}/{}", input::name(file))));
            message(file, &label, place, post)?;
        }
    }
    Ok(())
}

fn message(file: &Path, label: &str, place: Place, post: &mut Post<'_, '_>) -> Result<(), Stopped> {
    let Ok(data) = file.symlink_metadata() else {
        return post.intake.skip(place, Reason::Unreadable, "it is gone");
    };
    if data.is_symlink() {
        return post.intake.skip(place, Reason::Link, "links are not followed");
    }
    if !data.is_file() {
        return Ok(());
    }
    let raw = match input::read(file, MESSAGE_MAX as u64) {
        Ok(Some(raw)) => raw,
        Ok(None) => {
            return post.intake.skip(place, Reason::TooLarge, format!("longer than {MESSAGE_MAX} bytes"));
        }
        Err(error) => return post.intake.skip(place, Reason::Unreadable, error.to_string()),
    };
    let name = input::name(file);
    let flags = name.rsplit_once("2,").map(|(_, flags)| flags);
    let envelope = Envelope {
        folder: label.to_owned(),
        // A name begins with the second in which the message was delivered.
        arrived: name.split('.').next().and_then(|second| moment::seconds(second.parse().ok()?)),
        is_read: Some(flags.is_some_and(|flags| flags.contains('S'))),
        is_starred: Some(flags.is_some_and(|flags| flags.contains('F'))),
    };
    post.deliver(&raw, &envelope, place)?;
    post.intake.advance(raw.len() as u64);
    Ok(())
}

/// What people call the folder: `.Archive.2026` of a Maildir++ is `Archive/2026`, and the root is the inbox.
fn label(root: &Path, folder: &Path) -> String {
    let inside = folder.strip_prefix(root).unwrap_or(folder).to_string_lossy();
    match inside.trim_start_matches('.') {
        "" => "INBOX".to_owned(),
        name if inside.starts_with('.') => name.replace('.', "/"),
        name => name.to_owned(),
    }
}
