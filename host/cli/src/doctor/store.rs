//! The store, its ledger, and who can read its file.

use super::finding::Finding;
use crate::files::is_open_to_others;
use crate::store_args::StoreArguments;
use stepwell_source::sqlite::Missing;
use stepwell_source::{Embedded, SourceUrl};

const AREA: &str = "store";

/// Looks at the store, and gives it if it opens.
pub(super) async fn look(arguments: &StoreArguments) -> (Vec<Finding>, Option<Embedded>) {
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
    // There are no entries from before 1970, so this writes nothing; but it does what a write does.
    findings.push(match store.prune_disclosures(0).await {
        Ok(_) => Finding::good("ledger", "it can be written"),
        Err(error) => Finding::broken(
            "ledger",
            format!("it cannot be written, so every read is refused: {error}"),
            "give the server's user the right to write to the store",
        ),
    });
    if let SourceUrl::Sqlite(path) = &url
        && is_open_to_others(path)
    {
        let folder_is_open = path.parent().is_none_or(is_open_to_others);
        if folder_is_open {
            let message = format!("other users of this machine can get at {}", path.display());
            findings.push(Finding::warning(AREA, message, format!("chmod 600 {}", path.display())));
        }
    }
    (findings, Some(store))
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
