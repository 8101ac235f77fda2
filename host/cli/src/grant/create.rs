//! `stepwell grant create`: says what a grant discloses, asks, and prints its token once.

use super::interview::{Interview, Offer};
use super::{outlook, show};
use crate::exit::UsageError;
use crate::output::{BOLD, Output, visible};
use crate::store_args::StoreArguments;
use crate::token_out::TokenOut;
use anyhow::{Context as _, bail};
use clap::Args;
use jiff::{Span, SpanRelativeTo};
use std::io::{BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use stepwell_contract::{ConnectionId, RecordId, StreamName};
use stepwell_source::Embedded;
use stepwell_source::care;
use stepwell_source::grant::document::GrantDocument;
use stepwell_source::grant::{AccessMode, GrantRequest, StreamRequest, Terms};
use stepwell_source::sqlite::Missing;
use stepwell_source::time::{self, Millis};

/// Makes a grant and prints its token, once
#[derive(Debug, Args)]
#[command(after_help = "\
What you leave out is settled now and never grows by itself: without fields, all fields that the stream has; without
--connection, all connections that have the stream.

  stepwell grant create --client Claude --stream messages:subject,body --connection cin_home --expires 30d
  stepwell grant create --client ci --stream messages --since 2026-01-01 --yes --token-out token

Before anything is made it says what the grant discloses: how many records, of which days, and,
where someone is asked, some of them. --interactive asks for everything, step by step.

  stepwell grant create --interactive

--from takes a request in PDPP's shape, or a grant as `grant show --json` prints it: streams (each with name or a sole \"*\",
instance_ids, time_range, view or fields, resources), client, subject, source, purpose_code, purpose_description, access_mode,
retention, expires_at. A member that is not known is an error.

  stepwell grant create --from request.json --client Claude
  stepwell grant show GRANT --json | stepwell grant create --from - --yes")]
pub(crate) struct Create {
    #[command(flatten)]
    store: StoreArguments,
    /// Who the grant is for, in your own words
    #[arg(long, value_name = "NAME", required_unless_present_any = ["from", "interactive"])]
    client: Option<String>,
    /// A stream, and after a colon its fields; may be given several times
    #[arg(long = "stream", value_name = "NAME[:FIELD,…]", required_unless_present_any = ["from", "interactive"])]
    streams: Vec<StreamSpec>,
    /// Asks what to grant, and proposes little
    #[arg(long, short)]
    #[arg(conflicts_with_all = ["streams", "from", "connections", "since", "until", "records", "expires", "yes"])]
    interactive: bool,
    /// Takes the request from a JSON file, or from standard input (-)
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["streams", "connections", "since", "until", "records", "purpose", "purpose_code", "single_use"])]
    from: Option<PathBuf>,
    /// Only these connections; may be given several times
    #[arg(long = "connection", value_name = "ID")]
    connections: Vec<ConnectionId>,
    /// Only records from this moment on (RFC 3339, or a date)
    #[arg(long, value_name = "T", value_parser = moment)]
    since: Option<Millis>,
    /// Only records before this moment
    #[arg(long, value_name = "T", value_parser = moment)]
    until: Option<Millis>,
    /// Only these records, by key; may be given several times
    #[arg(long = "record", value_name = "KEY")]
    records: Vec<RecordId>,
    /// When the grant ends: a length such as 30d or 12h, or a moment
    #[arg(long, value_name = "T", value_parser = expiry)]
    expires: Option<Millis>,
    /// What it is for, in your own words
    #[arg(long, value_name = "TEXT")]
    purpose: Option<String>,
    /// The code of that purpose, where your client names one
    #[arg(long, value_name = "CODE")]
    purpose_code: Option<String>,
    /// One token is issued for the grant, and it lives for a day
    #[arg(long)]
    single_use: bool,
    #[command(flatten)]
    token: TokenOut,
    /// Issues no token yet: for a package, or for `grant token create`
    #[arg(long, conflicts_with = "token_out")]
    no_token: bool,
    /// Does not ask
    #[arg(long, short)]
    yes: bool,
}

/// A stream and its fields, as they are spelled on the command line.
#[derive(Clone, Debug)]
struct StreamSpec {
    name: StreamName,
    fields: Option<Vec<String>>,
}

