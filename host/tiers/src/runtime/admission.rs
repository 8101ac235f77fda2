//! What a component must be before anything is compiled.
//!
//! Compilation is the one step without a deadline, and a component that imports what no tier may have is refused by
//! name, so the outermost imports and exports are read from the file first.

use crate::fault::TierFault;
use wasmtime::wasmparser::{ComponentExternalKind, Parser, Payload};

pub(crate) const PACKAGE: &str = "stepwell:ladder/";

/// What was found out about a component that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// The version of the package that it exports its tier from.
    pub(crate) version: String,
    /// What it imports.
    pub(crate) imports: Vec<String>,
}

/// Admits a component that imports nothing but ours and exports `interface` in a version that we speak.
pub(crate) fn admit(bytes: &[u8], interface: &str) -> Result<Admitted, TierFault> {
    let (imports, exports) = outermost(bytes)?;
    if let Some(foreign) = imports.iter().find(|name| !name.starts_with(PACKAGE)) {
        return Err(wrong(&format!("it imports {foreign:?}; a tier may import {PACKAGE}* only")));
    }
    if let Some(other) = imports.iter().find(|name| !is_spoken(version_of(name))) {
        return Err(wrong(&format!("it imports {other:?}; this host speaks version 0.1")));
    }
    let wanted = format!("{PACKAGE}{interface}@");
    let Some(export) = exports.iter().find(|name| name.starts_with(&wanted)) else {
        let found = if exports.is_empty() { "nothing".to_owned() } else { format!("{exports:?}") };
        return Err(wrong(&format!("it exports {found}; this tier needs {wanted}0.1.0")));
    };
    if !is_spoken(version_of(export)) {
        return Err(wrong(&format!("it exports {export:?}; this host speaks version 0.1")));
    }
    Ok(Admitted { version: version_of(export).to_owned(), imports })
}

fn wrong(why: &str) -> TierFault {
    TierFault::WrongWorld(why.to_owned())
}

pub(crate) fn version_of(name: &str) -> &str {
    name.split_once('@').map_or("", |(_, version)| version)
}

/// Within 0.1 every version can be linked to ours.
fn is_spoken(version: &str) -> bool {
    version
        .strip_prefix("0.1.")
        .is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|b| b.is_ascii_digit()))
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
