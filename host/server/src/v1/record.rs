//! `GET /v1/streams/{stream}/records/{id}`: one record.

use super::Call;
use super::answer::Answer;
use super::fault::Fault;
use super::rows::{disclosed_rows, open, write_row};
use crate::outflow;
use serde_json::{Value, json};
use stepwell_ladder::asked;
use stepwell_source::Caller;
use stepwell_source::whole::Pen;

pub(super) async fn record(call: &Call<'_>, caller: &Caller) -> Result<Answer, Fault> {
    let (arguments, source) = (call.arguments(), call.source());
    let (wanted, relationships) = (asked::record(&arguments)?, asked::relationships(&arguments)?);
    let fields: Option<Vec<String>> = arguments
        .get("fields")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    let view = source.record(caller, &wanted, fields.as_deref()).await;
    let view = view.map_err(|error| Fault::from(error).renamed("field_path", "fields"))?;
    let (connection, only) = (view.identity.connection.clone(), std::slice::from_ref(&view.identity));
    let expanded = call.expanded(caller, Some(connection), only, relationships).await?;
    let entries = disclosed_rows(std::iter::once(&view), &expanded);
    let (view, expanded) = call.record(caller, (view, expanded), &entries).await?.into_inner();

    // Links and remarks stand behind the fields, where the frame of a row goes on.
    let about = call.enveloped(json!({}), None, json!({}));
    let more = format!(",{}", &open(&about)[1..]);
    let whole = call.whole_records(caller);
    let body = outflow::body(&call.request_id, |mut out| async move {
        let mut pen = Pen::new(&mut out);
        let beside = expanded.first().map_or(&[][..], Vec::as_slice);
        write_row(&whole, &view, beside, &more, &mut pen).await?;
        Ok(pen.flush().await?)
    });
    Ok(Answer::of_json(body))
}
