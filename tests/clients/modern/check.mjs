// Makes the calls and reads of a task with the official TypeScript SDK of the era without sessions, and reports what its
// user gets to see.
//
// The SDK holds structured content against the output schemas. The report goes to standard output as JSON.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const VERSION = "2026-07-28";
const task = JSON.parse(process.env.TASK);

// The packages are installed elsewhere, so that nothing of theirs comes to stand beside this file.
const require = createRequire(join(task.modules, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/client${name}`)));
const { Client, StreamableHTTPClientTransport } = await load("");
const { StdioClientTransport } = await load("/stdio");

function transport() {
  if (task.transport === "stdio") {
    const [command, ...args] = task.command;
    return new StdioClientTransport({ command, args, env: task.env });
  }
  const headers = { Authorization: `Bearer ${task.token}` };
  return new StreamableHTTPClientTransport(new URL(task.url), { requestInit: { headers } });
}

const client = new Client({ name: "a test", version: "1" }, { versionNegotiation: { mode: { pin: VERSION } } });

async function call(name, args) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  return { content, structuredContent: structuredContent ?? null, isError: isError ?? false };
}

async function read(uri) {
  try {
    const { contents } = await client.readResource({ uri });
    return { contents };
  } catch ({ code, message, data }) {
    return { error: { code, message, data } };
  }
}

await client.connect(transport());
assert.equal(client.getNegotiatedProtocolVersion(), VERSION);
// The client holds results against the output schemas that it has seen.
await client.listTools();
const report = { called: [], read: [] };
for (const [tool, args] of task.calls) report.called.push(await call(tool, args));
for (const uri of task.reads) report.read.push(await read(uri));
// A report is larger than what a pipe takes at once, so the end waits until it is written.
await new Promise((done) => process.stdout.write(JSON.stringify(report), done));
await client.close();
