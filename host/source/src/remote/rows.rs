//! Takes records out of an answer as it arrives, and of each value no more than its beginning.

use super::json::{Broken, Sink, Taken, Token};
use super::limits::HEAD;
use serde_json::{Map, Value};

/// How long a member may be that is no field of a record, such as `meta`.
const MEMBER: u64 = 65_536;
/// What a field costs besides its text, so that many empty ones are bounded too.
const FIELD: usize = 256;

/// A record as it stands in an answer.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// What is said about it.
    pub(super) about: Map<String, Value>,
    /// Its fields, as they came.
    pub(super) fields: Vec<(String, Taken)>,
}

/// What an answer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One record.
    Record,
    /// A page of records under `data`.
    List,
}

/// Takes an answer apart.
#[derive(Debug)]
pub(super) struct Rows {
    form: Form,
    at: At,
    /// What may still be kept.
    room: usize,
    /// What is said about the page.
    pub(super) about: Map<String, Value>,
    pub(super) rows: Vec<Row>,
}

#[derive(Debug)]
enum At {
    Start,
    /// In the object around a page.
    Page,
    PageMember(String, Taken),
    /// Before the list of records.
    BeforeList,
    List,
    Row,
    RowMember(String, Taken),
    /// Before the fields of a record.
    BeforeFields,
    Fields,
    Field(String, Taken),
    End,
}

impl Rows {
    /// Keeps so many bytes at most.
    pub(super) fn new(form: Form, room: usize) -> Self {
        Self { form, at: At::Start, room, about: Map::new(), rows: Vec::new() }
    }

    fn keep(&mut self, bytes: usize) -> Result<(), Broken> {
        self.room = self.room.checked_sub(bytes).ok_or(Broken::TooLarge)?;
        Ok(())
    }

    fn row(&mut self) -> Result<&mut Row, Broken> {
        self.rows.last_mut().ok_or(Broken::Shape("it has a field of no record"))
    }

