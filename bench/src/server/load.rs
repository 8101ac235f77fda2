//! Many clients at a time over HTTP: how many requests a server answers in a second, and how long the slowest of a hundred
//! waits. A bare tool of the same library and a bare route of the same framework stand beside it in every round.

mod client;
mod tally;

use super::bare::{KEPT, ROUTE, WINDOW};
use super::calls::{QUERY, constant};
use super::connection::Request;
use super::guard::Running;
use super::http::{head, listening};
use super::world::{BODY, SIZES, World};
use super::{Kind, Stage, Transport};
use crate::Plan;
use client::{Client, Target};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stepwell_bench::report::{self, Report, count};
use tally::Tally;
use tokio::task::JoinSet;

/// How many clients ask at a time.
const CLIENTS: [usize; 3] = [1, 16, 64];
/// How often each load is put on each server, in turn. A machine that is shared changes its speed within seconds, and by half,
/// so turns are many and short: then all of them meet the same.
const TURNS: u32 = 12;
/// How many turns make the time that is planned for a load.
const TURNS_OF_A_LOAD: u32 = 4;
/// Many more clients than any of the loads above: a server should turn some away rather than let all of them wait.
const TOO_MANY: usize = 640;

/// A server that runs, and what it is asked.
#[derive(Clone)]
struct Case {
    what: &'static str,
    target: Arc<Target>,
    /// How many clients ask it at most.
    most: usize,
}

pub(super) async fn run(stage: &Stage, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let (bare, bare_path) = Server::start(stage, Kind::Bare)?;
    let (stepwell, path) = Server::start(stage, Kind::Stepwell)?;
    let (soon, soon_path) = Server::start(stage, Kind::Soon)?;
    let window = json!({ "id": World::long(SIZES[1]), "field_path": BODY });
    let read =
        case("read_record_field", &stepwell, &path, &Request::tool("read_record_field", &window), stage);
    let search = json!({ "q": QUERY, "limit": 10 });
    let cases = [
        case("a bare tool (rmcp)", &bare, &bare_path, &constant(), stage),
        case("the same, a window's answer", &bare, &bare_path, &Request::tool(WINDOW, &json!({})), stage),
        // A server that many ask would let them share a write.
        Case {
            most: 1,
            ..case(
                "the same, after a write to disk",
                &bare,
                &bare_path,
                &Request::tool(KEPT, &json!({})),
                stage,
            )
        },
        case("a bare route (axum)", &bare, ROUTE, &constant(), stage),
        read.clone(),
        case(
            "the same, on the disk soon",
            &soon,
            &soon_path,
            &Request::tool("read_record_field", &window),
            stage,
        ),
        case("search, 10 results", &stepwell, &path, &Request::tool("search", &search), stage),
    ];
    for case in &cases {
        Client::checked(&case.target).await?;
    }
    for clients in CLIENTS {
        let cases: Vec<&Case> = cases.iter().filter(|case| clients <= case.most).collect();
        let mut tallies = vec![Tally::default(); cases.len()];
        for _ in 0..TURNS {
            for (case, tally) in cases.iter().zip(&mut tallies) {
                tally.add(under(&case.target, clients, plan.load / TURNS_OF_A_LOAD).await);
            }
        }
        report.heading(
            format_args!("load: {} client(s) over HTTP, each on a connection of its own", count(clients)),
            "requests a second, times those of a bare tool of the same library (rmcp); more is better",
        )?;
        let base = tallies[0].per_second();
        for (case, tally) in cases.iter().zip(&tallies) {
            report.line(case.what, tally.per_second() / base, tally)?;
        }
    }
    overload(&read, plan, report).await
}

/// Far too many clients, and then one again.
async fn overload(case: &Case, plan: Plan, report: &Report) -> anyhow::Result<()> {
    let before = under(&case.target, 1, plan.load).await;
    let during = under(&case.target, TOO_MANY, plan.load * 2).await;
    // What it took in before may still be on its way.
    Client::patient(&case.target).await?;
    let after = under(&case.target, 1, plan.load).await;
    report.heading(
        format_args!("load: {} of {} clients at once", case.what, count(TOO_MANY)),
        "requests a second, times those of one client before; shed means 429 or 503",
    )?;
    for (what, tally) in
        [("one client before", &before), ("all of them", &during), ("one client after", &after)]
    {
        report.line(what, tally.per_second() / before.per_second(), tally)?;
    }
    Ok(())
}

/// Has so many clients ask the same thing for so long.
async fn under(target: &Arc<Target>, clients: usize, time: Duration) -> Tally {
    let started = Instant::now();
    let mut asking = JoinSet::new();
    for _ in 0..clients {
        let target = target.clone();
        asking.spawn(async move { Client::ask_until(&target, started + time).await });
    }
    let mut tally = Tally::default();
    while let Some(outcome) = asking.join_next().await {
        tally.add(outcome.unwrap_or_default());
    }
    tally.lasted(started.elapsed());
    tally
}

/// A server that ends when this value goes.
struct Server {
    _running: Running,
    address: String,
}

impl Server {
    fn start(stage: &Stage, kind: Kind) -> anyhow::Result<(Self, String)> {
        let mut running = stage.guard.spawn(&mut stage.command(kind, Transport::Http)?)?;
        let (address, path) = listening(&mut running)?;
        Ok((Self { _running: running, address }, path))
    }
}

fn case(what: &'static str, server: &Server, path: &str, request: &Request, stage: &Stage) -> Case {
    let (head, body, token) =
        (head(&server.address, path), request.numbered(1), stage.world.token().reveal());
    let length = body.len();
    let message = format!("{head}authorization: Bearer {token}\r\ncontent-length: {length}\r\n\r\n{body}");
    let target = Target { address: server.address.clone(), message: message.into_bytes() };
    Case { what, target: Arc::new(target), most: usize::MAX }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = count(self.per_second() as usize);
        write!(
            f,
            "{rate}/s, median {}, p99 {}",
            report::time(self.slowest_of(0.5)),
            report::time(self.slowest_of(0.99))
        )?;
        if self.shed() > 0 {
            write!(f, "; shed {}", count(self.shed()))?;
        }
        if self.failed() > 0 {
            write!(f, "; failed {}", count(self.failed()))?;
        }
        Ok(())
    }
}
