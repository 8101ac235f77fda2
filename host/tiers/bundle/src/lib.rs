//! The default tiers as components, built by this crate's build script and embedded in the binary.

macro_rules! component {
    ($module:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $module, ".wasm"))
    };
}

/// The default preview tier.
pub static PREVIEW: &[u8] = component!("stepwell_tier_preview");
/// The default field-window tier.
pub static FIELD_WINDOW: &[u8] = component!("stepwell_tier_field_window");
/// The default resources tier.
pub static RESOURCES: &[u8] = component!("stepwell_tier_resources");
/// The default binary-export tier.
pub static BINARY_EXPORT: &[u8] = component!("stepwell_tier_binary_export");
