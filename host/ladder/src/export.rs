//! What may leave as a file: the bytes of a blob, if its tier lets them, and the text of a field.

use crate::arguments;
use crate::ladder::Ladder;
use crate::reply::LadderError;
use crate::shapes;
use crate::tier_fault;
use stepwell_contract::quote::excerpt;
use stepwell_contract::{Bytes, Code, Refusal};
use stepwell_source::{Caller, Field, FieldKind, RecordRef};
use stepwell_tiers::{BlobShape, Card, Mode, Purpose};

/// How many first bytes of a blob its tier is shown.
const BLOB_HEAD: Bytes = Bytes(64);

/// Something that may leave, by the name and type that are safe to announce.
#[derive(Clone, Debug)]
pub struct Export {
    /// The field that holds it.
    pub field: Field,
    /// A name that is only a name.
    pub file_name: String,
    /// A media type that runs nothing.
    pub mime: String,
}

impl Ladder {
    /// Whether anything may leave as a file at all.
    #[must_use]
    pub fn exports(&self) -> bool {
        self.tiers.export().is_some()
    }

    /// Finds the bytes of a binary field, and asks the tier how they may leave.
    pub async fn export_blob(
        &self,
        caller: &Caller,
        record: &RecordRef,
        field_path: &str,
        digest: Option<&str>,
    ) -> Result<Export, LadderError> {
        let Some(tier) = self.tiers.export() else { return Err(nothing_there()) };
        let path = arguments::path(field_path)?;
        let field = self.source.field(caller, record, &path).await?;
        if field.shape.kind != FieldKind::Binary {
            let message = format!("the field {} holds no bytes", excerpt(field_path));
            return Err(Refusal::new(Code::FieldNotFound, message).param("field_path").into());
        }
        check_unchanged(&field, digest)?;
        let head = self.source.bytes(caller, &field, Bytes::ZERO, BLOB_HEAD).await?;
        let shape = BlobShape {
            path: field_path.to_owned(),
            mime: field.shape.mime.clone(),
            bytes: Some(field.shape.bytes),
            file_name: field.shape.file_name.clone(),
            head,
            options: Vec::new(),
        };
        let context = shapes::context(Purpose::Document, 1_024, 4);
        let outcome = tier.describe(shape, &context).await;
        let card = tier_fault::settle("binary-export", tier.on_fault(), outcome)?.unwrap_or_else(plain_card);
        if card.mode == Mode::Refuse {
            let message = "this kind of file is not handed out here";
            return Err(Refusal::new(Code::ExportRefused, message).param("field_path").into());
        }
        Ok(Export { field, file_name: card.file_name, mime: card.mime })
    }

    /// Finds the text of a field, which leaves as plain text whatever it is.
    pub async fn export_text(
        &self,
        caller: &Caller,
        record: &RecordRef,
        field_path: &str,
        digest: Option<&str>,
    ) -> Result<Export, LadderError> {
        if !self.exports() {
            return Err(nothing_there());
        }
        let path = arguments::path(field_path)?;
        let field = self.source.field(caller, record, &path).await?;
        if !field.shape.kind.is_text_like() {
            let message = format!("the field {} holds no text", excerpt(field_path));
            return Err(Refusal::new(Code::FieldNotText, message).param("field_path").into());
        }
        check_unchanged(&field, digest)?;
        let ending = if field.shape.kind == FieldKind::Json { "json" } else { "txt" };
        let file_name = format!("{}-{}.{ending}", field.record.record, path.top());
        Ok(Export { field, file_name, mime: "text/plain; charset=utf-8".to_owned() })
    }
}

/// Refuses an address that was made for other content.
fn check_unchanged(field: &Field, digest: Option<&str>) -> Result<(), Refusal> {
    if digest.is_none_or(|digest| digest == field.shape.digest.to_string()) {
        return Ok(());
    }
    let refusal = Refusal::new(Code::StaleCursor, "the content changed since this address was made");
    Err(refusal.hint("fetch the record again"))
}

/// What the host says of a blob by itself: bytes, and nothing that a client could be tempted to run.
fn plain_card() -> Card {
    let mime = "application/octet-stream".to_owned();
    Card { file_name: "file".to_owned(), mime, mode: Mode::Window, note: None }
}

fn nothing_there() -> LadderError {
    Refusal::new(Code::NotFound, "there is no such resource").param("uri").into()
}
