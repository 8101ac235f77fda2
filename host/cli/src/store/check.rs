//! `stepwell store check`: looks whether a store is sound.

use super::progress::Progress;
use crate::output::{GOOD, Output};
use crate::store_args::StoreArguments;
use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Value, json};
use stepwell_source::care::{self, Checked};

/// Looks whether the store is sound
#[derive(Debug, Args)]
#[command(after_help = "\
Reads everything once: texts and files have the length and the digest that their rows say,
chunks follow each other, values lie inside the fields that they are nested in, the word index
has exactly the words of the text, and nothing refers to what is not there. SQLite looks
through its own pages too. Servers and imports may go on meanwhile.

Each problem is one line: a code, where it is, and what was found. It names records and never
repeats their text. The exit code is 1 if there is any. With --json each problem is a line of
JSON, and the last line is the sum.

  stepwell store check
  stepwell store check --json | jq -r 'select(.event == \"problem\") | .place'")]
pub(crate) struct Check {
    #[command(flatten)]
    store: StoreArguments,
}

impl Check {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let url = self.store.url()?;
        let mut progress = Progress::new(output);
        let checked = care::check(&url, &mut progress).await;
        progress.finish();
        let checked = checked.with_context(|| format!("cannot check the store {url}"))?;
        if output.is_json() {
            output.json(&to_json(&checked))?;
        } else {
            output.line(in_words(&checked))?;
        }
        refuse_problems(&checked)
    }
}

/// Ends in an error if there was a problem.
pub(super) fn refuse_problems(checked: &Checked) -> anyhow::Result<()> {
    match checked.problems {
        0 => Ok(()),
        1 => bail!("the store has a problem; keep a copy of it before you change anything"),
        many => bail!("the store has {many} problems; keep a copy of it before you change anything"),
    }
}

pub(super) fn to_json(checked: &Checked) -> Value {
    json!({
        "event": "checked",
        "records": checked.records,
        "fields": checked.fields,
        "chars": checked.chars,
        "blobs": checked.blobs,
        "blob_bytes": checked.blob_bytes,
        "indexed": checked.indexed,
        "problems": checked.problems,
        "unused_blobs": checked.unused_blobs,
        "unused_bytes": checked.unused_bytes,
        "policies_bypassed": checked.policies_bypassed,
    })
}

pub(super) fn in_words(checked: &Checked) -> String {
    let (good, count) = (if checked.problems == 0 { "sound" } else { "checked" }, HumanCount);
    let mut text = format!(
        "{GOOD}{good}{GOOD:#}: {} records, {} fields with {} characters, {} blobs with {}",
        count(checked.records),
        count(checked.fields),
        count(checked.chars),
        count(checked.blobs),
        HumanBytes(checked.blob_bytes)
    );
    if checked.unused_blobs > 0 {
        let (blobs, bytes) = (count(checked.unused_blobs), HumanBytes(checked.unused_bytes));
        text.push_str(&format!(
            "\n{blobs} blobs with {bytes} are no longer in use; remove them with: stepwell store vacuum"
        ));
    }
    if checked.policies_bypassed {
        text.push_str(
            "\nthe role that the database is opened as is a superuser, or may bypass row-level security, so the second line \
             behind the grants is off: connect as a plain role that owns the database",
        );
    }
    text
}
