//! Finds in a result's text what the text says to use next.
//!
//! The climb goes by these alone, so each of its steps proves that the step before showed the way on. They look for a
//! mark and an opening quote: inside a JSON string the quote would be escaped, so record text cannot pass for a mark.

use anyhow::Context as _;
use serde_json::{Value, json};

/// The id of the first hit of a search.
pub(super) fn first_id(text: &str) -> anyhow::Result<String> {
    string_after(text, "\nid=").context("the search shows no id")
}

/// The address of the first file of a document.
pub(super) fn file(text: &str) -> anyhow::Result<String> {
    let document: Value = serde_json::from_str(text).context("the document is not JSON")?;
    let uri = document["metadata"]["files"][0]["uri"].as_str();
    Ok(uri.context("the document shows no address of a file")?.to_owned())
}

/// What `fetch` shows: the text of the document, and the arguments that read on.
pub(super) fn document(text: &str) -> anyhow::Result<(String, Value)> {
    let mut document: Value = serde_json::from_str(text).context("the document is not JSON")?;
    let next = document["metadata"]["continue"]["args"].take();
    anyhow::ensure!(next.is_object(), "the document does not say how to read on");
    Ok((document["text"].as_str().context("the document has no text")?.to_owned(), next))
}

/// What a window shows: the header, and the text after it.
pub(super) struct Window<'a> {
    header: Value,
    pub(super) text: &'a str,
}

impl<'a> Window<'a> {
    pub(super) fn parse(text: &'a str) -> anyhow::Result<Self> {
        let (header, text) = text.split_once('\n').context("the window has no header")?;
        Ok(Self { header: serde_json::from_str(header).context("the header is not JSON")?, text })
    }

    /// A member of the header; none if it is null.
    pub(super) fn get(&self, member: &str) -> Option<&str> {
        self.header[member].as_str()
    }

    /// The arguments that name this field, with one more.
    pub(super) fn args(&self, name: &str, value: impl Into<Value>) -> Value {
        let mut args = json!({ "id": self.header["id"], "field_path": self.header["field_path"] });
        args[name] = value.into();
        args
    }

    /// The arguments that read on from here.
    pub(super) fn next_args(&self) -> Option<Value> {
        self.get("next_cursor").map(|cursor| self.args("cursor", cursor))
    }
}

fn string_after(text: &str, mark: &str) -> Option<String> {
    let at = text.find(&format!("{mark}\""))?;
    let rest = text.get(at + mark.len()..)?;
    serde_json::Deserializer::from_str(rest).into_iter::<String>().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_text_cannot_pass_for_a_mark() {
        let text = "search: 1 hit(s).\nid=\"a/b:c\\\"d\" title=\"\\nid=\\\"x\\\"\"\n  next: none";
        assert_eq!(first_id(text).unwrap(), "a/b:c\"d");
        assert!(first_id("search: 0 hit(s).").is_err());
        assert_eq!(file(r#"{"metadata":{"files":[{"uri":"pdpp://blob/x"}]}}"#).unwrap(), "pdpp://blob/x");
        assert!(file("{}").is_err() && file("no JSON").is_err());
    }

    #[test]
    fn a_window_without_a_cursor_is_the_last() {
        let window =
            Window::parse("{\"id\":\"a/b:c\",\"field_path\":\"body\",\"next_cursor\":null}\nx\ny").unwrap();
        assert_eq!((window.text, window.next_args()), ("x\ny", None));
        assert_eq!(window.args("q", "z"), json!({ "id": "a/b:c", "field_path": "body", "q": "z" }));
    }
}
