//! Records, one or a page of them.

use super::Remote;
use super::ask::Ask;
use super::rows::{Form, Rows};
use super::view::Expected;
use crate::error::Result;
use crate::query::{Order, RecordsPage, RecordsQuery};
use crate::shape::{RecordRef, RecordView};
use crate::token::Caller;
use serde_json::Value;
use stepwell_contract::{Code, Refusal};

impl Remote {
    pub(super) async fn read_record(
        &self,
        caller: &Caller,
        record: &RecordRef,
        only: Option<&[String]>,
    ) -> Result<RecordView> {
        let ask = Ask::stream(record.stream.as_str(), &["records", record.record.as_str()])
            .fields(only)
            .connection(record.connection.as_ref());
        let mut rows = self.rows(caller, &ask, Form::Record).await?;
        let expected = Expected {
            stream: &record.stream,
            connection: record.connection.as_ref(),
            all_fields: only.is_none(),
        };
        let row = rows.rows.pop().unwrap_or_default();
        let mut view = expected.record(row)?;
        if view.identity.record != record.record {
            return Err(super::client::invalid("it is about another record").into());
        }
        // A server may show more than was asked for.
        view.fields.retain(|field| only.is_none_or(|only| only.contains(&field.name)));
        Ok(view)
    }

    pub(super) async fn rows(&self, caller: &Caller, ask: &Ask, form: Form) -> Result<Rows> {
        let response = self.get(caller, ask).await?;
        let mut rows = Rows::new(form, self.client.limits().kept);
        self.client.stream(response, &mut rows).await?;
        Ok(rows)
    }

    pub(super) async fn list_records(&self, caller: &Caller, query: &RecordsQuery) -> Result<RecordsPage> {
        if query.fields.is_some() && query.view.is_some() {
            let message = "view and fields exclude each other; a view is a choice of fields";
            return Err(Refusal::new(Code::InvalidArguments, message).param("view").into());
        }
        let order = match query.order {
            Order::Descending => None,
            Order::Ascending => Some("asc"),
        };
        let ask = Ask::stream(query.stream.as_str(), &["records"])
            .with("limit", query.limit)
            .maybe("cursor", query.cursor.as_deref())
            .maybe("order", order)
            .maybe("sort", query.sort.as_deref())
            .fields(query.fields.as_deref())
            .maybe("view", query.view.as_deref())
            .maybe("changes_since", query.changes_since.as_deref())
            .connection(query.connection.as_ref())
            .conditions(&query.conditions);
        let page = self.rows(caller, &ask, Form::List).await?;
        let expected = Expected {
            stream: &query.stream,
            connection: query.connection.as_ref(),
            all_fields: query.fields.is_none() && query.view.is_none(),
        };
        let (mut records, mut removed) = (Vec::new(), Vec::new());
        for row in page.rows {
            if row.about.get("deleted") == Some(&Value::Bool(true)) {
                removed.push(expected.identity(&row.about)?);
            } else {
                records.push(expected.record(row)?);
            }
        }
        let word = |name: &str| page.about.get(name).and_then(Value::as_str).map(str::to_owned);
        let has_more = page.about.get("has_more") != Some(&Value::Bool(false));
        Ok(RecordsPage {
            records,
            removed,
            next_cursor: word("next_cursor").filter(|_| has_more),
            next_changes_since: word("next_changes_since"),
        })
    }
}
