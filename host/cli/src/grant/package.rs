//! `stepwell grant package`: several grants under one token.

use super::create::expiry;
use super::show;
use crate::output::Output;
use crate::store_args::StoreArguments;
use crate::token_out::TokenOut;
use clap::Args;
use stepwell_source::grant::PackageRequest;
use stepwell_source::sqlite::Missing;
use stepwell_source::time::Millis;

/// Puts several grants under one token
#[derive(Debug, Args)]
#[command(after_help = "\
Whoever holds the token reads under all of the grants: lists and searches go over all of them in
one order, and each grant decides what may be seen of its own records. Two grants that cover the
same stream of a connection do not go together. A grant that ends drops out, and the others stay.

  stepwell grant create --client Claude --stream messages --connection home --no-token
  stepwell grant create --client Claude --stream orders:date,total --no-token
  stepwell grant package --client Claude GRANT GRANT --token-out token")]
pub(crate) struct MakePackage {
    #[command(flatten)]
    store: StoreArguments,
    /// Who the package is for, in your own words
    #[arg(long, value_name = "NAME")]
    client: String,
    /// When the package ends: a length such as 30d or 12h, or a moment; each grant also ends by itself
    #[arg(long, value_name = "T", value_parser = expiry)]
    expires: Option<Millis>,
    #[command(flatten)]
    token: TokenOut,
    /// The grants, as `grant list` names them
    #[arg(required = true, value_name = "GRANT")]
    grants: Vec<String>,
}

impl MakePackage {
    pub(super) async fn run(self, output: &Output) -> anyhow::Result<()> {
        let store = self.store.open(Missing::Refuse).await?;
        let file = self.token.prepare()?;
        let request = PackageRequest {
            client: self.client.clone(),
            expires_at: self.expires,
            grants: self.grants.clone(),
        };
        let (package, token) = store.create_package(&request).await?;
        let made = format!("made {}", package.package_id);
        file.hand_over(output, &made, show::package_to_json(&package), &token)
    }
}
