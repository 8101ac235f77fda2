//! The clients of this user that know the program.

use super::finding::Finding;
use crate::connect::{Client, KnownWay, known};

const AREA: &str = "client";

pub(super) fn look() -> Vec<Finding> {
    let findings: Vec<Finding> = Client::ALL.into_iter().flat_map(of).collect();
    if findings.is_empty() {
        return vec![Finding::good(AREA, "none of this user's knows it; `stepwell connect` changes that")];
    }
    findings
}

fn of(client: Client) -> Vec<Finding> {
    let Some((file, found)) = known(client) else { return Vec::new() };
    let (word, file) = (client.word(), file.display().to_string());
    let servers = match found {
        Ok(servers) => servers,
        Err(reason) => {
            let fix = "correct the file; the client cannot read it either";
            return vec![Finding::warning(AREA, format!("{word}: {file}: {reason}"), fix)];
        }
    };
    let mut findings = Vec::new();
    for server in servers {
        let name = &server.name;
        let missing = server.way.missing();
        for (what, path) in &missing {
            let message =
                format!("{word}: {name} in {file} names a {what} that is not there: {}", path.display());
            let fix = format!("stepwell connect {word} --name {name} --write --force, with the right files");
            findings.push(Finding::broken(AREA, message, fix));
        }
        if missing.is_empty() {
            let way = match &server.way {
                KnownWay::Stdio { .. } => "starts this program".to_owned(),
                KnownWay::Http { url } => format!("asks {url}"),
            };
            findings.push(Finding::good(AREA, format!("{word}: {name} in {file} {way}")));
        }
    }
    findings
}
