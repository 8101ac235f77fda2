//! Walks through the records, their fields and the index entries that belong to them, side by side.

use crate::bind;
use crate::care::check::Check;
use crate::care::pages::{Pages, Reading};
use crate::care::watch::ProblemCode;
use crate::error::Failure;
use crate::prepare::digest::RecordDigest;
use crate::shape::FieldKind;
use std::collections::HashMap;
use stepwell_contract::field_path;

/// A row of a record.
pub(super) struct RecordRow {
    id: i64,
    scope: i64,
    rid: String,
    time: i64,
    consent_time: Option<i64>,
    digest: Vec<u8>,
}

static RECORDS: Reading<RecordRow> = Reading {
    name: "records",
    sql: "SELECT id, scope, rid, time, consent_time, sha256 FROM record WHERE id > ?1 ORDER BY id LIMIT ?2",
    start: || bind![i64::MIN],
    page: 500,
    read: |row| {
        Ok(RecordRow {
            id: row.int()?,
            scope: row.int()?,
            rid: row.text()?,
            time: row.int()?,
            consent_time: row.int_or_null()?,
            digest: row.bytes_or_null()?.unwrap_or_default(),
        })
    },
    key: |record| bind![record.id],
};

/// A row of a field.
pub(super) struct FieldRow {
    pub(super) id: i64,
    rec: i64,
    pub(super) top: String,
    pub(super) pointer: String,
    nested: bool,
    kind: i64,
    pub(super) chars: Option<i64>,
    pub(super) bytes: i64,
    pub(super) digest: Vec<u8>,
    mime: Option<String>,
    file_name: Option<String>,
    pub(super) nul_as: Option<char>,
    pub(super) part_start: Option<i64>,
    pub(super) inline: Option<String>,
}

static FIELDS: Reading<FieldRow> = Reading {
    name: "fields",
    sql: "SELECT id, rec, top, pointer, nested, kind, chars, bytes, sha256, mime, file_name, nul_as, part_start, inline
          FROM field WHERE (rec, pointer) > (?1, ?2) ORDER BY rec, pointer LIMIT ?3",
    start: || bind![i64::MIN, ""],
    page: 250,
    read: |row| {
        Ok(FieldRow {
            id: row.int()?,
            rec: row.int()?,
            top: row.text()?,
            pointer: row.text()?,
            nested: row.int()? != 0,
            kind: row.int()?,
            chars: row.int_or_null()?,
            bytes: row.int()?,
            digest: row.bytes_or_null()?.unwrap_or_default(),
            mime: row.text_or_null()?,
            file_name: row.text_or_null()?,
            nul_as: row.int_or_null()?.and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32),
            part_start: row.int_or_null()?,
            inline: row.text_or_null()?,
        })
    },
    key: |field| bind![field.rec, field.pointer.as_str()],
};

/// A row of the word index, without its words.
struct UnitRow {
    id: i64,
    rec: i64,
    scope: i64,
    field: i64,
    start: i64,
    top: String,
}

static UNITS: Reading<UnitRow> = Reading {
    name: "units",
    sql: "SELECT id, rec, scope, field, char_start, top FROM unit WHERE (rec, id) > (?1, ?2) ORDER BY rec, id LIMIT ?3",
    start: || bind![i64::MIN, i64::MIN],
    page: 2_000,
    read: |row| {
        Ok(UnitRow {
            id: row.int()?,
            rec: row.int()?,
            scope: row.int()?,
            field: row.int()?,
            start: row.int()?,
            top: row.text()?,
        })
    },
    key: |unit| bind![unit.rec, unit.id],
};

/// What a record's fields are held against.
pub(super) struct Record {
    /// Its id for people.
    pub(super) id: String,
    pub(super) scope: i64,
    /// The index entries by the chunk that they belong to, each with the field that it says it is of; what has been found to
    /// belong is taken out.
    pub(super) units: HashMap<(i64, i64), String>,
    /// The long JSON fields, in which others may be nested: row and length.
    pub(super) enclosing: HashMap<String, (i64, i64)>,
}

/// What counts for the record's own digest.
type Summed = (String, FieldKind, Vec<u8>, Option<String>, Option<String>);

