"""Makes the calls and reads of a task with the official Python SDK, and reports what its user gets to see.

The SDK holds structured content against the output schemas. The report goes to standard output as JSON.
"""

import asyncio
import json

from mcp import McpError
from pydantic import AnyUrl

from connect import TASK, connect


async def call(session, tool, arguments):
    result = await session.call_tool(tool, arguments)
    return {
        "content": [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content],
        "structuredContent": result.structuredContent,
        "isError": result.isError,
    }


async def read(session, uri):
    try:
        result = await session.read_resource(AnyUrl(uri))
    except McpError as error:
        return {"error": error.error.model_dump(mode="json", exclude_none=True)}
    return {"contents": [part.model_dump(mode="json", by_alias=True, exclude_none=True) for part in result.contents]}


async def main():
    async with connect() as session:
        await session.initialize()
        await session.list_tools()
        called = [await call(session, tool, arguments) for tool, arguments in TASK["calls"]]
        print(json.dumps({"called": called, "read": [await read(session, uri) for uri in TASK["reads"]]}))


asyncio.run(main())
