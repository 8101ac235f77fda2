//! Three kinds of client, each of which sees only a part of what the server says, and each of which finishes the same
//! tasks: measured hosts show a model the text alone, the structured content alone, or links to follow.

mod content_only;
mod corpus;
mod recoveries;
mod remote;
mod resource_aware;
mod session;
mod structured_only;
mod tasks;

pub(crate) use corpus::corpus_folder;
pub(crate) use recoveries::changed_and_late;

use content_only::ContentOnly;
use resource_aware::ResourceAware;
use serde_json::{Value, json};
use session::Session;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use structured_only::StructuredOnly;

/// A kind of client: how it finds its way in what it sees.
trait Class: Sized {
    /// The name that such a client gives itself.
    const CLIENT: &str = "a test";

    fn new(session: Session) -> Self;

    fn session(&mut self) -> &mut Session;

    /// Searches, and gives the hits that it sees in their order.
    fn search(&mut self, q: &str) -> Vec<Hit>;

    /// Opens a record.
    fn open(&mut self, record: &Step) -> Result<Opened, Refused>;

    /// Reads a window of text.
    fn window(&mut self, step: &Step) -> Result<Window, Refused>;

    /// What it may read: the fields of each stream, by `connection/stream`.
    fn granted(&mut self) -> BTreeMap<String, BTreeSet<String>>;

    /// Takes up a read that was refused, by what the refusal says.
    fn restart(&mut self, opened: &Opened, path: &str, refused: &Refused) -> (u64, Step) {
        let offset = refused.error["restart_offset_chars"].as_u64().expect("where to restart");
        (offset, Step::field(json!({ "id": opened.id, "field_path": path, "offset_chars": offset })))
    }

    /// Opens the hit that has this id.
    fn find(&mut self, q: &str, id: &str) -> Opened {
        let hits = self.search(q);
        let hit = hits.iter().find(|hit| hit.id == id).unwrap_or_else(|| panic!("{q:?}: {hits:?}"));
        self.open(&hit.open).unwrap_or_else(|refused| panic!("{hit:?}: {refused:?}"))
    }

    /// Reads a text from some window of it to its end.
    fn read_on(&mut self, from: &Step) -> String {
        let (mut text, mut step) = (String::new(), Some(from.clone()));
        while let Some(at) = step {
            let window = self.window(&at).unwrap_or_else(|refused| panic!("{at:?}: {refused:?}"));
            text += &window.text;
            step = window.next;
        }
        text
    }

    /// Reads a field whole: what the record shows of it, and then the rest.
    fn read_whole(&mut self, opened: &Opened, path: &str) -> String {
        let rest =
            opened.rests.get(path).unwrap_or_else(|| panic!("no way to {path}: {:?}", opened.rests.keys()));
        rest.shown.clone() + &rest.step.as_ref().map(|step| self.read_on(step)).unwrap_or_default()
    }

    /// Reads all bytes of a file.
    fn read_bytes(&mut self, opened: &Opened, path: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut uri = opened.files.get(path).cloned();
        assert!(uri.is_some(), "no way to {path}");
        while let Some(at) = uri {
            let contents = self.session().read(&at).unwrap_or_else(|refused| panic!("{at}: {refused:?}"));
            bytes.extend(session::from_base64(contents["blob"].as_str().expect("bytes")));
            // What a model is shown: the contents, without `_meta`.
            let note: Value = contents["note"]
                .as_str()
                .map_or(Value::Null, |note| serde_json::from_str(note).expect("a note is JSON"));
            assert_eq!(note["next_uri"], contents["_meta"]["next_uri"]);
            uri = note["next_uri"].as_str().map(str::to_owned);
        }
        bytes
    }
}

/// What a client does next: always something that it was shown.
#[derive(Clone, Debug)]
enum Step {
    Call { tool: String, args: Value },
    Read(String),
}

impl Step {
    fn call(tool: &str, args: Value) -> Self {
        Self::Call { tool: tool.to_owned(), args }
    }

    fn fetch(args: Value) -> Self {
        Self::call("fetch", args)
    }

    fn field(args: Value) -> Self {
        Self::call("read_record_field", args)
    }

    /// The step that text or structured content spells as `{"tool", "args"}`.
    fn spelled(value: &Value) -> Self {
        Self::call(value["tool"].as_str().expect("a tool"), value["args"].clone())
    }

    /// The same call with larger windows, as one makes it who wants the whole field.
    fn in_large_windows(self) -> Self {
        match self {
            Self::Call { tool, mut args } => {
                args["limit_chars"] = json!(16_384);
                Self::Call { tool, args }
            }
            Self::Read(uri) => Self::Read(uri),
        }
    }
}

#[derive(Debug)]
struct Hit {
    id: String,
    open: Step,
}

/// A record, as far as a client can tell.
#[derive(Debug)]
struct Opened {
    id: String,
    /// The text fields that it saw something of.
    rests: BTreeMap<String, Rest>,
    /// The addresses of binary fields.
    files: BTreeMap<String, String>,
}

/// The beginning of a field and the way to the rest of it.
#[derive(Debug)]
struct Rest {
    shown: String,
    step: Option<Step>,
}

#[derive(Debug)]
struct Window {
    start: u64,
    text: String,
    /// The match as (start, end) in the field.
    matched: Option<(u64, u64)>,
    /// None where the source measures none.
    digest: Option<String>,
    next: Option<Step>,
}

/// A refusal, wherever the client saw it.
#[derive(Debug)]
struct Refused {
    code: String,
    error: Value,
}

impl Refused {
    fn new(error: Value) -> Self {
        Self { code: error["code"].as_str().expect("a code").to_owned(), error }
    }

    /// Whether its words send the reader to this tool or member.
    fn hints_at(&self, word: &str) -> bool {
        self.error["hint"].as_str().is_some_and(|hint| hint.contains(word))
    }
}

fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs each of the named bodies as each kind of client, over both transports.
macro_rules! as_every_class {
    ($($body:ident),* $(,)?) => { $(mod $body {
        use crate::classes::{ContentOnly, ResourceAware, StructuredOnly, session::Transport};
        #[test]
        fn by_text_over_stdio() { super::$body::<ContentOnly>(Transport::Stdio); }
        #[test]
        fn by_text_over_http() { super::$body::<ContentOnly>(Transport::Http); }
        #[test]
        fn by_structure_over_stdio() { super::$body::<StructuredOnly>(Transport::Stdio); }
        #[test]
        fn by_structure_over_http() { super::$body::<StructuredOnly>(Transport::Http); }
        #[test]
        fn by_links_over_stdio() { super::$body::<ResourceAware>(Transport::Stdio); }
        #[test]
        fn by_links_over_http() { super::$body::<ResourceAware>(Transport::Http); }
    })* };
}
use as_every_class;
