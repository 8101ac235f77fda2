// Tests of the preview in a plain Node.

import assert from "node:assert/strict";
import test from "node:test";
import { sheet, size } from "./preview.js";

function text(path, content) {
  const all = [...content];
  const kind = { tag: "text" };
  return { path, kind, role: null, chars: all.length, head: all.slice(0, 512).join("") };
}

function record(...fields) {
  return { slot: 0, fields };
}

test("says how long a text takes to read", () => {
  const shown = sheet(record(text("subject", "Hello"), text("body", "word ".repeat(1000))), 240);
  assert.deepEqual(shown.title.val.at, { start: 0, end: 5 });
  assert.equal(shown.lines[0].val.text, "5 min to read");
  assert.deepEqual(shown.lines[0].val.covers.at, { start: 0, end: 5000 });
});

test("stays within its budget whatever the record holds", () => {
  for (const room of [0, 1, 10, 240]) {
    const shown = sheet(record(text("title", "日本語🙂\n"), text("body", "é\u202e".repeat(900))), room);
    const all = [shown.title, ...shown.lines].filter(Boolean);
    assert.ok(all.map(size).reduce((sum, one) => sum + one, 0) <= room);
  }
  assert.deepEqual(sheet(record(), 240).lines, []);
});
