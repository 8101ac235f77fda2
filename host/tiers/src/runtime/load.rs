//! From a file to a component that is ready to run.

use super::{Admitted, Cache, State, inert};
use crate::config::{Limits, TierConfig, Wasi};
use crate::fault::TierFault;
use crate::limits;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre, Linker};

/// A component that is ready to run.
pub(crate) struct Loaded {
    pub(crate) instance: InstancePre<State>,
    pub(crate) admitted: Admitted,
    /// Whether its machine code came from the cache.
    pub(crate) was_cached: bool,
}

/// Compiles (or finds compiled) and links a component that was admitted. Its digest was checked before.
pub(crate) fn load(
    engine: &Engine,
    cache: Option<&Cache>,
    bytes: &[u8],
    digest: &str,
    admitted: Admitted,
    config: &TierConfig,
    link: fn(&mut Linker<State>) -> wasmtime::Result<()>,
) -> Result<Loaded, TierFault> {
    let cached = cache.and_then(|cache| cache.get(engine, digest));
    let was_cached = cached.is_some();
    let component = match cached {
        Some(component) => component,
        None => compile(engine, cache, bytes, digest)?,
    };
    check_needs(&component, config.limits)?;
    let mut linker = Linker::new(engine);
    let linked = link(&mut linker).and_then(|()| match config.wasi {
        Wasi::None => Ok(()),
        Wasi::Inert => inert::link(&mut linker),
    });
    linked.map_err(|error| TierFault::Compile(format!("{error:#}")))?;
    // What fails here is a type that differs from ours, which the names alone did not show.
    let instance =
        linker.instantiate_pre(&component).map_err(|error| TierFault::WrongWorld(format!("{error:#}")))?;
    Ok(Loaded { instance, admitted, was_cached })
}

fn compile(
    engine: &Engine,
    cache: Option<&Cache>,
    bytes: &[u8],
    digest: &str,
) -> Result<Component, TierFault> {
    // What a component holds is anybody's. Should it find a mistake in the compiler, one tier is broken and not the host.
    let compiled = catch_unwind(AssertUnwindSafe(|| Component::from_binary(engine, bytes)));
    let component = match compiled {
        Ok(component) => component.map_err(|error| TierFault::Compile(format!("{error:#}")))?,
        Err(_) => return Err(TierFault::Compile("the compiler gave up".to_owned())),
    };
    if let Some(cache) = cache {
        cache.put(&component, digest);
    }
    Ok(component)
}

/// Refuses a component that could never be instantiated within its limits.
fn check_needs(component: &Component, limits: Limits) -> Result<(), TierFault> {
    const PAGE: u64 = 65_536;
    let Some(needs) = component.resources_required() else { return Err(TierFault::Instantiate) };
    let memory = needs.max_initial_memory_size.unwrap_or(0).saturating_mul(PAGE);
    if memory > u64::from(limits.memory_mb) * 1024 * 1024 {
        return Err(TierFault::Instantiate);
    }
    if needs.num_memories > limits::MEMORIES
        || needs.max_initial_table_size.unwrap_or(0) > limits::TABLE_ELEMENTS as u64
    {
        return Err(TierFault::Instantiate);
    }
    Ok(())
}

/// Reads a tier's file, but not more than `cap` bytes.
pub(crate) fn read_file(path: &Path, cap: u64) -> Result<Vec<u8>, TierFault> {
    let missing = |error: std::io::Error| TierFault::Missing {
        file: path.display().to_string(),
        reason: error.kind().to_string(),
    };
    let file = File::open(path).map_err(missing)?;
    let size = file.metadata().map_err(missing)?.len();
    if size > cap {
        return Err(TierFault::TooLarge { bytes: size, cap });
    }
    let mut bytes = Vec::new();
    // A pipe or a growing file has no honest size.
    file.take(cap + 1).read_to_end(&mut bytes).map_err(missing)?;
    if bytes.len() as u64 > cap {
        return Err(TierFault::TooLarge { bytes: bytes.len() as u64, cap });
    }
    Ok(bytes)
}

/// The SHA-256 of some bytes, in hex.
pub(crate) fn hex_digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
