//! Packages: several grants under one token.
//!
//! A package covers nothing itself. Whoever reads under one reads under each of its grants, and every statement names one
//! of them and checks it, as it would for a token of that grant alone. Two grants of a package never cover the same stream
//! of a connection, so there is one grant for each record, and one answer to what may be seen of it.

use crate::bind;
use crate::embedded::grants::new_id;
use crate::embedded::statement::Statement;
use crate::embedded::text::passed_on;
use crate::embedded::tokens::{Holder, add_token};
use crate::embedded::{Embedded, refuse_ended};
use crate::error::{Failure, Result, SourceError};
use crate::grant::{AccessMode, Grant, GrantError, GrantState, Package, PackageRequest};
use crate::ledger::{Disclosure, NewEntry};
use crate::shape::Field;
use crate::time;
use crate::token::{Caller, Token, TokenKind};
use std::collections::HashMap;
use stepwell_contract::Code;

impl Embedded {
    /// The grants that a caller reads under at this moment. Those of a package that ended are left out; a package that
    /// ended, or of which no grant is left, is refused.
    pub(super) async fn grants_of(&self, caller: &Caller) -> Result<Vec<String>> {
        if !caller.package {
            return Ok(vec![caller.grant().to_owned()]);
        }
        let (now, mut grants, mut ended) = (time::now(), Vec::new(), GrantState::Revoked);
        for mut row in self.read_brief(Statement::PackageGrants, bind![caller.grant()]).await? {
            let (revoked_at, expires_at) = (row.int_or_null()?, row.int_or_null()?);
            refuse_ended(GrantState::of(revoked_at, expires_at, now))?;
            let grant = row.text()?;
            match GrantState::of(row.int_or_null()?, row.int_or_null()?, now) {
                GrantState::Active => grants.push(grant),
                // One that came to its own end says more than those that the owner took back.
                GrantState::Expired => ended = GrantState::Expired,
                GrantState::Revoked => {}
            }
        }
        if grants.is_empty() {
            refuse_ended(ended)?;
        }
        Ok(grants)
    }

    /// The grant under which a caller reads a field that was found before.
    pub(super) async fn grant_for(&self, caller: &Caller, field: &Field) -> Result<String> {
        let found_under = field.place.grant();
        let grants = self.grants_of(caller).await?;
        if !caller.package || grants.iter().any(|grant| grant == found_under) {
            // Of a caller with one grant it is that one, whatever the field says: the statement judges.
            let own = if caller.package { found_under } else { caller.grant() };
            return Ok(own.to_owned());
        }
        self.require_active(found_under).await?;
        Err(passed_on().into())
    }

    /// Names the grant, and its client, under which each thing was read. What several grants of a package have a part in,
    /// such as a number about all connections, was read under the package.
    pub(super) async fn attributed(
        &self,
        caller: &Caller,
        disclosed: &[Disclosure],
    ) -> Result<Vec<NewEntry>, Failure> {
        let whole = (caller.grant().to_owned(), caller.client().to_owned());
        let mut scopes: Vec<((String, String), String, String)> = Vec::new();
        if caller.package {
            for mut row in self.read(Statement::PackageScopes, bind![caller.grant()]).await? {
                scopes.push(((row.text()?, row.text()?), row.text()?, row.text()?));
            }
        }
        let entry = |disclosure: &Disclosure| {
            let covers = |(_, connection, stream): &&(_, String, String)| {
                disclosure.stream.as_ref().is_some_and(|wanted| wanted.as_str() == stream)
                    && disclosure.connection.as_ref().is_none_or(|wanted| wanted.as_str() == connection)
            };
            let mut covering = scopes.iter().filter(covers).map(|(grant, ..)| grant);
            let (grant, client) = match covering.next() {
                Some(first) if covering.all(|other| other == first) => first.clone(),
                _ => whole.clone(),
            };
            NewEntry { grant, client, what: disclosure.clone() }
        };
        Ok(disclosed.iter().map(entry).collect())
    }

