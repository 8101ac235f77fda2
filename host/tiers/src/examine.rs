//! What a component's file says about itself, before any of it is compiled.

use crate::fault::TierFault;
use crate::limits;
use crate::runtime::{PACKAGE, hex_digest, outermost, read_file, version_of};
use std::path::Path;

/// The interface that the component of each tier exports.
const INTERFACES: [(&str, &str); 5] = [
    ("preview", "previewer"),
    ("field-window", "windower"),
    ("resources", "librarian"),
    ("binary-export", "exporter"),
    ("tool", "toolbox"),
];

/// What a component's file says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// The file's size.
    pub bytes: u64,
    /// The file's SHA-256, in hex.
    pub sha256: String,
    /// What it imports, in the words of the file: they may be anybody's.
    pub imports: Vec<String>,
    /// The interfaces that it exports, likewise.
    pub exports: Vec<String>,
    /// The tier that it is for, by its name in plugins.toml, if it exports what one has to.
    pub tier: Option<&'static str>,
    /// The version of `stepwell:ladder` that it exports its tier from.
    pub wit: Option<String>,
}

/// Reads a component's file. It is judged by whoever loads it.
pub fn examine(file: &Path) -> Result<Examined, TierFault> {
    let bytes = read_file(file, limits::COMPONENT_BYTES)?;
    let (imports, exports) = outermost(&bytes)?;
    let found = INTERFACES.iter().find_map(|(tier, interface)| {
        let wanted = format!("{PACKAGE}{interface}@");
        exports.iter().find(|name| name.starts_with(&wanted)).map(|export| (*tier, version_of(export)))
    });
    Ok(Examined {
        bytes: bytes.len() as u64,
        sha256: hex_digest(&bytes),
        tier: found.map(|(tier, _)| tier),
        wit: found.map(|(_, version)| version.to_owned()),
        imports,
        exports,
    })
}
