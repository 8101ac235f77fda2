"""Makes the calls and reads of a task with the official Python SDK of the era without sessions, and reports what its user
gets to see.

The SDK holds structured content against the output schemas. The report goes to standard output as JSON.
"""

import asyncio
import json
import os

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

TASK = json.loads(os.environ["TASK"])
VERSION = "2026-07-28"


def server():
    if TASK["transport"] == "stdio":
        command = TASK["command"]
        return StdioServerParameters(command=command[0], args=command[1:], env=TASK["env"])
    headers = {"Authorization": f"Bearer {TASK['token']}"}
    return streamable_http_client(TASK["url"], http_client=httpx2.AsyncClient(headers=headers, timeout=60))


def plain(parts):
    return [part.model_dump(mode="json", by_alias=True, exclude_none=True) for part in parts]


async def call(client, tool, arguments):
    result = await client.call_tool(tool, arguments)
    return {
        "content": plain(result.content),
        "structuredContent": result.structured_content,
        "isError": result.is_error,
    }


async def read(client, uri):
    try:
        result = await client.read_resource(uri)
    except MCPError as error:
        return {"error": error.error.model_dump(mode="json", exclude_none=True)}
    return {"contents": plain(result.contents)}


async def main():
    async with Client(server(), mode=VERSION, client_info=Implementation(name="a test", version="1")) as client:
        assert client.protocol_version == VERSION, client.protocol_version
        await client.list_tools()
        called = [await call(client, tool, arguments) for tool, arguments in TASK["calls"]]
        print(json.dumps({"called": called, "read": [await read(client, uri) for uri in TASK["reads"]]}))


asyncio.run(main())
