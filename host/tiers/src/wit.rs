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
                import stepwell:ladder/records@0.1.0;
                import stepwell:ladder/log@0.1.0;
            }",
            world: "stepwell:host/imports",
            imports: { default: trappable },
            // Native tiers get the same as JSON.
            additional_derives: [serde::Serialize, serde::Deserialize],
        });
        pub(crate) use stepwell::ladder::{fields, log, records, shapes};
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
    world!(tool, "tool-tier", {
        "stepwell:ladder/fields@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::fields,
        "stepwell:ladder/records@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::records,
    });

    pub(crate) use binary_export::exports::stepwell::ladder::exporter;
    pub(crate) use field_window::exports::stepwell::ladder::windower;
    pub(crate) use preview::exports::stepwell::ladder::previewer;
    pub(crate) use resources::exports::stepwell::ladder::librarian;
    pub(crate) use tool::exports::stepwell::ladder::toolbox;
}

/// `stepwell:ladder@0.2`: the resources and the tool tier, on top of what 0.1 has for all tiers.
pub(crate) mod v0_2 {
    pub(crate) mod resources {
        wasmtime::component::bindgen!({
            path: ["../../wit", "../../wit/0.2"],
            world: "stepwell:ladder/resources-tier@0.2.0",
            with: {
                "stepwell:ladder/shapes@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::shapes,
                "stepwell:ladder/fields@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::fields,
                "stepwell:ladder/log@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::log,
            },
            imports: { default: trappable },
        });
    }

    pub(crate) mod tool {
        wasmtime::component::bindgen!({
            path: ["../../wit", "../../wit/0.2"],
            world: "stepwell:ladder/tool-tier@0.2.0",
            with: {
                "stepwell:ladder/shapes@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::shapes,
                "stepwell:ladder/fields@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::fields,
                "stepwell:ladder/log@0.1.0": crate::wit::v0_1::imports::stepwell::ladder::log,
            },
            imports: { default: trappable },
        });
    }

    pub(crate) use resources::exports::stepwell::ladder0_2_0::librarian;
    pub(crate) use tool::exports::stepwell::ladder0_2_0::toolbox;
    pub(crate) use tool::stepwell::ladder0_2_0::records;
}
