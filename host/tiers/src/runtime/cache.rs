//! Compiled components on disk, so that a start costs a millisecond instead of a hundred.
//!
//! A compiled component is machine code. So the folder belongs to this user alone, every file is written by this
//! program alone, carries a digest, and is named after the component and the engine's settings. Whatever does not fit
//! is compiled again.

use super::hex_digest;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use wasmtime::Engine;
use wasmtime::component::Component;

/// A private folder of compiled components.
#[derive(Debug)]
pub(crate) struct Cache {
    dir: PathBuf,
    engine: String,
}

impl Cache {
    /// Opens the folder, making it if need be. One that others could write to is refused.
    pub(crate) fn open(dir: &Path, engine: &Engine) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(dir)?;
        let dir = dir.canonicalize()?;
        if !is_private(&dir, 0o077)? {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the folder is open to other users; delete it, or make it private with chmod 700",
            ));
        }
        let mut hasher = Sha256Hasher(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut hasher);
        let key = hex_of(&hasher.0.finalize()[..8]);
        Ok(Self { dir, engine: key })
    }

    fn code(&self, digest: &str) -> PathBuf {
        self.dir.join(format!("{digest}-{}.cwasm", self.engine))
    }

    /// Finds a compiled component. Anything odd about the file means that there is none.
    pub(crate) fn get(&self, engine: &Engine, digest: &str) -> Option<Component> {
        let code = self.code(digest);
        let expected = fs::read_to_string(code.with_extension("sha256")).ok()?;
        if !is_private(&code, 0o022).ok()? || hex_digest(&fs::read(&code).ok()?) != expected {
            return None;
        }
        load(engine, &code)
    }

    /// Keeps a compiled component. A full disk is no reason to fail: the next start compiles again.
    pub(crate) fn put(&self, component: &Component, digest: &str) {
        let code = self.code(digest);
        let kept = component.serialize().map_err(io::Error::other).and_then(|bytes| {
            // The digest goes first: code without its digest is never loaded.
            self.write(&code.with_extension("sha256"), hex_digest(&bytes).as_bytes())?;
            self.write(&code, &bytes)
        });
        if let Err(error) = kept {
            tracing::warn!("a compiled tier was not kept, the next start compiles it again: {error}");
        }
    }
}

impl Cache {
    /// Writes a file that appears whole or not at all, also when several processes start at once.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let draft = self.draft(bytes)?;
        fs::rename(&draft, path).inspect_err(|_| drop(fs::remove_file(&draft)))
    }

    /// Writes bytes to a new file that has no name yet.
    pub(crate) fn draft(&self, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.dir.join(format!("{}-{}.draft", std::process::id(), DRAFTS.fetch_add(1, Relaxed)));
        write_new(&path, bytes).inspect_err(|_| drop(fs::remove_file(&path)))?;
        Ok(path)
    }

    /// Gives a draft its name, in the place of what had it before.
    pub(crate) fn keep(&self, draft: &Path, name: &str) -> io::Result<PathBuf> {
        let path = self.dir.join(name);
        fs::rename(draft, &path).inspect_err(|_| drop(fs::remove_file(draft)))?;
        Ok(path)
    }
}

/// Tells the drafts of this process apart.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

#[allow(unsafe_code)]
fn load(engine: &Engine, code: &Path) -> Option<Component> {
    // SAFETY: the file is machine code, so it must be one that `Component::serialize` wrote and nobody changed since.
    // It lies in a folder that only this user can enter, belongs to this user, is writable by nobody else, has the
    // digest that was written with it, and is replaced by renaming only, so that the mapping never changes. wasmtime
    // itself refuses a file of another version or of other engine settings.
    unsafe { Component::deserialize_file(engine, code) }.ok()
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}

/// Whether a file or folder is this user's own, no link, and closed to others for what `mask` says.
#[cfg(unix)]
fn is_private(path: &Path, mask: u32) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::symlink_metadata(path)?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    Ok(is_own && !found.file_type().is_symlink() && found.mode() & mask == 0)
}

/// Elsewhere a user's own folders are private by default.
#[cfg(not(unix))]
fn is_private(path: &Path, _mask: u32) -> io::Result<bool> {
    Ok(!fs::symlink_metadata(path)?.file_type().is_symlink())
}

/// Hashes what the engine says about itself with an algorithm that stays the same.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }
}

fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Engine {
        Engine::default()
    }

    fn component(engine: &Engine) -> Component {
        // The smallest component: a header and nothing else.
        Component::from_binary(engine, b"\0asm\x0d\0\x01\0").unwrap()
    }

    #[test]
    fn what_is_kept_is_found_again_by_the_same_engine_only() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let cache = Cache::open(&dir.path().join("a/b"), &engine).unwrap();
        assert!(cache.get(&engine, "d1").is_none());
        cache.put(&component(&engine), "d1");
        assert!(cache.get(&engine, "d1").is_some());
        assert!(cache.get(&engine, "d2").is_none());
        let other = Engine::new(wasmtime::Config::new().epoch_interruption(true)).unwrap();
        let elsewhere = Cache::open(&dir.path().join("a/b"), &other).unwrap();
        assert!(elsewhere.get(&other, "d1").is_none());
        // Even under the right name a file of another engine is refused.
        fs::copy(cache.code("d1"), elsewhere.code("d1")).unwrap();
        fs::copy(cache.code("d1").with_extension("sha256"), elsewhere.code("d1").with_extension("sha256"))
            .unwrap();
        assert!(elsewhere.get(&other, "d1").is_none());
    }

    #[test]
    fn a_damaged_or_foreign_file_is_not_loaded() {
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let cache = Cache::open(&dir.path().join("c"), &engine).unwrap();
        cache.put(&component(&engine), "d");
        let code = cache.code("d");
        let good = fs::read(&code).unwrap();
        for damage in [good[..good.len() / 2].to_vec(), Vec::new(), {
            let mut flipped = good.clone();
            let middle = flipped.len() / 2;
            flipped[middle] ^= 1;
            flipped
        }] {
            fs::write(&code, damage).unwrap();
            assert!(cache.get(&engine, "d").is_none());
        }
        fs::write(&code, &good).unwrap();
        assert!(cache.get(&engine, "d").is_some());
        fs::remove_file(code.with_extension("sha256")).unwrap();
        assert!(cache.get(&engine, "d").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_or_file_that_others_can_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let (dir, engine) = (tempfile::tempdir().unwrap(), engine());
        let open = dir.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Cache::open(&open, &engine).is_err());
        let cache = Cache::open(&dir.path().join("c"), &engine).unwrap();
        cache.put(&component(&engine), "d");
        fs::set_permissions(cache.code("d"), fs::Permissions::from_mode(0o622)).unwrap();
        assert!(cache.get(&engine, "d").is_none());
    }
}
