//! The climb: from a question to the last character, each step by what the step before showed.

use super::printed::{self, Window};
use super::show::{Call, Show, Step, grouped};
use anyhow::Context as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::time::Instant;
use stepwell_ladder::{Asker, Client, Ladder, ToolResult};
use stepwell_sample::known;
use stepwell_server::wire;
use stepwell_source::Caller;

/// The question that the long mail answers near its end.
const QUESTION: &str = "key of the ferry";
/// Words of the message that [`known::LARGE_BLOB`] hangs on, and of its file's name.
const FILE: &str = "east-07 all of may";
/// A field of every message that the demo's grant does not name.
const OUTSIDE: &str = "headers";

pub(super) struct Climb<'a> {
    pub(super) ladder: Ladder,
    pub(super) caller: Caller,
    pub(super) show: &'a Show<'a>,
}

/// What came back from a call.
struct Came {
    /// The text, block by block: all that some hosts show to a model.
    text: Vec<String>,
    /// The size of everything.
    whole: usize,
    is_error: bool,
}

impl Came {
    fn first(&self) -> &str {
        self.text.first().map_or("", String::as_str)
    }
}

#[derive(Clone, Copy)]
enum Tool {
    Search,
    Fetch,
    ReadRecordField,
}

impl Climb<'_> {
    pub(super) async fn run(&self) -> anyhow::Result<()> {
        use Tool::{Fetch, ReadRecordField, Search};
        let found = self.step("search", "a question in words", Search, json!({ "q": QUESTION })).await?;

        let id = json!({ "id": printed::first_id(found.first())? });
        let fetched = self.step("fetch", "the first hit, by the id that the search shows", Fetch, id).await?;
        let (head, continue_args) = printed::document(fetched.first())?;

        let what = "its text goes on; the arguments are those that the document shows";
        let came = self.step("read_record_field", what, ReadRecordField, continue_args).await?;
        let first = Window::parse(came.first())?;

        let on = first.next_args().context("the first window shows no cursor")?;
        let came =
            self.step("next", "the next window, by the cursor of the last", ReadRecordField, on).await?;
        let second = Window::parse(came.first())?;

        let mut phrase = first.args("q", known::UNIQUE_QUERY);
        phrase["before_chars"] = json!(60);
        phrase["after_chars"] = json!(60);
        let what = "a phrase near the end of megabytes, whatever its case";
        let came = self.step("match", what, ReadRecordField, phrase).await?;
        let matched = Window::parse(came.first())?;

        let uri = matched.get("next_uri").context("the match shows no address of the next window")?;
        self.read("resource", "what follows the match, by the address that its window shows", uri).await?;

        let file = json!({ "q": FILE });
        let found = self.step("search for a file", "by words of its message", Search, file).await?;
        let id = json!({ "id": printed::first_id(found.first())? });
        let fetched = self.step("fetch its message", "to see which files it has", Fetch, id).await?;
        let uri = printed::file(fetched.first())?;
        self.read("blob", "the file's first bytes in base64, by the address that the message shows", &uri)
            .await?;

        self.to_the_last_character(&head, &first, &second).await?;
        self.outside_the_grant(first.args("field_path", OUTSIDE)).await
    }

    /// Calls a tool, which must succeed, and shows it.
    async fn step(&self, name: &str, what: &str, tool: Tool, args: Value) -> anyhow::Result<Came> {
        let came = self.show_call(name, what, tool, &args).await?;
        anyhow::ensure!(!came.is_error, "the step {name} was refused: {}", came.first());
        Ok(came)
    }

    async fn show_call(&self, name: &str, what: &str, tool: Tool, args: &Value) -> anyhow::Result<Came> {
        let started = Instant::now();
        let came = self.call(tool, args).await?;
        let (call, took) = (Call::Tool(tool.name(), args), started.elapsed());
        self.show.step(&Step { name, what, call, text: &came.text, whole: came.whole, took })?;
        Ok(came)
    }

    async fn call(&self, tool: Tool, args: &Value) -> anyhow::Result<Came> {
        let asker = Asker { caller: &self.caller, client: Client::default(), exports: None };
        let outcome: ToolResult = match tool {
            Tool::Search => self.ladder.search(&asker, args).await,
            Tool::Fetch => self.ladder.fetch(&asker, args).await,
            Tool::ReadRecordField => self.ladder.read_record_field(&asker, args).await,
        };
        let result = wire::tool_result(outcome)?;
        let is_error = result["isError"] == true;
        Ok(Came { text: texts(&result["content"], "text"), whole: result.to_string().len(), is_error })
    }

    /// Reads a resource and shows it.
    async fn read(&self, name: &str, what: &str, uri: &str) -> anyhow::Result<()> {
        let started = Instant::now();
        let asker = Asker { caller: &self.caller, client: Client::default(), exports: None };
        let found = self.ladder.read_resource(&asker, uri).await?;
        let result = wire::resource_result(found)?;
        let took = started.elapsed();
        let mut text = texts(&result["contents"], "blob");
        text.extend(texts(&result["contents"], "text"));
        let (call, whole) = (Call::Resource(uri), result.to_string().len());
        self.show.step(&Step { name, what, call, text: &text, whole, took })
    }

    /// Joins what `fetch` and the first two windows showed with all windows that follow, and compares the whole with the
    /// digest that stands in every header.
    async fn to_the_last_character(
        &self,
        head: &str,
        first: &Window<'_>,
        second: &Window<'_>,
    ) -> anyhow::Result<()> {
        let started = Instant::now();
        let mut hash = Sha256::new();
        let (mut windows, mut field, mut results) = (2, 0, 0);
        for text in [head, first.text, second.text] {
            hash.update(text);
            field += text.len();
        }
        let mut next = second.next_args();
        while let Some(mut args) = next {
            args["limit_chars"] = json!(16_384);
            let came = self.call(Tool::ReadRecordField, &args).await?;
            anyhow::ensure!(!came.is_error, "a cursor led nowhere: {}", came.first());
            let window = Window::parse(came.first())?;
            hash.update(window.text);
            (windows, field, results) = (windows + 1, field + window.text.len(), results + came.whole);
            next = window.next_args();
        }
        let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let digest = first.get("digest").context("the window shows no digest")?;
        anyhow::ensure!(digest == format!("sha256:{hex}"), "the windows do not join to the field");
        let took = started.elapsed();
        self.show.remark(
            "to the last character",
            format_args!(
                "the document's text and {windows} windows join to {} bytes\n   \
                 same SHA-256 as the field: {hex}\n   = {} bytes of results after the second window, {took:.1?}",
                grouped(field),
                grouped(results)
            ),
            json!({
                "windows": windows, "sha256": hex,
                "bytes": { "text": field, "result": results }, "ms": took.as_millis(),
            }),
        )
    }

    async fn outside_the_grant(&self, args: Value) -> anyhow::Result<()> {
        let what = "a field of the same mail that the grant does not name";
        let came = self.show_call("refusal", what, Tool::ReadRecordField, &args).await?;
        anyhow::ensure!(came.is_error, "a field outside the grant was read");
        Ok(())
    }
}

impl Tool {
    const fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Fetch => "fetch",
            Self::ReadRecordField => "read_record_field",
        }
    }
}

/// This member of every block that has it.
fn texts(blocks: &Value, member: &str) -> Vec<String> {
    let blocks = blocks.as_array().into_iter().flatten();
    blocks.filter_map(|block| block[member].as_str().map(str::to_owned)).collect()
}
