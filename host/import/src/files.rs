//! `files`: a folder of texts and documents, a record a file.

use crate::draft::Fields;
use crate::error::ImportError;
use crate::extract::{Extractor, Format};
use crate::input::{self, Folder, Found};
use crate::intake::Intake;
use crate::limits::FILE_MAX;
use crate::shape::{Field, FieldType, Shape};
use crate::skip::{Place, Reason};
use crate::{key, moment, text};
use jiff::Timestamp;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What files are by their endings. A file without one of these is text if it looks like text.
const TYPES: [(&str, &str); 10] = [
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("csv", "text/csv"),
    ("json", "application/json"),
    ("xml", "application/xml"),
    ("org", "text/org"),
    ("rst", "text/x-rst"),
];

/// How far into a text a title is looked for.
const TITLE_LINES: usize = 20;
/// The longest title, in chars.
const TITLE_CHARS: usize = 200;

pub(crate) fn import(
    paths: &[PathBuf],
    extractor: Option<&Extractor>,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let stream = intake.stream(&shape())?;
    for root in paths {
        root.metadata().map_err(ImportError::io(root))?;
        for found in Folder::new(root) {
            let name = |path: &Path| -> Arc<str> {
                let inside = path.strip_prefix(root).ok().filter(|inside| !inside.as_os_str().is_empty());
                inside.map_or_else(
                    || input::name(path),
                    |inside| inside.to_string_lossy().replace('\\', "/").into(),
                )
            };
            match found {
                Found::Link(path) => {
                    intake.skip(Place::file(&name(&path)), Reason::Link, "links are not followed")?;
                }
                Found::Closed(path) => {
                    intake.skip(Place::file(&name(&path)), Reason::Unreadable, "it cannot be listed")?;
                }
                Found::File(path) => match read(&path) {
                    Ok((bytes, data)) => {
                        let (name, place) = (name(&path), Place::file(&name(&path)));
                        let mut fields = about(&name, &data);
                        match Format::of(&bytes, "", Some(&name)) {
                            None => written(&name, &bytes, &mut fields),
                            Some(format) => {
                                fields.set("title", base(&name));
                                fields.set("mime_type", format.mime());
                                fields.set_bytes("content", format.mime(), Some(base(&name)), &bytes);
                                match extractor.map(|extractor| extractor.text(format, &bytes)) {
                                    Some(Ok(text)) => fields.set("text", text),
                                    Some(Err(why)) => {
                                        intake.skip(place.clone(), Reason::NoText, why.to_string())?;
                                    }
                                    None => {}
                                }
                            }
                        }
                        intake.advance(data.len());
                        intake.put(stream, &key::of(&name), fields, place)?;
                    }
                    Err((reason, detail)) => intake.skip(Place::file(&name(&path)), reason, detail)?,
                },
            }
        }
    }
    Ok(())
}

fn shape() -> Shape {
    Shape {
        name: "files".into(),
        label: "Files".into(),
        about: "Texts of a folder, one record a file.".into(),
        key: Some("id".into()),
        time: Some("modified_at".into()),
        fields: vec![
            Field::text("id"),
            Field::text("title").role("title").searched(),
            Field::text("path").searched(),
            Field::text("folder").grouped(),
            Field::text("mime_type").grouped(),
            Field::time("modified_at").role("time"),
            Field::new("size_bytes", FieldType::Integer),
            Field::text("text").role("body").searched(),
            Field::text("html").media_type("text/html"),
            Field::new("content", FieldType::Blob),
        ],
        views: &[(
            "names",
            "Names and times",
            &["id", "title", "path", "mime_type", "modified_at", "size_bytes"],
        )],
        relations: Vec::new(),
    }
}

fn read(path: &Path) -> Result<(Vec<u8>, Metadata), (Reason, String)> {
    let unreadable = |error: std::io::Error| (Reason::Unreadable, error.to_string());
    let data = path.metadata().map_err(unreadable)?;
    let bytes = input::read(path, FILE_MAX).map_err(unreadable)?;
    let bytes = bytes.ok_or_else(|| (Reason::TooLarge, format!("longer than {FILE_MAX} bytes")))?;
    let name = path.to_string_lossy();
    if text::is_text(&bytes) || Format::of(&bytes, "", Some(&name)).is_some() {
        Ok((bytes, data))
    } else {
        Err((Reason::NotText, "it looks like no text".to_owned()))
    }
}

/// What is known of any file.
fn about(name: &str, data: &Metadata) -> Fields {
    let mut fields = Fields::default();
    fields.set("path", name);
    fields.set("folder", name.rsplit_once('/').map(|(folder, _)| folder));
    let modified = data.modified().ok().and_then(|at| Timestamp::try_from(at).ok());
    fields.set("modified_at", modified.and_then(moment::spell));
    fields.set("size_bytes", data.len());
    fields
}

/// What a text says.
fn written(name: &str, bytes: &[u8], fields: &mut Fields) {
    let ending =
        base(name).rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    let mime = TYPES.iter().find(|(of, _)| *of == ending).map_or("text/plain", |(_, mime)| mime);
    let written = text::decode(bytes);
    fields.set("title", title(&written, mime).unwrap_or_else(|| base(name).to_owned()));
    fields.set("mime_type", mime);
    match mime {
        "text/html" => {
            fields.set("text", text::of_html(&written));
            fields.set("html", written);
        }
        _ => fields.set("text", written),
    }
}

/// The name without folders.
fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The title that a text gives itself.
fn title(written: &str, mime: &str) -> Option<String> {
    let found = match mime {
        "text/html" => {
            // The same letters in lower case stand at the same places.
            let lower = written.to_ascii_lowercase();
            let start = lower.find("<title")? + "<title".len();
            let start = start + lower[start..].find('>')? + 1;
            let end = start + lower[start..].find("</title")?;
            text::of_html(&written[start..end])
        }
        "text/markdown" => {
            let mut lines = written.lines().take(TITLE_LINES);
            lines.find_map(|line| line.strip_prefix("# "))?.trim_end_matches('#').to_owned()
        }
        _ => return None,
    };
    let found: String =
        found.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE_CHARS).collect();
    (!found.is_empty()).then_some(found)
}