    /// Takes one more token of a value; puts the value away when it is complete.
    fn value(&mut self, name: String, mut taken: Taken, token: Token<'_>, of: Of) -> Result<At, Broken> {
        taken.take(token)?;
        if !taken.is_done() {
            return Ok(match of {
                Of::Page => At::PageMember(name, taken),
                Of::Row => At::RowMember(name, taken),
                Of::Fields => At::Field(name, taken),
            });
        }
        self.keep(FIELD + name.len() + taken.measured().head().len())?;
        match of {
            Of::Page => {
                let value = member(&taken)?;
                self.about.insert(name, value);
                Ok(At::Page)
            }
            Of::Row => {
                let value = member(&taken)?;
                self.row()?.about.insert(name, value);
                Ok(At::Row)
            }
            Of::Fields => {
                self.row()?.fields.push((name, taken));
                Ok(At::Fields)
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Of {
    Page,
    Row,
    Fields,
}

fn member(taken: &Taken) -> Result<Value, Broken> {
    let json = taken.json().ok_or(Broken::Shape("a part of it that is no record is too long"))?;
    // A number beyond the machine's is nothing that is said about a record.
    Ok(serde_json::from_str(&json).unwrap_or_default())
}

impl Sink for Rows {
    fn take(&mut self, token: Token<'_>) -> Result<(), Broken> {
        const NO_PAGE: Broken = Broken::Shape("it is no page of records");
        const NO_RECORD: Broken = Broken::Shape("it is no record");
        self.at = match (std::mem::replace(&mut self.at, At::End), token) {
            (At::Start, Token::BeginObject) if self.form == Form::List => At::Page,
            (At::Start, Token::BeginObject) => {
                self.rows.push(Row::default());
                At::Row
            }
            (At::Page, Token::Key("data")) => At::BeforeList,
            (At::Page, Token::Key(name)) => At::PageMember(name.to_owned(), Taken::new(MEMBER)),
            (At::Page, Token::EndObject) => At::End,
            (At::BeforeList, Token::BeginArray) => At::List,
            (At::List, Token::BeginObject) => {
                self.keep(FIELD)?;
                self.rows.push(Row::default());
                At::Row
            }
            (At::List, Token::EndArray) => At::Page,
            (At::Row, Token::Key("data")) => At::BeforeFields,
            (At::Row, Token::Key(name)) => At::RowMember(name.to_owned(), Taken::new(MEMBER)),
            (At::Row, Token::EndObject) if self.form == Form::List => At::List,
            (At::Row, Token::EndObject) => At::End,
            (At::BeforeFields, Token::BeginObject) => At::Fields,
            // A record that is gone has no fields.
            (At::BeforeFields, Token::Scalar("null")) => At::Row,
            (At::Fields, Token::Key(name)) => At::Field(name.to_owned(), Taken::new(HEAD)),
            (At::Fields, Token::EndObject) => At::Row,
            (At::PageMember(name, taken), token) => self.value(name, taken, token, Of::Page)?,
            (At::RowMember(name, taken), token) => self.value(name, taken, token, Of::Row)?,
            (At::Field(name, taken), token) => self.value(name, taken, token, Of::Fields)?,
            (At::Start | At::Page | At::BeforeList | At::List, _) if self.form == Form::List => {
                return Err(NO_PAGE);
            }
            _ => return Err(NO_RECORD),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::json::Tokenizer;
    use crate::shape::{Digest, FieldKind};
    use serde_json::json;
    use stepwell_contract::{Bytes, Chars};

    fn read(form: Form, text: &str, room: usize) -> Result<Rows, Broken> {
        let (mut rows, mut tokens) = (Rows::new(form, room), Tokenizer::new());
        text.as_bytes().chunks(5).try_for_each(|piece| tokens.feed(piece, &mut rows))?;
        tokens.end(&mut rows)?;
        Ok(rows)
    }

    #[test]
    fn a_page_is_taken_apart_and_long_values_are_measured() {
        let long = "ö😀".repeat(5_000);
        let page = json!({ "object": "list", "data": [
            { "id": "a", "data": { "body": long, "n": 1.5, "list": [1, { "x": "\n" }], "gone": null }, "stream": "s" },
            { "id": "b", "deleted": true, "data": null },
        ], "has_more": true, "meta": { "count": { "kind": "none" } } });
        let rows = read(Form::List, &page.to_string(), 1 << 20).unwrap();
        assert_eq!((&rows.about["has_more"], rows.rows.len()), (&json!(true), 2));
        let first = &rows.rows[0];
        assert_eq!((&first.about["id"], &first.about["stream"]), (&json!("a"), &json!("s")));
        let field = |name: &str| &first.fields.iter().find(|(field, _)| field == name).unwrap().1;
        let body = field("body").measured();
        assert_eq!((body.chars(), body.bytes()), (Chars(10_000), Bytes(30_000)));
        assert_eq!((body.digest(), Chars::of(body.head())), (Digest::of(long.as_bytes()), Chars(HEAD)));
        assert_eq!(
            (field("list").kind(), field("list").measured().head()),
            (FieldKind::Json, r#"[1,{"x":"\n"}]"#)
        );
        assert_eq!((field("n").kind(), field("gone").kind()), (FieldKind::Number, FieldKind::Empty));
        assert_eq!(rows.rows[1].about["deleted"], true);
    }

    #[test]
    fn what_has_another_shape_or_too_much_of_it_is_refused() {
        for (form, text) in [
            (Form::List, "[]"),
            (Form::List, r#"{"data":{}}"#),
            (Form::List, r#"{"data":["x"]}"#),
            (Form::Record, "[]"),
            (Form::Record, r#"{"data":"x"}"#),
            (Form::Record, "3"),
        ] {
            assert!(matches!(read(form, text, 9_999), Err(Broken::Shape(_))), "{text}");
        }
        let many: Map<String, Value> = (0..1_000).map(|n| (n.to_string(), json!(1))).collect();
        let text = json!({ "data": many }).to_string();
        assert_eq!(read(Form::Record, &text, 10_000).unwrap_err(), Broken::TooLarge);
        assert!(read(Form::Record, &text, 1_000_000).is_ok());
    }
}
