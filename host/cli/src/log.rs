//! The log: on standard error, because standard output belongs to results and to the protocol.

use clap::ValueEnum;
use std::io::IsTerminal as _;
use stepwell_server::config::LogFormat;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How much is logged.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LogLevel {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// And what looks wrong.
    Warn,
    /// And each request: tool, outcome, time; never what it asked for or was given.
    Info,
    /// And details for a developer.
    Debug,
}

impl LogLevel {
    pub(crate) const fn filter(self) -> LevelFilter {
        match self {
            Self::Off => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
        }
    }
}

/// Starts the log. Libraries are heard when they fail and no more than that: some log whole messages further down,
/// and a message holds what was asked for or what a record says.
pub(crate) fn start(level: LevelFilter, format: LogFormat) {
    let libraries = level.min(LevelFilter::ERROR);
    let targets = Targets::new()
        .with_default(libraries)
        // Refused hosts and origins, which an operator wants to know.
        .with_target("rmcp::transport::streamable_http_server", level.min(LevelFilter::WARN))
        .with_target("stepwell", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    // A second start in one process would be a mistake in this program, and the first one goes on.
    let _ = tracing_subscriber::registry().with(targets).with(lines).try_init();
}