impl FromStr for StreamSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, fields) = match text.split_once(':') {
            None => (text, None),
            Some((_, "")) => {
                return Err("after the colon stand the fields; leave it out for all of them".into());
            }
            Some((name, fields)) => (name, Some(fields.split(',').map(str::to_owned).collect())),
        };
        let name = StreamName::new(name).map_err(|rule| format!("a stream's name {rule}"))?;
        Ok(Self { name, fields })
    }
}

impl Create {
    pub(crate) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let can_ask = std::io::stdin().is_terminal();
        if self.interactive && (output.is_json() || !can_ask) {
            let message = "nobody can be asked here: say what to grant with --client, --stream and --yes \
                           (stepwell grant create --help)";
            return Err(UsageError(message.to_owned()).into());
        }
        let store = self.store.open(Missing::Refuse).await?;
        let (request, terms) = match self.interactive {
            true => (self.asked(&store).await?, self.terms()),
            false => self.request(&store).await?,
        };
        let planned = store.plan_grant(&request).await?;
        let foreseen = care::foresee(&self.store.url()?, &planned).await?;
        // Where nobody is asked, nobody need see what stands in records.
        let examples = match can_ask && !self.yes && !output.is_json() {
            true => outlook::examples(&store, &request, &planned).await?,
            false => Vec::new(),
        };
        let gap = if self.interactive { "\n" } else { "" };
        output.line(format_args!(
            "{gap}{BOLD}{}{BOLD:#} may read:\n{}",
            visible(&request.client),
            outlook::in_words(&planned, &foreseen, &examples)
        ))?;
        output.line(match request.expires_at {
            Some(at) => format!("  until {}", time::print(at)),
            None => "  until you revoke it".to_owned(),
        })?;
        if terms.access_mode == AccessMode::SingleUse {
            output.line("  with one token, for a day at most")?;
        }
        if !self.yes && !confirmed("Make this grant?", "pass --yes to make the grant")? {
            bail!("no grant was made");
        }
        if self.no_token {
            let grant = store.create_grant_without_token(&request, &terms).await?;
            output.line(format_args!("\nmade {}", grant.grant_id))?;
            return if output.is_json() { output.json(&show::to_json(&grant)) } else { Ok(()) };
        }
        let file = self.token.prepare()?;
        let (grant, token) = store.create_grant_on(&request, &terms).await?;
        let made = format!("\nmade {}", grant.grant_id);
        file.hand_over(output, &made, show::to_json(&grant), &token)
    }

    /// What someone at the terminal answers.
    async fn asked(&self, store: &Embedded) -> anyhow::Result<GrantRequest> {
        let offers = self.offers(store).await?;
        if offers.is_empty() {
            bail!("there is nothing to grant yet; fill the store with: stepwell import");
        }
        let client = self.client.clone();
        let answers = tokio::task::spawn_blocking(move || {
            let (input, out) = (std::io::stdin().lock(), anstream::stderr().lock());
            Interview { input, out, now: time::now() }.hold(client, &offers)
        });
        let answers = answers.await??;
        Ok(GrantRequest {
            client: answers.client,
            subject: "owner".to_owned(),
            purpose: self.purpose.clone(),
            expires_at: answers.expires_at,
            streams: answers.streams,
        })
    }

    /// All that could be granted, in the order of connections.
    async fn offers(&self, store: &Embedded) -> anyhow::Result<Vec<Offer>> {
        let (scopes, mut planned) = (store.scopes().await?, Vec::new());
        for scope in &scopes {
            let all = StreamRequest {
                name: StreamName::new(&scope.stream)?,
                connections: vec![ConnectionId::new(&scope.connection)?],
                fields: None,
                since: None,
                until: None,
                resources: None,
            };
            planned.extend(store.plan_grant(&GrantRequest { streams: vec![all], ..self.spelled() }).await?);
        }
        let foreseen = care::foresee(&self.store.url()?, &planned).await?;
        let mut offers = Vec::new();
        for ((scope, planned), foreseen) in scopes.into_iter().zip(planned).zip(foreseen) {
            let says_what_it_is =
                |field: &&String| matches!(scope.manifest.role_of(field), Some("title" | "author" | "time"));
            offers.push(Offer {
                narrow: planned.fields.iter().filter(says_what_it_is).cloned().collect(),
                fields: planned.fields,
                connection: ConnectionId::new(scope.connection)?,
                label: scope.label,
                stream: StreamName::new(scope.stream)?,
                records: foreseen.records,
                times: foreseen.times,
            });
        }
        offers.sort_by(|a, b| (&a.connection, &a.stream).cmp(&(&b.connection, &b.stream)));
        Ok(offers)
    }

    /// What is asked for, in the file or on the command line.
    async fn request(&self, store: &Embedded) -> anyhow::Result<(GrantRequest, Terms)> {
        let Some(file) = &self.from else { return Ok((self.spelled(), self.terms())) };
        let document = GrantDocument::parse(&text_of(file)?)?;
        let mut request = store.resolve(&document, self.client.as_deref()).await?;
        request.expires_at = self.expires.or(request.expires_at);
        Ok((request, document.terms))
    }

    fn terms(&self) -> Terms {
        let access_mode = if self.single_use { AccessMode::SingleUse } else { AccessMode::Continuous };
        Terms { access_mode, purpose_code: self.purpose_code.clone(), ..Terms::default() }
    }

    fn spelled(&self) -> GrantRequest {
        let stream = |spec: &StreamSpec| StreamRequest {
            name: spec.name.clone(),
            connections: self.connections.clone(),
            fields: spec.fields.clone(),
            since: self.since,
            until: self.until,
            resources: (!self.records.is_empty()).then(|| self.records.clone()),
        };
        GrantRequest {
            client: self.client.clone().unwrap_or_default(),
            subject: "owner".to_owned(),
            purpose: self.purpose.clone(),
            expires_at: self.expires,
            streams: self.streams.iter().map(stream).collect(),
        }
    }
}

