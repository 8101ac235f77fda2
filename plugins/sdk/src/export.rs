//! One macro for each world that exports a tier from a component. Natively they do nothing, so that `cargo test` links.

/// Exports a type that implements the preview tier's `Guest`.
#[macro_export]
macro_rules! export_preview_tier {
    ($tier:ident) => {
        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code, missing_docs)]
        const _: () = {
    $crate::bindings::preview::export_preview!($tier with_types_in $crate::bindings::preview);
        };
    };
}

/// Exports a type that implements the field-window tier's `Guest`.
#[macro_export]
macro_rules! export_field_window_tier {
    ($tier:ident) => {
        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code, missing_docs)]
        const _: () = {
            $crate::bindings::field_window::export_field_window!($tier with_types_in $crate::bindings::field_window);
        };
    };
}

/// Exports a type that implements the resources tier's `Guest`.
#[macro_export]
macro_rules! export_resources_tier {
    ($tier:ident) => {
        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code, missing_docs)]
        const _: () = {
    $crate::bindings::resources::export_resources!($tier with_types_in $crate::bindings::resources);
        };
    };
}

/// Exports a type that implements the binary-export tier's `Guest`.
#[macro_export]
macro_rules! export_binary_export_tier {
    ($tier:ident) => {
        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code, missing_docs)]
        const _: () = {
            $crate::bindings::binary_export::export_binary_export!($tier with_types_in $crate::bindings::binary_export);
        };
    };
}

/// Exports a type that implements the tool tier's `Guest`.
#[macro_export]
macro_rules! export_tool_tier {
    ($tier:ident) => {
        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code, missing_docs)]
        const _: () = {
    $crate::bindings::tool::export_tool!($tier with_types_in $crate::bindings::tool);
        };
    };
}
