"""Climbs from a search hit to the last character of a long field with the official Python SDK.

One of three kinds of client is played: one that sees only text, one that sees only structured content, one that follows
resource links. The outcome goes to standard output as JSON.
"""

import asyncio
import hashlib
import json
import re

from pydantic import AnyUrl

from connect import TASK, connect


async def call(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    assert not result.isError, result.content[0].text
    return result


def text_of(result):
    """All that a client sees which knows nothing but text."""
    return "\n".join(block.text for block in result.content if block.type == "text")


async def by_text(session):
    found = text_of(await call(session, "search", q=TASK["q"]))
    record = json.loads(re.search(r'id=("(?:[^"\\]|\\.)*")', found).group(1))
    fetched = text_of(await call(session, "fetch", id=record))
    # The call that reads on, as it is printed; this client wants the field from its beginning.
    printed = json.loads(re.search(r"next: read_record_field (\{.*\})", fetched).group(1))
    arguments = {"id": printed["id"], "field_path": printed["field_path"]}
    while True:
        window = text_of(await call(session, "read_record_field", **arguments, limit_chars=TASK["limit_chars"]))
        header, text = window.split("\n", 1)
        header = json.loads(header)
        yield text, header["digest"]
        if header["next_cursor"] is None:
            return
        arguments["cursor"] = header["next_cursor"]


async def by_structure(session):
    found = (await call(session, "search", q=TASK["q"])).structuredContent
    fetched = (await call(session, "fetch", id=found["results"][0]["id"])).structuredContent
    fields = fetched["content_ladder"]["records"][0]["fields"]
    read = next(field["read"] for field in fields if field["path"] == TASK["field"])
    assert read["tool"] == "read_record_field", read
    arguments = {"id": read["args"]["id"], "field_path": read["args"]["field_path"]}
    while True:
        result = await call(session, "read_record_field", **arguments, limit_chars=TASK["limit_chars"])
        window = result.structuredContent["window"]
        yield window["text"], result.structuredContent["field"]["digest"]
        if window["next_cursor"] is None:
            return
        arguments["cursor"] = window["next_cursor"]


async def by_links(session):
    found = await call(session, "search", q=TASK["q"])
    links = [block for block in found.content if block.type == "resource_link"]
    link = next(link for link in links if str(link.uri).startswith("pdpp://record/"))
    record = json.loads((await session.read_resource(link.uri)).contents[0].text)
    # A record shows how a long field begins, and where the rest of it is.
    begins = next(field["value"] for field in record["fields"] if field["name"] == TASK["field"])
    rungs = record["content_ladder"]["records"][0]["fields"]
    rung = next(rung for rung in rungs if rung["path"] == TASK["field"])
    assert rung["preview"]["end_chars"] == len(begins), rung
    yield begins, rung["digest"]
    uri = rung["resource"]["uri"]
    while uri is not None:
        contents = (await session.read_resource(AnyUrl(uri))).contents[0]
        header, text = contents.text.split("\n", 1)
        header = json.loads(header)
        yield text, header["digest"]
        assert (contents.meta or {}).get("next_uri") == header["next_uri"]
        uri = header["next_uri"]


async def main():
    hashed, chars, windows, digest = hashlib.sha256(), 0, 0, None
    async with connect() as session:
        opened = await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        climb = {"text": by_text, "structure": by_structure, "links": by_links}[TASK["channel"]]
        async for text, digest in climb(session):
            hashed.update(text.encode())
            chars += len(text)
            windows += 1
    outcome = {"sha256": hashed.hexdigest(), "digest": digest, "chars": chars, "windows": windows}
    print(json.dumps({**outcome, "server": opened.serverInfo.name, "tools": tools}))


asyncio.run(main())
