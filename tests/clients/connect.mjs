// Connects the official TypeScript SDK as the task says, which stands as JSON in the variable TASK.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const task = JSON.parse(process.env.TASK);

// The packages are installed elsewhere, so that nothing of theirs comes to stand beside this file.
const require = createRequire(join(task.modules, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

export function transport() {
  if (task.transport === "stdio") {
    const [command, ...args] = task.command;
    return new StdioClientTransport({ command, args, env: task.env });
  }
  const headers = { Authorization: `Bearer ${task.token}` };
  return new StreamableHTTPClientTransport(new URL(task.url), { requestInit: { headers } });
}

export const client = new Client({ name: "a test", version: "1" });
