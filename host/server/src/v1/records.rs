//! `GET /v1/streams/{stream}/records`: a page of a stream.

use super::answer::Answer;
use super::fault::Fault;
use super::rows::{disclosed_rows, open, removed_row, write_row};
use super::{Call, typed};
use crate::outflow;
use serde_json::{Value, json};
use stepwell_contract::Bytes;
use stepwell_ladder::asked;
use stepwell_source::shape::RecordIdentity;
use stepwell_source::whole::Pen;
use stepwell_source::{Caller, Disclosure};

pub(super) async fn records(call: &Call<'_>, caller: &Caller) -> Result<Answer, Fault> {
    let (mut arguments, source) = (call.arguments(), call.source());
    typed::filters(&mut arguments, &*source, caller).await?;
    let query = asked::records(&arguments)?;
    let relationships = asked::relationships(&arguments)?;
    let count = match asked::count(&arguments, &query)? {
        None => json!({ "kind": "none" }),
        Some(all) => {
            let value = source.aggregate(caller, &all).await?.records;
            json!({ "kind": "exact", "value": value })
        }
    };
    let page = source.records(caller, &query).await;
    let page = page.map_err(|error| Fault::from(error).renamed("field_path", "fields"))?;
    let identities: Vec<RecordIdentity> = page.records.iter().map(|view| view.identity.clone()).collect();
    let expanded = call.expanded(caller, query.connection.clone(), &identities, relationships).await?;

    let mut entries = disclosed_rows(page.records.iter(), &expanded);
    entries.extend(page.removed.iter().map(|identity| Disclosure::of_record(identity, Bytes::ZERO)));
    let (page, expanded) = call.record(caller, (page, expanded), &entries).await?.into_inner();

    let mut head = call.list(page.next_cursor.as_deref(), json!({ "count": count }));
    if let Some(since) = &page.next_changes_since {
        head.insert("next_changes_since".to_owned(), json!(since));
    }
    let (head, whole) = (open(&Value::Object(head)), call.whole_records(caller));
    let body = outflow::body(&call.request_id, |mut out| async move {
        let mut pen = Pen::new(&mut out);
        pen.write(head + ",\"data\":[").await?;
        for (index, view) in page.records.iter().enumerate() {
            pen.write(if index == 0 { "" } else { "," }).await?;
            let beside = expanded.get(index).map_or(&[][..], Vec::as_slice);
            write_row(&whole, view, beside, "", &mut pen).await?;
        }
        for (index, identity) in page.removed.iter().enumerate() {
            let comma = if index == 0 && page.records.is_empty() { "" } else { "," };
            pen.write(format!("{comma}{}", removed_row(identity))).await?;
        }
        pen.write("]}").await?;
        Ok(pen.flush().await?)
    });
    Ok(Answer::of_json(body))
}
