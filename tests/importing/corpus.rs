//! Mail that people really wrote: the public SpamAssassin corpus, as an npm package carries it.

use super::done;
use crate::classes::corpus_folder;
use crate::program::Store;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The folders of the corpus, each a mailbox.
const FOLDERS: [&str; 3] = ["easy-ham-1", "hard-ham-1", "spam-1"];

/// The mails of a folder, in the order of their names.
fn mails(folder: &str) -> Vec<String> {
    let folder = corpus_folder().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let files: BTreeMap<_, _> =
        entries.map(|entry| entry.expect("an entry").path()).map(|path| (path.clone(), path)).collect();
    let json =
        files.into_values().filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    json.map(|path| {
        let file: Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("a mail")).expect("JSON");
        file["text"].as_str().expect("the mail").to_owned()
    })
    .collect()
}

#[test]
fn real_mail_is_the_same_from_an_mbox_and_from_a_maildir() {
    let store = Store::sqlite();
    for folder in FOLDERS {
        let mails = mails(folder);
        assert!(mails.len() > 200, "{folder} has {} mails", mails.len());
        let mut mbox = String::new();
        let maildir = store.path(folder);
        std::fs::create_dir_all(maildir.join("cur")).expect("a folder");
        for (n, mail) in mails.iter().enumerate() {
            let separated = mail.split_inclusive('\n').map(|line| {
                // As mboxrd marks them.
                if line.trim_start_matches('>').starts_with("From ") {
                    format!(">{line}")
                } else {
                    line.to_owned()
                }
            });
            writeln!(
                mbox,
                "From corpus@spam.example Thu Aug 22 12:36:23 2002\n{}\n",
                separated.collect::<String>()
            )
            .expect("text");
            std::fs::write(maildir.join(format!("cur/1030019783.{n:05}.corpus:2,S")), mail).expect("a mail");
        }
        let mbox = store.file(&format!("{folder}.mbox"), mbox);
        let from_mbox = done(&store, &["mbox", &mbox, "--connection", &format!("{folder}_mbox")]);
        let from_maildir = done(
            &store,
            &["maildir", maildir.to_str().unwrap(), "--connection", &format!("{folder}_maildir")],
        );
        let added =
            |report: &Value, stream: &str| report["streams"][stream]["added"].as_u64().expect("a count");
        let skipped = |report: &Value| {
            report["left_out"].as_object().expect("reasons").values().filter_map(Value::as_u64).sum::<u64>()
        };
        for report in [&from_mbox, &from_maildir] {
            assert_eq!(added(report, "messages") + skipped(report), mails.len() as u64, "{report}");
            let losses: Vec<&String> = report["left_out"]
                .as_object()
                .unwrap()
                .keys()
                .filter(|reason| *reason != "duplicate")
                .collect();
            assert!(losses.is_empty(), "{folder}: {report}");
        }
        assert!(
            added(&from_mbox, "messages").abs_diff(added(&from_maildir, "messages")) <= 2,
            "{from_mbox} {from_maildir}"
        );
        assert_eq!(added(&from_mbox, "attachments"), added(&from_maildir, "attachments"));
    }
    store.run(&["store", "check"]).assert_code(0);
}
