//! What wit-bindgen makes of `wit/`: one module for the interfaces that tiers import, one for each world.

#![allow(
    unsafe_code,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    clippy::all,
    clippy::unwrap_used
)]

// A macro cannot leave out a single derive, so there are two of it.
#[cfg(feature = "serde")]
macro_rules! generate {
    ($($option:tt)*) => {
        wit_bindgen::generate!({
            $($option)*
            additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
        });
    };
}
#[cfg(not(feature = "serde"))]
macro_rules! generate {
    ($($option:tt)*) => {
        wit_bindgen::generate!({ $($option)* additional_derives: [PartialEq], });
    };
}

/// The interfaces that tiers import, shared by all worlds so that a `Span` is the same type everywhere.
pub mod imports {
    generate! {
        path: "../../wit",
        inline: "package stepwell:sdk; world imports {
            import stepwell:ladder/shapes@0.1.0;
            import stepwell:ladder/fields@0.1.0;
            import stepwell:ladder/log@0.1.0;
        }",
        world: "stepwell:sdk/imports",
        generate_all,
    }
}

macro_rules! world {
    ($module:ident, $world:literal, $export:literal, $path:literal, { $($with:tt)* }) => {
        pub mod $module {
            generate! {
                path: "../../wit",
                world: $world,
                with: {
                    "stepwell:ladder/shapes@0.1.0": crate::bindings::imports::stepwell::ladder::shapes,
                    "stepwell:ladder/log@0.1.0": crate::bindings::imports::stepwell::ladder::log,
                    $($with)*
                },
                pub_export_macro: true,
                export_macro_name: $export,
                default_bindings_module: $path,
            }
        }
    };
    ($module:ident, $world:literal, $export:literal, $path:literal) => {
        world!($module, $world, $export, $path, {
            "stepwell:ladder/fields@0.1.0": crate::bindings::imports::stepwell::ladder::fields,
        });
    };
}

world!(preview, "preview-tier", "export_preview", "stepwell_sdk::bindings::preview");
world!(field_window, "field-window-tier", "export_field_window", "stepwell_sdk::bindings::field_window");
// A blob's name is no reason to read a record, so this world has no `fields`.
world!(
    binary_export,
    "binary-export-tier",
    "export_binary_export",
    "stepwell_sdk::bindings::binary_export",
    {}
);

/// The resources tier is of version 0.2; what it shares with the other worlds is theirs.
pub mod resources {
    generate! {
        path: ["../../wit", "../../wit/0.2"],
        world: "stepwell:ladder/resources-tier@0.2.0",
        with: {
            "stepwell:ladder/shapes@0.1.0": crate::bindings::imports::stepwell::ladder::shapes,
            "stepwell:ladder/fields@0.1.0": crate::bindings::imports::stepwell::ladder::fields,
            "stepwell:ladder/log@0.1.0": crate::bindings::imports::stepwell::ladder::log,
        },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_resources",
        default_bindings_module: "stepwell_sdk::bindings::resources",
    }
}

/// So is the tool tier.
pub mod tool {
    wit_bindgen::generate!({
        path: ["../../wit", "../../wit/0.2"],
        world: "stepwell:ladder/tool-tier@0.2.0",
        with: {
            "stepwell:ladder/shapes@0.1.0": crate::bindings::imports::stepwell::ladder::shapes,
            "stepwell:ladder/fields@0.1.0": crate::bindings::imports::stepwell::ladder::fields,
            "stepwell:ladder/log@0.1.0": crate::bindings::imports::stepwell::ladder::log,
        },
        additional_derives: [PartialEq],
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_tool",
        default_bindings_module: "stepwell_sdk::bindings::tool",
    });
}
