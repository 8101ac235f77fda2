//! The tasks on mail that people really wrote: the public SpamAssassin corpus, as an npm package carries it.

mod mails;
mod package;

use crate::classes::session::{Session, Transport};
use crate::classes::tasks::{deep_phrase, file_bytes, nested_value, two_accounts};
use crate::classes::{Class, as_every_class};
use crate::mcp::world::World;
use crate::program::Store;
pub(crate) use package::folder as corpus_folder;

use mails::{Account, DIGEST_KEY, Mail};
use serde_json::{Value, json};
use std::sync::OnceLock;

as_every_class!(
    a_phrase_deep_in_real_mail,
    a_number_that_two_folders_use,
    a_header_inside_json,
    all_bytes_of_an_attachment
);

/// The folders that become accounts, and how many mails of each.
const HAM: (&str, &str, usize) = ("cin_ham", "easy-ham-1", 300);
const SPAM: (&str, &str, usize) = ("cin_spam", "spam-1", 200);

/// The corpus in a store, and what is known about it.
struct Corpus {
    world: World,
    ham: Account,
    spam: Account,
}

impl Corpus {
    fn shared() -> &'static Self {
        static CORPUS: OnceLock<Corpus> = OnceLock::new();
        CORPUS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let [ham, spam] = [HAM, SPAM].map(|(connection, folder, count)| {
            Account::from_folder(connection, &package::folder().join(folder), count)
        });
        let store = Store::sqlite();
        for account in [&ham, &spam] {
            let file = store.file(&format!("{}.ndjson", account.connection), account.ndjson());
            let label = format!("The folder {}", account.connection);
            let ran = store.run(&[
                "ingest",
                "--strict",
                "--json",
                "--connection",
                account.connection,
                "--label",
                &label,
                "mails",
                &file,
            ]);
            ran.assert_code(0);
            let done = ran.json_lines().pop().expect("a last event");
            assert_eq!(done["added"], json!(account.records().count()), "{done}");
        }
        let all = store.grant(&["--stream", "mails"]);
        Self { world: World { store, all }, ham, spam }
    }

    fn client<C: Class>(&self, transport: Transport) -> C {
        Session::open(&self.world, &self.world.all, transport)
    }
}

/// Words of a text that stand together nowhere before in it, from about this place on.
fn phrase_at(text: &str, share: f64) -> &str {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rough place"
    )]
    let from = (text.len() as f64 * share) as usize;
    let from = (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let fresh = |line: &&str| text.find(*line).is_some_and(|at| at >= from);
    text[from..]
        .lines()
        .skip(1)
        .filter(|line| mails::is_plain(line))
        .find(fresh)
        .expect("a line of plain words")
}

fn a_phrase_deep_in_real_mail<C: Class>(transport: Transport) {
    let corpus = Corpus::shared();
    let whole = corpus.ham.digest["body"].as_str().unwrap();
    assert!(whole.len() > 2_000_000, "several megabytes: {}", whole.len());
    let phrase = phrase_at(whole, 0.9);
    let id = format!("{}/mails:{DIGEST_KEY}", corpus.ham.connection);
    deep_phrase(&mut corpus.client::<C>(transport), &id, "body", whole, &phrase.to_uppercase(), phrase);
}

fn a_number_that_two_folders_use<C: Class>(transport: Transport) {
    let corpus = Corpus::shared();
    let accounts = [&corpus.ham, &corpus.spam];
    // The first number that both folders use for a mail of some length.
    let long = |mail: &&Mail| mail.body().len() > 1_500 && mails::has_plain_line(mail.body());
    let ham = corpus.ham.mails.iter().filter(long);
    let (ham, spam) = ham
        .filter_map(|ham| {
            corpus.spam.mails.iter().filter(long).find(|spam| spam.key == ham.key).map(|spam| (ham, spam))
        })
        .next()
        .expect("a number that both use");
    let variants =
        [(accounts[0].connection, ham.body().to_owned()), (accounts[1].connection, spam.body().to_owned())];
    let queries = [ham, spam].map(|mail| phrase_at(mail.body(), 0.0));
    two_accounts(&mut corpus.client::<C>(transport), "mails", &ham.key, "body", &variants, queries);
}

fn a_header_inside_json<C: Class>(transport: Transport) {
    let corpus = Corpus::shared();
    let way = |mail: &&Mail| mail.data["headers"]["received"].as_array().is_some_and(|hops| hops.len() > 4);
    let mail = corpus.ham.mails.iter().filter(way).find(|mail| mails::has_plain_line(mail.body())).unwrap();
    let id = format!("{}/mails:{}", corpus.ham.connection, mail.key);
    let q = phrase_at(mail.body(), 0.0);
    nested_value(&mut corpus.client::<C>(transport), q, &id, &mail.data, "/headers/received/3");
}

fn all_bytes_of_an_attachment<C: Class>(transport: Transport) {
    let corpus = Corpus::shared();
    let (account, mail) = [&corpus.ham, &corpus.spam]
        .into_iter()
        .flat_map(|account| account.mails.iter().map(move |mail| (account, mail)))
        .find(|(_, mail)| mail.data["attachment"] != Value::Null && !mail.subject().is_empty())
        .expect("a mail with a file");
    let id = format!("{}/mails:{}", account.connection, mail.key);
    let bytes = super::session::from_base64(mail.data["attachment"]["$blob"]["base64"].as_str().unwrap());
    assert!(bytes.len() > 1_000, "a real file: {} bytes", bytes.len());
    file_bytes(&mut corpus.client::<C>(transport), mail.subject(), &id, "attachment", &bytes);
}
