//! Builds the default tiers.

#[path = "guests.rs"]
mod guests;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../..");
    let plugins = root.join("plugins");
    let tiers = ["preview", "field-window", "resources", "binary-export"];
    let mut watched: Vec<_> = tiers.iter().map(|name| plugins.join(name)).collect();
    watched.extend(["sdk", "Cargo.toml", "Cargo.lock"].map(|name| plugins.join(name)));
    watched.extend([root.join("wit"), "build.rs".into(), "guests.rs".into(), "inner_cargo.rs".into()]);
    guests::rerun_if_changed(&watched);
    let packages = tiers.map(|name| format!("--package=stepwell-tier-{name}"));
    let modules = tiers.map(|name| format!("stepwell_tier_{}", name.replace('-', "_")));
    let mut args = vec!["--release"];
    args.extend(packages.iter().map(String::as_str));
    guests::finish(guests::build(&guests::Guests {
        workspace: &plugins,
        target: guests::BARE,
        args: &args,
        folder: "release",
        modules: &modules.each_ref().map(String::as_str),
    }))
}
