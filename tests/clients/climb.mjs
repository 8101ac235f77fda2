// Climbs from a search hit to the last character of a long field with the official TypeScript SDK.
//
// One of three kinds of client is played: one that sees only text, one that sees only structured content, one that
// follows resource links. The outcome goes to standard output as JSON.

import { createHash } from "node:crypto";
import assert from "node:assert/strict";
import { client, task, transport } from "./connect.mjs";

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert(!result.isError, result.content[0]?.text);
  return result;
}

// All that a client sees which knows nothing but text.
const textOf = (result) =>
  result.content.filter((block) => block.type === "text").map((block) => block.text).join("\n");

const split = (text) => {
  const end = text.indexOf("\n");
  return [JSON.parse(text.slice(0, end)), text.slice(end + 1)];
};

async function* byText() {
  const found = textOf(await call("search", { q: task.q }));
  const id = JSON.parse(found.match(/id=("(?:[^"\\]|\\.)*")/)[1]);
  const fetched = textOf(await call("fetch", { id }));
  // The call that reads on, as it is printed; this client wants the field from its beginning.
  const printed = JSON.parse(fetched.match(/next: read_record_field (\{.*\})/)[1]);
  const args = { id: printed.id, field_path: printed.field_path, limit_chars: task.limit_chars };
  for (;;) {
    const [header, text] = split(textOf(await call("read_record_field", args)));
    yield [text, header.digest];
    if (header.next_cursor === null) return;
    args.cursor = header.next_cursor;
  }
}

async function* byStructure() {
  const found = (await call("search", { q: task.q })).structuredContent;
  const fetched = (await call("fetch", { id: found.results[0].id })).structuredContent;
  const { read } = fetched.content_ladder.records[0].fields.find((field) => field.path === task.field);
  assert.equal(read.tool, "read_record_field");
  const args = { id: read.args.id, field_path: read.args.field_path, limit_chars: task.limit_chars };
  for (;;) {
    const { window, field } = (await call("read_record_field", args)).structuredContent;
    yield [window.text, field.digest];
    if (window.next_cursor === null) return;
    args.cursor = window.next_cursor;
  }
}

async function* byLinks() {
  const found = await call("search", { q: task.q });
  const link = found.content.find(
    (block) => block.type === "resource_link" && block.uri.startsWith("pdpp://record/"),
  );
  const record = JSON.parse((await client.readResource({ uri: link.uri })).contents[0].text);
  // A record shows how a long field begins, and where the rest of it is.
  const begins = record.fields.find((field) => field.name === task.field).value;
  const rung = record.content_ladder.records[0].fields.find((field) => field.path === task.field);
  assert.equal(rung.preview.end_chars, [...begins].length);
  yield [begins, rung.digest];
  let { uri } = rung.resource;
  while (uri) {
    const [contents] = (await client.readResource({ uri })).contents;
    const [header, text] = split(contents.text);
    yield [text, header.digest];
    assert.equal(contents._meta?.next_uri ?? null, header.next_uri);
    uri = header.next_uri;
  }
}

await client.connect(transport());
// The client holds results against the output schemas that it has seen.
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const hash = createHash("sha256");
let [chars, windows, digest] = [0, 0, null];
for await (const [text, seen] of { text: byText, structure: byStructure, links: byLinks }[task.channel]()) {
  hash.update(text, "utf8");
  chars += [...text].length;
  windows += 1;
  digest = seen;
}
const outcome = { sha256: hash.digest("hex"), digest, chars, windows };
console.log(JSON.stringify({ ...outcome, server: client.getServerVersion().name, tools }));
await client.close();
