"""Connects the official Python SDK as the task says, which stands as JSON in the variable TASK."""

import json
import os
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

TASK = json.loads(os.environ["TASK"])


@asynccontextmanager
async def connect():
    if TASK["transport"] == "stdio":
        command = TASK["command"]
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=TASK["env"])
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
            yield session
    else:
        headers = {"Authorization": f"Bearer {TASK['token']}"}
        async with streamablehttp_client(TASK["url"], headers=headers) as (read, write, _):
            async with ClientSession(read, write) as session:
                yield session