impl Check<'_> {
    /// Checks record after record.
    pub(super) async fn records(&mut self) -> Result<(), Failure> {
        let session = self.session;
        self.watch.stage("records", session.number("records", "SELECT COUNT(*) FROM record").await?);
        let (mut records, mut fields, mut units) =
            (Pages::of(&RECORDS), Pages::of(&FIELDS), Pages::of(&UNITS));
        while let Some(row) = records.next(session).await? {
            let mut record = Record {
                id: self.record_id(row.scope, &row.rid),
                scope: row.scope,
                units: HashMap::new(),
                enclosing: HashMap::new(),
            };
            while units.peek(session).await?.is_some_and(|unit| unit.rec <= row.id) {
                let Some(unit) = units.next(session).await? else { break };
                self.file_unit(&row, &mut record, unit);
            }
            let mut summed = Vec::new();
            while fields.peek(session).await?.is_some_and(|field| field.rec <= row.id) {
                let Some(field) = fields.next(session).await? else { break };
                // A field without a record has been told of as a reference to nothing.
                if field.rec == row.id {
                    self.field(&mut record, &field, &mut summed).await?;
                }
            }
            if !record.units.is_empty() {
                let detail = format!("{} index entries belong to no text of the record", record.units.len());
                self.found(ProblemCode::IndexWithoutText, &record.id, detail);
            }
            self.digest(&row, &record, summed);
            self.checked.records += 1;
            self.watch.advance(1);
        }
        let mut left = 0_u64;
        while units.next(session).await?.is_some() {
            left += 1;
        }
        if left > 0 {
            self.found(
                ProblemCode::IndexWithoutText,
                "the word index",
                format!("{left} entries belong to no record"),
            );
        }
        Ok(())
    }

    /// Puts an index entry with its record, if it has one.
    fn file_unit(&mut self, row: &RecordRow, record: &mut Record, unit: UnitRow) {
        let (code, entry) = (ProblemCode::IndexWithoutText, format!("index entry {}", unit.id));
        if unit.rec != row.id {
            self.found(code, entry, "its record is not there");
        } else if unit.scope != row.scope {
            // Search trusts this column with what a grant covers.
            record.units.insert((unit.field, unit.start), unit.top);
            self.found(code, format!("{} {entry}", record.id), "it says that it belongs to another stream");
        } else if record.units.insert((unit.field, unit.start), unit.top).is_some() {
            self.found(code, format!("{} {entry}", record.id), "it is the second entry of one chunk");
        }
    }

    async fn field(
        &mut self,
        record: &mut Record,
        field: &FieldRow,
        summed: &mut Vec<Summed>,
    ) -> Result<(), Failure> {
        self.checked.fields += 1;
        let place = format!("{} {}", record.id, field.pointer);
        let Some(kind) = FieldKind::from_code(field.kind) else {
            self.found(ProblemCode::FieldShape, place, format!("there is no kind {} of values", field.kind));
            return Ok(());
        };
        // Grants name the first, readers the second: they must speak of the same field.
        let top = field_path::pointer([field.top.as_str()]);
        let below = field.pointer.strip_prefix(&top);
        if !below.is_some_and(|below| if field.nested { below.starts_with('/') } else { below.is_empty() }) {
            self.found(ProblemCode::FieldShape, place, format!("it is filed under the field {}", field.top));
            return Ok(());
        }
        if !field.nested {
            let FieldRow { top, digest, mime, file_name, .. } = field;
            summed.push((top.clone(), kind, digest.clone(), mime.clone(), file_name.clone()));
        }
        match kind {
            FieldKind::Binary => self.file(field, place).await?,
            _ => {
                if field.nested && !self.lies_inside(record, field) {
                    let detail = "it lies outside of the text that it is nested in";
                    self.found(ProblemCode::NestedOutside, place, detail);
                    return Ok(());
                }
                self.text(record, field, kind, place).await?;
            }
        }
        if kind == FieldKind::Json && !field.nested && field.inline.is_none() {
            record.enclosing.insert(field.top.clone(), (field.id, field.chars.unwrap_or_default()));
        }
        Ok(())
    }

    /// Whether a nested value has room in the text of its top-level field. Pointers are walked in order, so that one came
    /// before.
    fn lies_inside(&self, record: &Record, field: &FieldRow) -> bool {
        let chars = field.chars.unwrap_or_default();
        record.enclosing.get(&field.top).is_some_and(|&(_, enclosing)| {
            let start = field.part_start.unwrap_or_default();
            start >= 0 && start.checked_add(chars).is_some_and(|end| end <= enclosing)
        })
    }

    fn digest(&mut self, row: &RecordRow, record: &Record, mut summed: Vec<Summed>) {
        summed.sort_by(|a, b| a.0.cmp(&b.0));
        let of = |(time, consent_time)| {
            let mut digest = RecordDigest::new(time, consent_time);
            for (top, kind, sha256, mime, file_name) in &summed {
                digest.field(top, *kind, sha256, mime.as_deref(), file_name.as_deref());
            }
            digest.finish().0
        };
        // Where no field has a time of the record's, it is kept under the moment of its emission or arrival, which is its
        // consent time too, and which its digest does not know. Digests of earlier versions know it.
        let (time, consent_time) = (Some(row.time), row.consent_time);
        let by_emission = if consent_time == time { None } else { consent_time };
        let times = [(time, consent_time), (None, consent_time), (None, by_emission)];
        if !times.map(of).iter().any(|digest| digest[..] == row.digest) {
            self.found(ProblemCode::RecordDigest, &record.id, "its digest is not that of its fields");
        }
    }
}
