//! `stepwell grant create`: says what a grant discloses, asks, and prints its token once.

use super::show;
use crate::exit::UsageError;
use crate::output::{BOLD, Output};
use crate::store_args::StoreArguments;
use anyhow::{Context as _, bail};
use clap::Args;
use jiff::{Span, SpanRelativeTo};
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use stepwell_contract::{ConnectionId, RecordId, StreamName};
use stepwell_source::Token;
use stepwell_source::grant::{GrantRequest, StreamRequest};
use stepwell_source::sqlite::Missing;
use stepwell_source::time::{self, Millis};

/// Makes a grant and prints its token, once
#[derive(Debug, Args)]
#[command(after_help = "\
What you leave out is settled now and never grows by itself: without fields, all fields that the stream has; without
--connection, all connections that have the stream.

  stepwell grant create --client Claude --stream messages:subject,body --connection cin_home --expires 30d
  stepwell grant create --client ci --stream messages --since 2026-01-01 --yes --token-out token")]
pub(crate) struct Create {
    #[command(flatten)]
    store: StoreArguments,
    /// Who the grant is for, in your own words
    #[arg(long, value_name = "NAME")]
    client: String,
    /// A stream, and after a colon its fields; may be given several times
    #[arg(long = "stream", value_name = "NAME[:FIELD,…]", required = true)]
    streams: Vec<StreamSpec>,
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
    /// Writes the token to a new file that only you can read, instead of printing it
    #[arg(long, value_name = "FILE")]
    token_out: Option<PathBuf>,
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
        let store = self.store.open(Missing::Refuse).await?;
        let request = self.request();
        let planned = store.plan_grant(&request).await?;
        output.line(format_args!(
            "{BOLD}{}{BOLD:#} may read:\n{}",
            request.client,
            show::coverage(&planned)
        ))?;
        output.line(match request.expires_at {
            Some(at) => format!("  until {}", time::print(at)),
            None => "  until you revoke it".to_owned(),
        })?;
        if !self.yes && !confirmed("Make this grant?", "pass --yes to make the grant")? {
            bail!("no grant was made");
        }
        // The file comes first: a token that cannot be kept should never have existed.
        let file = self.token_out.as_deref().map(new_private_file).transpose()?;
        let (grant, token) = store.create_grant(&request).await?;
        if let Some(mut file) = file {
            writeln!(file, "{}", token.reveal())
                .context("the grant was made, but its token could not be written")?;
        }
        self.report(output, &grant, &token)
    }

    fn report(
        &self,
        output: &Output,
        grant: &stepwell_source::grant::Grant,
        token: &Token,
    ) -> anyhow::Result<()> {
        if output.is_json() {
            let mut value = show::to_json(grant);
            if self.token_out.is_none() {
                value["token"] = token.reveal().into();
            }
            return output.json(&value);
        }
        output.line(format_args!("\nmade {}", grant.grant_id))?;
        match &self.token_out {
            Some(file) => output.line(format_args!("the token is in {}", file.display())),
            None => output.line(format_args!("the token, shown only this once:\n{}", token.reveal())),
        }
    }

    fn request(&self) -> GrantRequest {
        let stream = |spec: &StreamSpec| StreamRequest {
            name: spec.name.clone(),
            connections: self.connections.clone(),
            fields: spec.fields.clone(),
            since: self.since,
            until: self.until,
            resources: (!self.records.is_empty()).then(|| self.records.clone()),
        };
        GrantRequest {
            client: self.client.clone(),
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

fn new_private_file(path: &Path) -> anyhow::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path).with_context(|| format!("cannot make the token file {}", path.display()))
}

/// A moment on the command line.
pub(crate) fn moment(text: &str) -> Result<Millis, String> {
    time::parse(text).ok_or_else(|| "write a date such as 2026-01-31, or 2026-01-31T08:00:00Z".to_owned())
}

fn expiry(text: &str) -> Result<Millis, String> {
    if let Some(at) = time::parse(text) {
        return Ok(at);
    }
    let wrong = || "write a length such as 30d or 12h, or a moment such as 2026-01-31".to_owned();
    let span: Span = text.parse().map_err(|_| wrong())?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    let millis = Millis::try_from(length.as_millis()).map_err(|_| wrong())?;
    if millis <= 0 { Err(wrong()) } else { Ok(time::now().saturating_add(millis)) }
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
