//! Bytes inside a record: a field spelled `{"$blob": {"mime_type", "file_name"?, "base64"}}`.

use crate::prepare::line::{Rejection, RejectionCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// How many bytes of a blob stand in one row, so that a window of it is read as a window.
pub const PART: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<'a> {
    #[serde(rename = "$blob", borrow)]
    blob: Spelled<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spelled<'a> {
    mime_type: String,
    file_name: Option<String>,
    #[serde(borrow)]
    base64: std::borrow::Cow<'a, str>,
}

/// A blob as it was spelled.
#[derive(Debug)]
pub(crate) struct Blob {
    pub(crate) mime: String,
    pub(crate) file_name: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// Reads a field value as a blob, if it is spelled as one.
pub(crate) fn parse(raw: &str) -> Result<Option<Blob>, Rejection> {
    // Only the reserved key makes a blob; an object with a `url` or an `id` is just an object.
    if !raw.trim_start_matches(['{', ' ', '\t', '\n', '\r']).starts_with("\"$blob\"") {
        return Ok(None);
    }
    let invalid = |why: &str| Rejection::new(RejectionCode::InvalidBlob, why);
    let Envelope { blob } = serde_json::from_str(raw)
        .map_err(|_| invalid("a \"$blob\" has exactly mime_type, base64 and, if it has a name, file_name"))?;
    let bytes = STANDARD.decode(blob.base64.as_bytes()).map_err(|_| invalid("the \"$blob\" is no base64"))?;
    if blob.mime_type.contains('\0') || blob.file_name.as_ref().is_some_and(|name| name.contains('\0')) {
        return Err(invalid("a \"$blob\" has no NUL in its name or type"));
    }
    Ok(Some(Blob { mime: blob.mime_type, file_name: blob.file_name, bytes }))
}
