//! `stepwell demo`: the climb before the reader's eyes, on sample data in a store that is thrown away.

use crate::output::{BOLD, DIM, GOOD, Output, visible};
use crate::read::now_unix;
use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use std::time::Instant;
use stepwell_contract::cursor::Keyring;
use stepwell_contract::selector::{Selector, WindowArguments};
use stepwell_contract::{ConnectionId, FieldPath, ResultId, StreamName};
use stepwell_ladder::{FieldWindow, WindowRequest, read_window};
use stepwell_sample::known;
use stepwell_source::embedded::IngestTarget;
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::prepare::{Manifest, prepare};
use stepwell_source::sqlite::{self, Missing};
use stepwell_source::{Caller, Embedded, Source as _, SourceError};

/// Shows the whole climb on sample data; the store is thrown away afterwards
#[derive(Debug, Args)]
pub(crate) struct Demo {}

impl Demo {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let folder = tempfile::tempdir().context("no temporary folder for the demo's store")?;
        let started = Instant::now();
        let store = sqlite::open(&folder.path().join("demo.sqlite"), Missing::Create).await?;
        let records = fill(&store).await?;
        let filled = started.elapsed();
        output.line(format_args!(
            "{BOLD}1. A store{BOLD:#}: {records} invented records from two mail accounts and a chat export, in {filled:.1?}"
        ))?;
        let request = request()?;
        let (grant, token) = store.create_grant(&request).await?;
        output.line(format_args!(
            "{BOLD}2. A grant{BOLD:#} for \"{}\": {} of {} may be read, nothing else",
            grant.client,
            grant.streams[0].fields.join(", "),
            grant.streams[0].connection_id
        ))?;
        let caller = store.authenticate(&token).await?;
        let climb = Climb { keys: store.keyring().await?, store, caller, output };
        climb.run().await
    }
}

struct Climb<'a> {
    store: Embedded,
    keys: Keyring,
    caller: Caller,
    output: &'a Output,
}

impl Climb<'_> {
    async fn run(&self) -> anyhow::Result<()> {
        let field = known::LONG_TEXT.field;
        let first = self.window(field, WindowArguments::default()).await?;
        self.show("3. A window", "the first step into a long mail", &first)?;

        let next = WindowArguments { cursor: first.next_cursor.clone(), ..WindowArguments::default() };
        self.show(
            "4. The next one",
            "by the cursor that the first one gave",
            &self.window(field, next).await?,
        )?;

        let q = Some(known::UNIQUE_QUERY.to_owned());
        let arguments = WindowArguments {
            q,
            before_chars: Some(60),
            after_chars: Some(60),
            ..WindowArguments::default()
        };
        let found = self.window(field, arguments).await?;
        self.show("5. A match", "near the end, found whatever its case", &found)?;

        let (windows, bytes) = self.to_the_last_character(field).await?;
        self.output.line(format_args!(
            "\n{BOLD}6. To the last character{BOLD:#}: {windows} windows, {bytes} bytes, {GOOD}same SHA-256 as the field{GOOD:#}"
        ))?;

        let refused = self.window("body_html", WindowArguments::default()).await;
        let Err(SourceError::Refused(refusal)) = refused else {
            anyhow::bail!("an ungranted field was read")
        };
        if self.output.is_json() {
            self.output.json(&refusal.to_json())?;
        }
        self.output.line(format_args!("\n{BOLD}7. Outside the grant{BOLD:#}: {refusal}"))
    }

    async fn window(&self, field: &str, arguments: WindowArguments) -> Result<FieldWindow, SourceError> {
        let id = ResultId::parse(&known::LONG_TEXT.id())?;
        let request = WindowRequest {
            record: id.into(),
            path: FieldPath::top_level(field),
            selector: Selector::parse(arguments)?,
        };
        let now = now_unix().unwrap_or_default();
        read_window(&self.store, &self.keys, &self.caller, &request, now).await
    }

    fn show(&self, title: &str, what: &str, window: &FieldWindow) -> anyhow::Result<()> {
        if self.output.is_json() {
            return self.output.json(&json!({ "step": title, "result": window.structured() }));
        }
        let text = window.to_text();
        let (header, body) = text.split_once('\n').unwrap_or((&text, ""));
        let excerpt: String = visible(body).chars().take(240).collect();
        self.output.line(format_args!(
            "\n{BOLD}{title}{BOLD:#}: {what} {DIM}({} bytes){DIM:#}\n{DIM}{header}{DIM:#}\n{excerpt}{DIM}…{DIM:#}",
            text.len()
        ))
    }

    /// Reads the whole field window by window and compares it with the digest that every window carries.
    async fn to_the_last_character(&self, field: &str) -> anyhow::Result<(usize, usize)> {
        use sha2::{Digest as _, Sha256};
        let (mut hash, mut windows, mut bytes, mut cursor) = (Sha256::new(), 0, 0, None);
        loop {
            let arguments =
                WindowArguments { cursor, limit_chars: Some(16_384), ..WindowArguments::default() };
            let window = self.window(field, arguments).await?;
            hash.update(window.text.as_bytes());
            windows += 1;
            bytes += window.text.len();
            if window.next_cursor.is_none() {
                let whole: [u8; 32] = hash.finalize().into();
                anyhow::ensure!(whole == window.field.shape.digest.0, "the windows do not join to the field");
                return Ok((windows, bytes));
            }
            cursor = window.next_cursor;
        }
    }
}

fn request() -> anyhow::Result<GrantRequest> {
    let fields = ["subject", "from", "sent_at", known::LONG_TEXT.field];
    Ok(GrantRequest {
        client: "demo agent".to_owned(),
        subject: "owner".to_owned(),
        purpose: None,
        expires_at: None,
        streams: vec![StreamRequest {
            name: StreamName::new(known::LONG_TEXT.stream)?,
            connections: vec![ConnectionId::new(known::LONG_TEXT.connection)?],
            fields: Some(fields.map(str::to_owned).to_vec()),
            since: None,
            until: None,
            resources: None,
        }],
    })
}

/// Ingests the sample data.
pub(crate) async fn fill(store: &Embedded) -> anyhow::Result<u64> {
    let mut records = 0;
    for connection in stepwell_sample::connections() {
        for stream in &connection.streams {
            let manifest = Manifest::parse(&stream.manifest.to_string(), stream.name)?;
            let mut ingest = store
                .ingest(&IngestTarget {
                    connection: ConnectionId::new(connection.id)?,
                    connector: Some(connection.connector.to_owned()),
                    label: Some(connection.label.to_owned()),
                    stream: StreamName::new(stream.name)?,
                    manifest: manifest.clone(),
                })
                .await?;
            for line in stream.ndjson().lines() {
                ingest.push(prepare(line.as_bytes(), &manifest)?).await?;
                records += 1;
            }
            ingest.flush().await?;
        }
    }
    Ok(records)
}
