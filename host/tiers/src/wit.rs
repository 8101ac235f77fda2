//! What wasmtime makes of `wit/`, one module for each version of the package.
//!
//! A new version stands beside the old one, and `convert` translates each to the types of this crate. Checks and
//! capabilities live below, so that no version can go around them.

/// `stepwell:ladder@0.1`
pub(crate) mod v0_1 {
    /// The interfaces that tiers import, shared by all worlds.
    pub(crate) mod imports {
        wasmtime::component::bindgen!({
            path: "../../wit",
            inline: "package stepwell:host; world imports {
                import stepwell:ladder/shapes@0.1.0;
                import stepwell:ladder/fields@0.1.0;
                import stepwell:ladder/log@0.1.0;
            }",
            world: "stepwell:host/imports",
            imports: { default: trappable },
            // Native tiers get the same as JSON.
            additional_derives: [serde::Serialize, serde::Deserialize],
        });
        pub(crate) use stepwell::ladder::{fields, log, shapes};
    }

    macro_rules! world {
        ($module:ident, $world:literal) => {
            world!($module, $world, { "stepwell:ladder/fields@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::fields, });
        };
        ($module:ident, $world:literal, { $($with:tt)* }) => {
            pub(crate) mod $module {
                wasmtime::component::bindgen!({
                    path: "../../wit",
                    world: $world,
                    with: {
                        "stepwell:ladder/shapes@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::shapes,
                        "stepwell:ladder/log@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::log,
                        $($with)*
                    },
                    imports: { default: trappable },
                    additional_derives: [serde::Serialize, serde::Deserialize],
                });
            }
        };
    }

    world!(preview, "preview-tier");
    world!(field_window, "field-window-tier");
    world!(resources, "resources-tier");
    world!(binary_export, "binary-export-tier", {});

    pub(crate) use binary_export::exports::stepwell::ladder::exporter;
    pub(crate) use field_window::exports::stepwell::ladder::windower;
    pub(crate) use preview::exports::stepwell::ladder::previewer;
    pub(crate) use resources::exports::stepwell::ladder::librarian;
}