    /// Puts grants together under one token. The token is not kept and cannot be shown again.
    pub async fn create_package(&self, request: &PackageRequest) -> Result<(Package, Token), GrantError> {
        let now = time::now();
        let known = self.grants().await?;
        let mut grants: Vec<&Grant> = Vec::new();
        for id in &request.grants {
            let not_found = || GrantError::NotFound(id.clone());
            let grant = known.iter().find(|grant| grant.grant_id == *id).ok_or_else(not_found)?;
            fits(grant, &grants, now)?;
            grants.push(grant);
        }
        if grants.is_empty() {
            return Err(GrantError::EmptyPackage);
        }
        let package = Package {
            package_id: new_id("pkg")?,
            client: request.client.clone(),
            issued_at: now,
            expires_at: request.expires_at,
            revoked_at: None,
            grants: sorted(grants.iter().map(|grant| grant.grant_id.clone())),
        };
        let token = Token::generate(TokenKind::Package)?;
        let (id, client) = (package.package_id.as_str(), package.client.as_str());
        let mut writes = vec![(Statement::AddPackage, bind![id, client, now, package.expires_at])];
        for grant in &package.grants {
            writes.push((Statement::AddPackageGrant, bind![id, grant.as_str()]));
        }
        writes.push(add_token(&token, Holder::Package(id), None, now, None));
        self.engine.write(writes).await?;
        Ok((package, token))
    }

    /// Lists all packages, ended ones too.
    pub async fn packages(&self) -> Result<Vec<Package>, Failure> {
        let mut members: HashMap<String, Vec<String>> = HashMap::new();
        for mut row in self.read(Statement::PackageMembers, bind![]).await? {
            members.entry(row.text()?).or_default().push(row.text()?);
        }
        let mut packages = Vec::new();
        for mut row in self.read(Statement::Packages, bind![]).await? {
            let package_id = row.text()?;
            packages.push(Package {
                client: row.text()?,
                issued_at: row.int()?,
                expires_at: row.int_or_null()?,
                revoked_at: row.int_or_null()?,
                grants: sorted(members.remove(&package_id).unwrap_or_default()),
                package_id,
            });
        }
        Ok(packages)
    }

    /// Shows one package.
    pub async fn package(&self, id: &str) -> Result<Package, GrantError> {
        let packages = self.packages().await?;
        let package = packages.into_iter().find(|package| package.package_id == id);
        package.ok_or_else(|| GrantError::NotFound(id.to_owned()))
    }

    /// Ends a package. Its grants stay as they are. Says whether it was still open.
    pub async fn revoke_package(&self, id: &str) -> Result<bool, GrantError> {
        let changed = self.engine.write(vec![(Statement::RevokePackage, bind![id, time::now()])]).await?;
        if changed == [0] {
            self.package(id).await?;
        }
        Ok(changed == [1])
    }
}

/// Whether a call failed because one of several grants ended after it began.
pub(super) fn lost_a_grant<T>(caller: &Caller, outcome: &Result<T>) -> bool {
    let refusal = outcome.as_ref().err().and_then(SourceError::refusal);
    let ended =
        refusal.is_some_and(|refusal| matches!(refusal.code, Code::GrantExpired | Code::GrantRevoked));
    caller.package && ended
}

/// Whether a grant goes together with those that a package has already.
fn fits(grant: &Grant, others: &[&Grant], now: time::Millis) -> Result<(), GrantError> {
    let id = || grant.grant_id.clone();
    if grant.state(now) != GrantState::Active {
        return Err(GrantError::Ended(id()));
    }
    if grant.access_mode == AccessMode::SingleUse {
        return Err(GrantError::SingleUseInPackage(id()));
    }
    for other in others {
        if other.grant_id == grant.grant_id {
            return Err(GrantError::GrantTwice(id()));
        }
        let both = grant.streams.iter().find(|stream| {
            let is_same = |known: &crate::grant::GrantedStream| {
                (&known.connection_id, &known.name) == (&stream.connection_id, &stream.name)
            };
            other.streams.iter().any(is_same)
        });
        if let Some(stream) = both {
            return Err(GrantError::Overlap {
                one: other.grant_id.clone(),
                two: id(),
                stream: stream.name.clone(),
                connection: stream.connection_id.clone(),
            });
        }
    }
    Ok(())
}

fn sorted(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort();
    names
}
