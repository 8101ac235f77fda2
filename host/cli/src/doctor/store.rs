//! The store, its ledger, and who can read its file.

use super::finding::Finding;
use crate::files::is_open_to_others;
use crate::place::SourcePlace;
use crate::remote;
use crate::store_args::StoreArguments;
use std::path::Path;
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, RemoteUrl, SourceUrl};

const AREA: &str = "store";

/// Looks at the store, and gives it if it opens.
pub(super) async fn look(arguments: &StoreArguments) -> (Vec<Finding>, Option<Embedded>) {
    if let Ok((Some(SourcePlace::Remote(url)), _)) = arguments.place() {
        return (beside(&url).await, None);
    }
    let url = match arguments.url() {
        Ok(url) => url,
        Err(error) => {
            let fix = "name a store with --source sqlite:PATH";
            return (vec![Finding::broken(AREA, format!("{error:#}"), fix)], None);
        }
    };
    let store = match arguments.open(Missing::Refuse).await {
        Ok(store) => store,
        Err(error) => return (vec![Finding::broken(AREA, format!("{error:#}"), way_in(&url))], None),
    };
    let mut findings = Vec::new();
    match (store.scopes().await, store.grants().await) {
        (Ok(scopes), Ok(grants)) => findings.push(Finding::good(
            AREA,
            format!("{url} opens; streams: {}, grants: {}", scopes.len(), grants.len()),
        )),
        (Err(error), _) | (_, Err(error)) => {
            let fix = "see how much is damaged with: stepwell store check";
            findings.push(Finding::broken(AREA, format!("{url} opens, but cannot be read: {error}"), fix));
        }
    }
    findings.push(ledger(&store).await);
    if let SourceUrl::Sqlite(path) = &url {
        findings.extend(open_to_others(path));
    }
    (findings, Some(store))
}

/// Looks at what is kept on this side of a resource server: the ledger and the keys.
async fn beside(url: &RemoteUrl) -> Vec<Finding> {
    let mut findings =
        vec![Finding::good(AREA, format!("{url} is a resource server, which keeps the records"))];
    let file = match remote::ledger_file(url) {
        Ok(file) => file,
        Err(error) => {
            findings.push(Finding::broken("ledger", format!("{error:#}"), "set XDG_STATE_HOME"));
            return findings;
        }
    };
    if !file.exists() {
        findings.push(Finding::good("ledger", "there is none yet; the first start makes it"));
        return findings;
    }
    match remote::ledger(url, Missing::Refuse).await {
        Ok(store) => findings.push(ledger(&store).await),
        Err(error) => {
            let fix = way_in(&SourceUrl::Sqlite(file.clone()));
            findings.push(Finding::broken("ledger", format!("{error:#}"), fix));
        }
    }
    findings.extend(open_to_others(&file));
    findings
}

async fn ledger(store: &Embedded) -> Finding {
    // There are no entries from before 1970, so this writes nothing; but it does what a write does.
    match store.prune_disclosures(0).await {
        Ok(_) => Finding::good("ledger", "it can be written"),
        Err(error) => Finding::broken(
            "ledger",
            format!("it cannot be written, so every read is refused: {error}"),
            "give the server's user the right to write to the store",
        ),
    }
}

/// A warning about a file that others can read in a folder that they can look into.
fn open_to_others(path: &Path) -> Option<Finding> {
    if !is_open_to_others(path) || !path.parent().is_none_or(is_open_to_others) {
        return None;
    }
    let message = format!("other users of this machine can get at {}", path.display());
    Some(Finding::warning(AREA, message, format!("chmod 600 {}", path.display())))
}

/// What to do about a store that does not open.
fn way_in(url: &SourceUrl) -> String {
    match url {
        SourceUrl::Sqlite(path) if !path.exists() => {
            "fill one with: stepwell ingest; or name another with --source".to_owned()
        }
        SourceUrl::Sqlite(_) => "look whether it is sound with: stepwell store check".to_owned(),
        SourceUrl::Postgres(_) => {
            "see that the database runs, that the address in [source] is right, and that its user may log in"
                .to_owned()
        }
    }
}
