//! The token: whether it counts, and for whom.

use super::finding::Finding;
use crate::exit::NoToken;
use crate::files::is_open_to_others;
use crate::token_args::TokenArguments;
use stepwell_contract::Code;
use stepwell_contract::quote::strip_control;
use stepwell_source::grant::Grant;
use stepwell_source::time::{self, DAY, Millis};
use stepwell_source::{Caller, Embedded, Source as _, SourceError};

const AREA: &str = "token";

/// How long before its end a grant is worth a word.
const SOON: Millis = 7 * DAY;

pub(super) async fn look(arguments: &TokenArguments, store: Option<&Embedded>) -> Vec<Finding> {
    let token = match arguments.token() {
        Ok(token) => token,
        // Over HTTP every client brings its own.
        Err(error) if error.is::<NoToken>() && arguments.file().is_none() => {
            return vec![Finding::good(AREA, "none was given to look at; pass --token-file FILE for one")];
        }
        Err(error) => {
            let fix = "make one with: stepwell grant create --token-out FILE";
            return vec![Finding::broken(AREA, format!("{error:#}"), fix)];
        }
    };
    let mut findings = Vec::new();
    if let Some(file) = arguments.file().filter(|file| is_open_to_others(file)) {
        let message = format!("other users of this machine can read {}", file.display());
        findings.push(Finding::warning(AREA, message, format!("chmod 600 {}", file.display())));
    }
    let Some(store) = store else { return findings };
    findings.push(match store.authenticate(&token).await {
        Ok(caller) => counts(&caller, store).await,
        Err(error) => Finding::broken(AREA, error.to_string(), way_in(&error)),
    });
    findings
}

/// Whose token it is, and until when.
async fn counts(caller: &Caller, store: &Embedded) -> Finding {
    let until = match store.grant(caller.grant()).await {
        Ok(Grant { expires_at: Some(at), .. }) => at,
        _ => Millis::MAX,
    };
    let whose = format!("it counts, for {} by {}", strip_control(caller.client()), caller.grant());
    if until == Millis::MAX {
        return Finding::good(AREA, format!("{whose}, with no end"));
    }
    let message = format!("{whose}, until {}", time::print(until));
    if until - time::now() > SOON {
        return Finding::good(AREA, message);
    }
    Finding::warning(AREA, message, "make the next one in time: stepwell grant create")
}

fn way_in(error: &SourceError) -> &'static str {
    match error.refusal().map(|refusal| refusal.code) {
        Some(Code::OwnerTokenRefused) => "make a grant and use its client token: stepwell grant create",
        Some(Code::GrantExpired | Code::GrantRevoked) => "make a new grant: stepwell grant create",
        Some(_) => "see that the token is of this store, or make a new grant: stepwell grant create",
        None => "see that the store answers",
    }
}
