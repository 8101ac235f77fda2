"""What a client does first, with the official Python SDK: opens a session, lists the tools, and searches.

The outcome goes to standard output as JSON.
"""

import asyncio
import json

from connect import TASK, connect


async def main():
    async with connect() as session:
        opened = await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        found = await session.call_tool("search", {"q": TASK["q"]})
        assert not found.isError, found.content[0].text
    results = found.structuredContent["results"]
    print(json.dumps({"server": opened.serverInfo.name, "tools": tools, "results": results}))


asyncio.run(main())
