//! What a token says about itself, be it by the mouth of its server or under its signature.

use super::trust::Trust;
use super::{Vouched, untrusted};
use serde_json::{Map, Value};
use std::time::{SystemTime, UNIX_EPOCH};
use stepwell_contract::{Code, Refusal};

/// How far the clocks of two servers may be apart, in seconds.
const LEEWAY: u64 = 10;
/// The longest name of a grant that is looked up.
const LONGEST_GRANT: usize = 128;

/// The names and values that a token carries.
pub(super) type Claims = Map<String, Value>;

/// The present second.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Trust {
    /// Checks who made a token, for whom, for when and of which kind it is, and finds the grant that it names.
    pub(super) fn check(&self, claims: &Claims, now: u64) -> Result<Vouched, Refusal> {
        if claims.get("iss").and_then(Value::as_str) != Some(&self.issuer) {
            return Err(untrusted("the token is of an issuer that is not trusted here"));
        }
        if !is_for(claims.get("aud"), &self.audience) {
            return Err(untrusted("the token is for another audience"));
        }
        let expires = moment(claims, "exp")?;
        if expires.is_some_and(|at| now >= at.saturating_add(LEEWAY)) {
            return Err(untrusted("the token has expired"));
        }
        if moment(claims, "nbf")?.is_some_and(|at| now.saturating_add(LEEWAY) < at) {
            return Err(untrusted("the token does not count yet"));
        }
        match claims.get("pdpp_token_kind").map(Value::as_str) {
            None | Some(Some("client")) => {}
            Some(Some("owner")) => return Err(owner()),
            Some(_) => return Err(untrusted("the token is of a kind that does not read records")),
        }
        let grant = claims.get(&self.grant_claim).and_then(Value::as_str).unwrap_or_default();
        if grant.is_empty() || grant.len() > LONGEST_GRANT {
            return Err(untrusted("the token names no grant"));
        }
        Ok(Vouched { grant_id: grant.to_owned(), expires })
    }
}

fn owner() -> Refusal {
    Refusal::new(Code::OwnerTokenRefused, "an owner token does not read records through this door")
        .hint("make a grant and use its client token")
}

/// Whether one of the audiences is meant, letter for letter.
fn is_for(audience: Option<&Value>, meant: &str) -> bool {
    match audience {
        Some(Value::String(one)) => one == meant,
        Some(Value::Array(several)) => several.iter().any(|one| one.as_str() == Some(meant)),
        _ => false,
    }
}

/// A moment in seconds. What is there and is no moment is no token of a server that can be trusted.
fn moment(claims: &Claims, name: &str) -> Result<Option<u64>, Refusal> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let whole = value.as_u64().or_else(|| {
        let seconds = value.as_f64().filter(|seconds| (0.0..=9e15).contains(seconds))?;
        format!("{:.0}", seconds.trunc()).parse().ok()
    });
    whole.map(Some).ok_or_else(|| untrusted("the token says no moment where it has to"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: u64 = 1_800_000_000;

    fn trust() -> Trust {
        Trust {
            issuer: "https://as.example".to_owned(),
            audience: "https://well.example/mcp".to_owned(),
            grant_claim: "grant_id".to_owned(),
        }
    }

    fn check(change: Value) -> Result<Vouched, Code> {
        let mut claims =
            json!({ "iss": "https://as.example", "aud": "https://well.example/mcp", "grant_id": "grt_1" });
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        trust().check(claims.as_object().unwrap(), NOW).map_err(|refusal| refusal.code)
    }

    #[test]
    fn only_what_is_meant_for_us_now_counts() {
        let vouched = |expires| Ok(Vouched { grant_id: "grt_1".to_owned(), expires });
        assert_eq!(check(json!({})), vouched(None));
        assert_eq!(check(json!({ "aud": ["else", "https://well.example/mcp"] })), vouched(None));
        assert_eq!(check(json!({ "exp": NOW + 5 })), vouched(Some(NOW + 5)));
        assert_eq!(
            check(json!({ "exp": NOW - LEEWAY + 1, "nbf": NOW + LEEWAY })),
            vouched(Some(NOW - LEEWAY + 1))
        );
        assert_eq!(check(json!({ "exp": 1_800_000_001.5 })), vouched(Some(NOW + 1)));
        assert_eq!(check(json!({ "pdpp_token_kind": "client" })), vouched(None));
        for wrong in [
            json!({ "iss": "https://as.example/" }),
            json!({ "iss": null }),
            json!({ "aud": "https://well.example/mcp/" }),
            json!({ "aud": "HTTPS://well.example/mcp" }),
            json!({ "aud": [] }),
            json!({ "aud": [["https://well.example/mcp"]] }),
            json!({ "aud": {} }),
            json!({ "exp": NOW - LEEWAY }),
            json!({ "exp": "tomorrow" }),
            json!({ "exp": -1 }),
            json!({ "exp": null }),
            json!({ "nbf": NOW + LEEWAY + 1 }),
            json!({ "nbf": 1e300 }),
            json!({ "grant_id": "" }),
            json!({ "grant_id": 7 }),
            json!({ "grant_id": "g".repeat(129) }),
            json!({ "pdpp_token_kind": "mcp_package" }),
            json!({ "pdpp_token_kind": 1 }),
        ] {
            assert_eq!(check(wrong.clone()), Err(Code::InvalidToken), "{wrong}");
        }
        assert_eq!(check(json!({ "pdpp_token_kind": "owner" })), Err(Code::OwnerTokenRefused));
    }
}
