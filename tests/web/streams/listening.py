"""A client of the stream of the API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import Message

from tests.web.http import V1, Http

DEADLINE = 60.0


class Client:
    """Listens to the stream."""

    def __init__(self, sent: asyncio.Queue[Message]) -> None:
        self._sent = sent
        self._events: list[tuple[str, Any]] = []
        self.last = ""

    async def until(self, event: str, **wanted: Any) -> Any:
        """The first event of that name with these values; those before it are left out."""
        async with asyncio.timeout(DEADLINE):
            while True:
                while self._events:
                    name, data = self._events.pop(0)
                    if name == event and all(data.get(key) == value for key, value in wanted.items()):
                        return data
                self._take(await self._sent.get())

    def _take(self, message: Message) -> None:
        for block in message.get("body", b"").decode().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
            self.last = fields.get("id", self.last)
            if "data" in fields:
                self._events.append((fields["event"], json.loads(fields["data"])))


@asynccontextmanager
async def listening(http: Http, query: str = "", *, last: str = "") -> AsyncIterator[Client]:
    """A client, from the moment on at which it is told of everything."""
    gone, sent = asyncio.Event(), asyncio.Queue[Message]()
    headers = [(b"host", b"localhost"), *([(b"last-event-id", last.encode())] if last else [])]
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": f"{V1}/stream",
        "raw_path": f"{V1}/stream".encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 4),
        "server": ("127.0.0.1", 80),
    }
    begun = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if begun:
            return begun.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    serving = asyncio.ensure_future(http.app(scope, receive, sent.put))
    client = Client(sent)
    try:
        await client.until("open")
        yield client
    finally:
        gone.set()
        await serving
