// Makes the calls and reads of a task with the official TypeScript SDK, and reports what its user gets to see.
//
// The SDK holds structured content against the output schemas. The report goes to standard output as JSON.

import { client, task, transport } from "./connect.mjs";

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
// The client holds results against the output schemas that it has seen.
await client.listTools();
const report = { called: [], read: [] };
for (const [tool, args] of task.calls) report.called.push(await call(tool, args));
for (const uri of task.reads) report.read.push(await read(uri));
// A report is larger than what a pipe takes at once, so the end waits until it is written.
await new Promise((done) => process.stdout.write(JSON.stringify(report), done));
await client.close();
