//! From a `Guest` to a library: one function and one macro for each tier.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use stepwell_sdk::{Context, FieldShape, RecordShape};

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Said<T> {
    Answer(T),
}

/// Reads a request, has it answered, and writes the answer.
fn answered<Q: DeserializeOwned, A: Serialize>(
    request: &[u8],
    answer: impl FnOnce(Q) -> A,
) -> Option<Vec<u8>> {
    serde_json::to_vec(&Said::Answer(answer(serde_json::from_slice(request).ok()?))).ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Previewer {
    Compose { records: Vec<RecordShape>, context: Context },
}

/// Answers a request to a preview tier.
pub fn preview<G: stepwell_sdk::preview::Guest>(request: &[u8]) -> Option<Vec<u8>> {
    answered(request, |Previewer::Compose { records, context }| G::compose(records, context))
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Windower {
    Place { slot: u32, field: FieldShape, asked: stepwell_sdk::field_window::Asked, context: Context },
}

/// Answers a request to a field-window tier.
pub fn field_window<G: stepwell_sdk::field_window::Guest>(request: &[u8]) -> Option<Vec<u8>> {
    answered(request, |Windower::Place { slot, field, asked, context }| G::place(slot, field, asked, context))
}

#[derive(Deserialize)]
struct OfRecord {
    shape: RecordShape,
    context: Context,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Librarian {
    Links(OfRecord),
    Layout(OfRecord),
}

/// Answers a request to a resources tier.
pub fn resources<G: stepwell_sdk::resources::Guest>(request: &[u8]) -> Option<Vec<u8>> {
    match serde_json::from_slice(request).ok()? {
        // A library is asked as 0.1 has it, record by record; the slot that an offer names besides is not looked at.
        Librarian::Links(of) => serde_json::to_vec(&Said::Answer(G::links(vec![of.shape], of.context))).ok(),
        Librarian::Layout(of) => serde_json::to_vec(&Said::Answer(G::layout(of.shape, of.context))).ok(),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Exporter {
    Describe { blob: stepwell_sdk::binary_export::BlobShape, context: Context },
}

/// Answers a request to a binary-export tier.
pub fn binary_export<G: stepwell_sdk::binary_export::Guest>(request: &[u8]) -> Option<Vec<u8>> {
    answered(request, |Exporter::Describe { blob, context }| G::describe(blob, context))
}

/// Exports what answers requests as the library's table.
#[doc(hidden)]
#[macro_export]
macro_rules! export_table {
    ($answer:expr) => {
        #[allow(unsafe_code, missing_docs)]
        const _: () = {
            unsafe extern "C" fn call(
                request: $crate::abi::Bytes,
                put: $crate::abi::Put,
                ctx: *mut ::std::ffi::c_void,
            ) -> i32 {
                // SAFETY: the host lends all three for as long as this call takes.
                unsafe { $crate::abi::serve(request, put, ctx, $answer) }
            }

            #[unsafe(no_mangle)]
            static STEPWELL_TIER_V1: $crate::abi::Table = $crate::abi::Table::new(call);
        };
    };
}

/// Exports a type that implements the preview tier's `Guest`.
#[macro_export]
macro_rules! export_preview {
    ($tier:ident) => {
        $crate::export_table!($crate::preview::<$tier>);
    };
}

/// Exports a type that implements the field-window tier's `Guest`.
#[macro_export]
macro_rules! export_field_window {
    ($tier:ident) => {
        $crate::export_table!($crate::field_window::<$tier>);
    };
}

/// Exports a type that implements the resources tier's `Guest`.
#[macro_export]
macro_rules! export_resources {
    ($tier:ident) => {
        $crate::export_table!($crate::resources::<$tier>);
    };
}

/// Exports a type that implements the binary-export tier's `Guest`.
#[macro_export]
macro_rules! export_binary_export {
    ($tier:ident) => {
        $crate::export_table!($crate::binary_export::<$tier>);
    };
}
