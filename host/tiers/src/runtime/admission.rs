//! What a component must be before anything is compiled.
//!
//! Compilation is the one step without a deadline, and a component that imports what no tier may have is refused by
//! name, so the outermost imports and exports are read from the file first.

use super::inert::is_inert;
use crate::config::Wasi;
use crate::fault::TierFault;
use wasmtime::wasmparser::{ComponentExternalKind, Parser, Payload};

pub(crate) const PACKAGE: &str = "stepwell:ladder/";

/// The versions of the package that have something to import, without their last number.
const IMPORTABLE: &[&str] = &["0.1", "0.2"];

/// What a tier must export.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The interface.
    pub(crate) interface: &'static str,
    /// The versions of it that are spoken, the newest first.
    pub(crate) versions: &'static [&'static str],
}

/// What was found out about a component that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// The version of the package that it exports its tier from.
    pub(crate) version: String,
    /// The spoken version that this is one of.
    pub(crate) spoken: &'static str,
    /// What it imports.
    pub(crate) imports: Vec<String>,
}

/// Admits a component that imports nothing but ours, and what is inert where the operator says so, and exports what is
/// wanted in a version that we speak. It is the export that decides about the version; of several the newest counts.
pub(crate) fn admit(bytes: &[u8], wanted: Wanted, wasi: Wasi) -> Result<Admitted, TierFault> {
    let (imports, exports) = outermost(bytes)?;
    // What no setting admits is named first: a setting would not help.
    let (ours, foreign): (Vec<&String>, Vec<&String>) =
        imports.iter().partition(|name| name.starts_with(PACKAGE));
    let never: Vec<_> = foreign.iter().filter(|name| !is_inert(name)).copied().collect();
    if !never.is_empty() {
        return Err(wrong(&format!("it imports {}; a tier may import {PACKAGE}* only", listed(&never))));
    }
    if !foreign.is_empty() && wasi == Wasi::None {
        return Err(wrong(&format!(
            "it imports {}; build it without WASI, or write wasi = \"inert\" to give it empty versions",
            listed(&foreign)
        )));
    }
    if let Some(other) = ours.iter().find(|name| spoken(IMPORTABLE, version_of(name)).is_none()) {
        return Err(wrong(&format!("it imports {other:?}; this host speaks {}", words(IMPORTABLE))));
    }
    let (name, newest) = (format!("{PACKAGE}{}@", wanted.interface), wanted.versions[0]);
    let own: Vec<&String> = exports.iter().filter(|export| export.starts_with(&name)).collect();
    let Some(first) = own.first() else {
        let found = if exports.is_empty() { "nothing".to_owned() } else { format!("{exports:?}") };
        return Err(wrong(&format!("it exports {found}; this tier needs {name}{newest}.0")));
    };
    for version in wanted.versions {
        let of_version = |export: &&&String| spoken(&[version], version_of(export)).is_some();
        if let Some(export) = own.iter().find(of_version) {
            let version_found = version_of(export).to_owned();
            return Ok(Admitted { version: version_found, spoken: version, imports });
        }
    }
    Err(wrong(&format!("it exports {first:?}; this host speaks {}", words(wanted.versions))))
}

fn words(versions: &[&str]) -> String {
    format!("version {}", versions.join(" and "))
}

fn wrong(why: &str) -> TierFault {
    TierFault::WrongWorld(why.to_owned())
}

fn listed(names: &[&String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}

pub(crate) fn version_of(name: &str) -> &str {
    name.split_once('@').map_or("", |(_, version)| version)
}

/// Finds the version that another one can be linked to: only the last number may differ.
fn spoken(versions: &[&'static str], version: &str) -> Option<&'static str> {
    let (minor, patch) = version.rsplit_once('.')?;
    let is_number = !patch.is_empty() && patch.bytes().all(|b| b.is_ascii_digit());
    versions.iter().copied().find(|known| *known == minor && is_number)
}

/// Lists what the outermost component imports and exports.
pub(crate) fn outermost(bytes: &[u8]) -> Result<(Vec<String>, Vec<String>), TierFault> {
    if Parser::is_core_wasm(bytes) {
        return Err(wrong("it is a core module, not a component; wrap it with \"stepwell plugin build\""));
    }
    if !Parser::is_component(bytes) {
        return Err(wrong("it is no WebAssembly component"));
    }
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(broken)? {
            // Each starts with a header of its own, so depth is counted by headers and ends.
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    imports.push(import.map_err(broken)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 1 => {
                for export in section {
                    let export = export.map_err(broken)?;
                    if export.kind == ComponentExternalKind::Instance {
                        exports.push(export.name.name.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    Ok((imports, exports))
}

/// The parser's message names offsets and opcodes, nothing of the content.
fn broken(error: wasmtime::wasmparser::BinaryReaderError) -> TierFault {
    TierFault::Compile(error.to_string())
}