/// Asks someone at the terminal; where nobody can be asked, says what to do instead.
pub(crate) fn confirmed(question: &str, instead: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(UsageError(format!("nobody can be asked here: {instead}")).into());
    }
    let mut out = anstream::stderr().lock();
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// How long a request may be: it is a page, and not data.
const REQUEST_MAX: u64 = 1024 * 1024;

fn text_of(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = match file.as_os_str() == "-" {
        true => std::io::stdin().lock().take(REQUEST_MAX + 1).read_to_string(&mut text),
        false => std::fs::File::open(file)
            .and_then(|opened| opened.take(REQUEST_MAX + 1).read_to_string(&mut text)),
    };
    let read = read.with_context(|| format!("cannot read the request {}", file.display()))?;
    if read as u64 > REQUEST_MAX {
        bail!("the request {} is longer than {REQUEST_MAX} bytes", file.display());
    }
    Ok(text)
}

/// A moment on the command line.
pub(crate) fn moment(text: &str) -> Result<Millis, String> {
    time::parse(text).ok_or_else(|| "write a date such as 2026-01-31, or 2026-01-31T08:00:00Z".to_owned())
}

/// An end on the command line.
pub(crate) fn expiry(text: &str) -> Result<Millis, String> {
    if let Some(at) = time::parse(text) {
        return Ok(at);
    }
    let wrong = |_| "write a length such as 30d or 12h, or a moment such as 2026-01-31".to_owned();
    Ok(time::now().saturating_add(length(text).map_err(wrong)?))
}

/// A length of time on the command line.
pub(crate) fn length(text: &str) -> Result<Millis, String> {
    let wrong = || "write a length such as 30d or 12h".to_owned();
    let span: Span = text.parse().map_err(|_| wrong())?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    let millis = Millis::try_from(length.as_millis()).map_err(|_| wrong())?;
    if millis <= 0 { Err(wrong()) } else { Ok(millis) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_streams_with_and_without_fields() {
        let spec: StreamSpec = "messages:subject,body".parse().unwrap();
        assert_eq!(spec.fields.unwrap(), ["subject", "body"]);
        assert!("messages".parse::<StreamSpec>().unwrap().fields.is_none());
        assert!("messages:".parse::<StreamSpec>().is_err());
        assert!("a/b".parse::<StreamSpec>().is_err());
    }

    #[test]
    fn reads_lengths_and_moments() {
        let in_a_month = expiry("30d").unwrap() - time::now();
        assert!((in_a_month - 30 * 86_400_000).abs() < 10_000);
        assert_eq!(expiry("2026-01-01").unwrap(), 1_767_225_600_000);
        for wrong in ["", "-3d", "soon", "30"] {
            assert!(expiry(wrong).is_err(), "{wrong}");
        }
    }
}
