//! What a record set is narrowed by: filters, fields, a view and an order, spelled as for a list of records.

use super::query::Asked;
use super::routes::EXPORT;
use super::typed;
use serde_json::{Value, json};
use stepwell_contract::StreamName;
use stepwell_ladder::LadderError;
use stepwell_source::{Caller, Source};

/// Reads a query string into the arguments of a list of records.
pub(crate) async fn record_set_query(
    query: &str,
    source: &dyn Source,
    caller: &Caller,
    stream: &StreamName,
) -> Result<Value, LadderError> {
    let asked = Asked::parse(&EXPORT, query).map_err(|fault| fault.refusal())?;
    let mut arguments = Value::Object(asked.arguments);
    arguments["stream"] = json!(stream.as_str());
    typed::filters(&mut arguments, source, caller).await?;
    Ok(arguments)
}
