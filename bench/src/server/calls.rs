//! What one request costs on a connection that is open.

use super::bare::{ANSWER, TOOL};
use super::connection::{Connection, Request};
use super::world::{BODY, SIZES, World};
use super::{Kind, Stage, Transport};
use crate::Plan;
use serde_json::json;
use stepwell_bench::measure::{Samples, in_turns};
use stepwell_bench::report::{self, Report, count};

/// Words that some of the sample's messages have and none of the long texts.
pub(crate) const QUERY: &str = "roof quote";
/// How many messages a search shows. More than so many have those words.
const RESULTS: usize = 10;

/// The calls that an agent makes on its way down, and what to call them here.
pub(super) fn requests(stage: &Stage) -> Vec<(String, Request)> {
    let read = |size: usize| {
        let arguments = json!({ "id": World::long(size), "field_path": BODY });
        let what = format!("read_record_field of {}", report::size(size));
        (what, Request::tool("read_record_field", &arguments))
    };
    let [short, long] = SIZES.map(read);
    vec![
        (
            format!("search, {RESULTS} results"),
            Request::tool("search", &json!({ "q": QUERY, "limit": RESULTS })),
        ),
        ("fetch".to_owned(), Request::tool("fetch", &json!({ "id": stage.world.message }))),
        short,
        long,
    ]
}

/// The bare server's only call.
pub(super) fn constant() -> Request {
    Request::tool(TOOL, &json!({}))
}

struct Case<'a> {
    what: String,
    connection: &'a Connection,
    request: Request,
    bytes: usize,
}

pub(super) async fn run(
    stage: &Stage,
    transport: Transport,
    plan: Plan,
    report: &Report,
) -> anyhow::Result<()> {
    let bare = Connection::open(stage, Kind::Bare, transport)?;
    let stepwell = Connection::open(stage, Kind::Stepwell, transport)?;
    let listing = ("tools/list".to_owned(), Request::new("tools/list", &json!({})));
    let mut cases = vec![case("a bare tool".to_owned(), &bare, constant())?];
    for (what, request) in std::iter::once(listing).chain(requests(stage)) {
        cases.push(case(what, &stepwell, request)?);
    }
    let samples =
        in_turns(plan.calls, &cases, async |case| case.connection.ask(&case.request).map(drop)).await?;
    report.heading(
        format_args!("server: a request over {}", transport.name()),
        format_args!(
            "times a tool of a bare server of the same library (rmcp) that answers {} constant bytes; \
             each reply's size is in brackets",
            count(ANSWER)
        ),
    )?;
    for (case, times) in cases.iter().zip(&samples) {
        let raw = format!("{}, {}", report::time(times.median()), report::size(case.bytes));
        report.line(&case.what, times.over(&samples[0]), raw)?;
    }
    flatness(&samples, report)
}

/// The claim of the window, through the whole program.
fn flatness(samples: &[Samples], report: &Report) -> anyhow::Result<()> {
    let [.., short, long] = samples else { return Ok(()) };
    let [small, large] = SIZES.map(report::size);
    let raw = format!("{} to {}", report::time(long.median()), report::time(short.median()));
    report.line(format_args!("field of {large} to field of {small}"), long.over(short), raw)
}

fn case(what: String, connection: &Connection, request: Request) -> anyhow::Result<Case<'_>> {
    let bytes = connection.checked(&request)?.len();
    Ok(Case { what, connection, request, bytes })
}
