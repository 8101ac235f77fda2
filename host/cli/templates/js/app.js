// A preview of records: what they are called, how long they take to read, and how they begin.
//
// The host shows a record without its content, as a record-shape. The answer is a plan: passages of the record's own
// words, which the host cuts out and prints, and words of your own, which it marks as derived.

import { write } from "stepwell:ladder/log@0.1.0";
import { sheet } from "./preview.js";

export const previewer = {
  compose(records, context) {
    // `stepwell plugin check` and `stepwell plugin preview` show this; a server drops it.
    write("debug", `${records.length} records`);
    return records.map((record) => sheet(record, context.budget.bytes));
  },
};
