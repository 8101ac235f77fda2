//! The files of a new project. They are part of the program, so that a project can be made and built without this
//! repository: templates, the contract, and the SDK as it is.

use super::Language;

type Files = &'static [(&'static str, &'static str)];

/// Reads files of this repository, each under the path that it has in a new project.
macro_rules! files {
    ($($from:literal => $to:literal),* $(,)?) => {
        &[$(($to, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $from)))),*]
    };
}

const RUST: Files = files! {
    "templates/rust/Cargo.toml" => "Cargo.toml",
    "templates/rust/gitignore" => ".gitignore",
    "templates/rust/README.md" => "README.md",
    "templates/rust/src/lib.rs" => "src/lib.rs",
    "templates/rust/sdk.toml" => "vendor/stepwell-sdk/Cargo.toml",
    "../../LICENSE" => "vendor/stepwell-sdk/LICENSE",
    // The versions that the default tiers are built with; cargo leaves out what a project does not use.
    "../../plugins/Cargo.lock" => "Cargo.lock",
};

const SDK: Files = files! {
    "../../plugins/sdk/src/arena.rs" => "vendor/stepwell-sdk/src/arena.rs",
    "../../plugins/sdk/src/bindings.rs" => "vendor/stepwell-sdk/src/bindings.rs",
    "../../plugins/sdk/src/export.rs" => "vendor/stepwell-sdk/src/export.rs",
    "../../plugins/sdk/src/lib.rs" => "vendor/stepwell-sdk/src/lib.rs",
    "../../plugins/sdk/src/reader.rs" => "vendor/stepwell-sdk/src/reader.rs",
    "../../plugins/sdk/src/record.rs" => "vendor/stepwell-sdk/src/record.rs",
    "../../plugins/sdk/src/testing.rs" => "vendor/stepwell-sdk/src/testing.rs",
    "../../plugins/sdk/src/text.rs" => "vendor/stepwell-sdk/src/text.rs",
};

const PYTHON: Files = files! {
    "templates/python/app.py" => "app.py",
    "templates/python/gitignore" => ".gitignore",
    "templates/python/pyproject.toml" => "pyproject.toml",
    "templates/python/README.md" => "README.md",
    "templates/python/requirements.txt" => "requirements.txt",
    "templates/python/test_app.py" => "test_app.py",
};

const JS: Files = files! {
    "templates/js/app.js" => "app.js",
    "templates/js/gitignore" => ".gitignore",
    "templates/js/package.json" => "package.json",
    "templates/js/preview.js" => "preview.js",
    "templates/js/preview.test.js" => "preview.test.js",
    "templates/js/README.md" => "README.md",
};

const WIT: Files = files! {
    "../../wit/binary-export.wit" => "wit/binary-export.wit",
    "../../wit/field-window.wit" => "wit/field-window.wit",
    "../../wit/fields.wit" => "wit/fields.wit",
    "../../wit/log.wit" => "wit/log.wit",
    "../../wit/preview.wit" => "wit/preview.wit",
    "../../wit/README.md" => "wit/README.md",
    "../../wit/resources.wit" => "wit/resources.wit",
    "../../wit/shapes.wit" => "wit/shapes.wit",
    "../../wit/tool.wit" => "wit/tool.wit",
};

/// What a later version of the contract changes; the SDK has both.
const WIT_0_2: Files = files! {
    "../../wit/0.2/resources.wit" => "wit/0.2/resources.wit",
    "../../wit/0.2/tool.wit" => "wit/0.2/tool.wit",
};

/// The files of a project in a language.
pub(super) fn of(language: Language) -> Vec<(&'static str, &'static str)> {
    let own: &[Files] = match language {
        Language::Rust => &[RUST, SDK, WIT, WIT_0_2],
        Language::Python => &[PYTHON, WIT],
        Language::Js => &[JS, WIT],
    };
    own.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The files of a folder of this repository, with their names in it.
    fn listed(folder: &str) -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.path().is_file());
        let mut names: Vec<_> = files.map(|file| file.file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    fn within(files: Files, folder: &str) -> Vec<String> {
        let mut names: Vec<_> =
            files.iter().filter_map(|(path, _)| path.strip_prefix(folder)).map(str::to_owned).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_project_gets_all_of_the_sdk_and_of_the_contract() {
        assert_eq!(within(SDK, "vendor/stepwell-sdk/src/"), listed("../../plugins/sdk/src"));
        assert_eq!(within(WIT, "wit/"), listed("../../wit"));
        assert_eq!(within(WIT_0_2, "wit/0.2/"), listed("../../wit/0.2"));
    }

    #[test]
    fn the_sdk_depends_on_what_the_default_tiers_do() {
        let table = |text: &str| text.parse::<toml_edit::DocumentMut>().unwrap();
        let ours = table(include_str!("../../../../../plugins/Cargo.toml"));
        let theirs = table(include_str!("../../../templates/rust/sdk.toml"));
        assert_eq!(
            ours["workspace"]["dependencies"]["wit-bindgen"].to_string().trim(),
            theirs["dependencies"]["wit-bindgen"].to_string().trim()
        );
        let sdk = table(include_str!("../../../../../plugins/sdk/Cargo.toml"));
        assert_eq!(sdk["features"].to_string(), theirs["features"].to_string());
        assert_eq!(
            ours["profile"]["release"].to_string(),
            table(include_str!("../../../templates/rust/Cargo.toml"))["profile"]["release"].to_string()
        );
    }
}
