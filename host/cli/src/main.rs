//! The `stepwell` program: one file for each verb.

mod chart;
mod completions;
mod config;
mod config_args;
mod connect;
mod connections;
mod demo;
mod disclosures;
mod doctor;
mod exit;
mod export;
mod files;
mod grant;
mod import;
mod ingest;
mod log;
mod output;
mod owner;
mod pager;
mod place;
mod plugin;
mod read;
mod remote;
mod sample;
mod search;
mod serve;
mod settings;
mod show;
mod stats;
mod store;
mod store_args;
mod text_host;
mod tier_host;
mod token_args;
mod token_out;

use clap::{CommandFactory as _, Parser, Subcommand};
use exit::Exit;
use output::Output;
use std::process::ExitCode;

/// An answer is made of many small pieces that one thread makes and another frees, which most systems' own allocators are
/// slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Lets AI agents read personal data, one bounded step at a time, never outside the grant they were given.
#[derive(Debug, Parser)]
#[command(name = "stepwell", version, max_term_width = 110, after_help = GETTING_STARTED)]
struct Arguments {
    /// Prints JSON for scripts instead of text for people
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Verb,
}

const GETTING_STARTED: &str = "\
Getting started:
  stepwell demo                                          see the whole climb on sample data, no data is kept
  stepwell import mbox 'All mail.mbox' --label 'Home mail' fill a store from a mail archive or a chat export
  stepwell ingest --connection home messages mail.ndjson fill a store from lines of {\"key\", \"data\", \"emitted_at\"}
  stepwell grant create --client Claude --stream messages:subject,body --expires 30d
  stepwell search 'ferry key' --token-file token         find records by their words, as a client would
  stepwell read home/messages:m1 body --token-file token read a window of a field as a client would
  stepwell serve --token-file token                      speak MCP to a client that starts this program
  stepwell connect claude-code --token-file token        see what a client needs to be told
  stepwell doctor                                        see what is wrong, and how to fix it
  stepwell config init                                   write plugins.toml, with every setting explained
  stepwell disclosures --since 2026-01-01                see what was read, by whom, and how much

Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 77 owner token refused, 78 no usable token.";

#[derive(Debug, Subcommand)]
enum Verb {
    Demo(demo::Demo),
    Import(import::ImportArguments),
    Ingest(ingest::IngestArguments),
    Export(export::Export),
    #[command(subcommand)]
    Grant(grant::GrantVerb),
    Search(search::Search),
    Show(show::Show),
    Stats(stats::Stats),
    #[command(subcommand)]
    Owner(owner::OwnerVerb),
    Read(read::Read),
    #[command(subcommand)]
    Connections(connections::ConnectionsVerb),
    Disclosures(disclosures::Disclosures),
    Serve(serve::Serve),
    Connect(connect::Connect),
    Doctor(doctor::Doctor),
    #[command(subcommand)]
    Config(config::ConfigVerb),
    #[command(subcommand)]
    Plugin(plugin::PluginVerb),
    #[command(subcommand)]
    Store(store::StoreVerb),
    Sample(sample::Sample),
    Completions(completions::Completions),
}

fn main() -> ExitCode {
    if let Some(code) = tier_host::run_if_asked().or_else(text_host::run_if_asked) {
        return code;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // --help and --version arrive here too; they are no mistake.
            let mistake = error.use_stderr();
            let _ = error.print();
            return if mistake { Exit::Usage.into() } else { ExitCode::SUCCESS };
        }
    };
    let output = Output::new(arguments.json);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return output.failed(&error.into()).into(),
    };
    let code = match runtime.block_on(run(arguments.verb, &output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output.failed(&error).into(),
    };
    // A thread may still wait for a line of standard input that nobody will read.
    runtime.shutdown_background();
    code
}

async fn run(verb: Verb, output: &Output) -> anyhow::Result<()> {
    match verb {
        Verb::Demo(demo) => demo.run(output).await,
        Verb::Import(import) => import.run(output).await,
        Verb::Ingest(ingest) => ingest.run(output).await,
        Verb::Export(export) => export.run(output).await,
        Verb::Grant(grant) => grant.run(output).await,
        Verb::Search(search) => search.run(output).await,
        Verb::Show(show) => show.run(output).await,
        Verb::Stats(stats) => stats.run(output).await,
        Verb::Owner(owner) => owner.run(output).await,
        Verb::Read(read) => read.run(output).await,
        Verb::Connections(connections) => connections.run(output).await,
        Verb::Disclosures(disclosures) => disclosures.run(output).await,
        Verb::Serve(serve) => serve.run(output).await,
        Verb::Connect(connect) => connect.run(output),
        Verb::Doctor(doctor) => doctor.run(output).await,
        Verb::Config(config) => config.run(output),
        Verb::Plugin(plugin) => plugin.run(output).await,
        Verb::Store(store) => store.run(output).await,
        Verb::Sample(sample) => sample.run(output),
        Verb::Completions(completions) => completions.run(Arguments::command(), output),
    }
}
