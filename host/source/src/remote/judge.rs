//! Who is asking: the resource server says.

use super::Remote;
use super::catalogue::{compact, unwrapped};
use super::credential::{owner_refused, unusable};
use super::window::code_of;
use crate::error::{Result, SourceError};
use crate::token::{Caller, Token};
use stepwell_contract::Code;

/// What a grant is called that the resource server has no name for: this, and a digest of its token.
const UNNAMED: &str = "token:";

/// What the resource server says of a token.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    grant: Option<String>,
    client: String,
}

impl Remote {
    pub(super) async fn let_in(&self, token: &Token) -> Result<Caller> {
        // Whoever holds this was handed it by this very process.
        if token.digest() == self.process.digest() {
            return self.process_caller().await;
        }
        let bearer = match &self.callers {
            super::Callers::Own => {
                let hint =
                    "let it be one resource with same_resource, or exchange tokens with [source.exchange]";
                return Err(unusable("this host cannot judge tokens of the resource server")
                    .hint(hint)
                    .into());
            }
            super::Callers::Forwarded => token.clone(),
            super::Callers::Exchanged(exchange) => exchange.token(token).await?,
        };
        match self.judged(&bearer).await {
            Ok(judged) => Ok(caller(judged, &bearer, None, Some(bearer.clone()))),
            Err(error) => {
                if let super::Callers::Exchanged(exchange) = &self.callers {
                    exchange.forget(token);
                }
                Err(error)
            }
        }
    }

    /// The caller that the process itself is. Its token may change, so it is looked up for every question.
    async fn process_caller(&self) -> Result<Caller> {
        let own = self.own.as_ref().ok_or_else(|| unusable("there is no token for the resource server"))?;
        let credential = own.current()?;
        let (judged, credential) = match self.judged(&credential.token).await {
            Err(error) if code_of(&error) == Some(Code::InvalidToken) => {
                let fresh = own.instead_of(&credential.token).ok_or(error)?;
                let judged = self.judged(&fresh.token).await?;
                own.keep(fresh.clone());
                (judged, fresh)
            }
            judged => (judged?, credential),
        };
        Ok(caller(judged, &credential.token, credential.grant, None))
    }

    /// The token that this process has by now instead of one that was refused, if it stands for the same caller. An owner's
    /// is refused like any other time, and one of another grant is for the next request.
    pub(super) async fn renewed(&self, caller: &Caller, refused: &Token) -> Result<Option<Token>> {
        let Some(own) = &self.own else { return Ok(None) };
        let Some(fresh) = own.instead_of(refused) else { return Ok(None) };
        let judged = self.judged(&fresh.token).await?;
        let known = judged.grant.or_else(|| fresh.grant.clone());
        let is_unnamed = caller.grant().starts_with(UNNAMED) && known.is_none();
        if !is_unnamed && known.as_deref() != Some(caller.grant()) {
            return Ok(None);
        }
        own.keep(fresh.clone());
        Ok(Some(fresh.token))
    }

    /// Asks for the schema in its short form: the cheapest question that only a good token gets an answer to.
    async fn judged(&self, bearer: &Token) -> Result<Judged> {
        let key = bearer.digest();
        if let Some(judged) = self.judgements.get(&key) {
            return Ok(judged);
        }
        let answer = match self.client.get(bearer, &compact()).await {
            // A server without the short form has the long one.
            Err(error) if code_of(&error) == Some(Code::InvalidRequest) => {
                self.client.get(bearer, &super::ask::Ask::of(&["schema"])).await
            }
            answer => answer,
        };
        let document = unwrapped(self.client.value(answer?).await?)?;
        let about = &document["bearer"];
        let word = |names: [&str; 2]| names.iter().find_map(|name| about[*name].as_str()).map(str::to_owned);
        if word(["token_kind", "pdpp_token_kind"]).is_some_and(|kind| kind.eq_ignore_ascii_case("owner")) {
            return Err(owner_refused().into());
        }
        let judged = Judged {
            grant: word(["grant_id", "grant_package_id"]),
            client: word(["client_name", "client_id"]).unwrap_or_else(|| "a client".to_owned()),
        };
        self.judgements.put(key, judged.clone());
        Ok(judged)
    }

    /// Forgets what was believed of a token that does not count any more.
    pub(super) fn doubt(&self, bearer: &Token, error: &SourceError) {
        let ended = matches!(
            code_of(error),
            Some(
                Code::InvalidToken
                    | Code::GrantExpired
                    | Code::GrantRevoked
                    | Code::GrantInvalid
                    | Code::GrantConsumed
            )
        );
        if ended {
            self.judgements.forget(&bearer.digest());
            self.catalogues.forget(&bearer.digest());
        }
    }
}

fn caller(judged: Judged, token: &Token, grant: Option<String>, bearer: Option<Token>) -> Caller {
    // Without a name the grant is known by its token, so that what is sealed for one is no use to another.
    let unnamed = || {
        let digest = token.digest();
        format!("{UNNAMED}{}", digest[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    };
    let grant = judged.grant.or(grant).unwrap_or_else(unnamed);
    // The resource server resolves its own packages.
    Caller { grant, client: judged.client, package: false, bearer }
}
