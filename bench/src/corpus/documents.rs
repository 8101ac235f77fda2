//! The documents of the Linux kernel, as the package `linux-doc` has them.

use super::library::Document;
use super::package;
use std::fs;
use std::path::Path;

const PACKAGE: &str = "linux-doc";

/// The shortest document that is long, in bytes: the store keeps it in chunks.
const LONG: usize = 8_192;

/// Gets so many long documents, or says why not.
pub(super) fn documents(count: usize) -> Result<Vec<Document>, String> {
    let package = package::stands_for(PACKAGE)?;
    let folder = package::files(&package, &format!("usr/share/doc/{package}/Documentation"))?;
    let mut documents = Vec::new();
    collect(&folder, &mut documents).map_err(|error| format!("{}: {error}", folder.display()))?;
    // In an order of their own, and not in that of the file system.
    documents.sort_by(|one, two| one.path.cmp(&two.path));
    documents.truncate(count);
    Ok(documents)
}

fn collect(folder: &Path, documents: &mut Vec<Document>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            collect(&path, documents)?;
        } else if path.extension().is_some_and(|extension| extension == "rst" || extension == "txt") {
            let text = String::from_utf8_lossy(&fs::read(&path)?).replace('\0', "");
            if text.len() >= LONG {
                documents.push(Document { path: path.display().to_string(), text });
            }
        }
    }
    Ok(())
}
