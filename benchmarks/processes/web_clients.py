"""Clients of ``windlass web``: event streams that are held open, and requests at a steady rate, in one process.

Plain sockets on one loop: a client that costs much would be measured in place of the server, for they share the cores.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from benchmarks.channel import Child, serve

_CONNECTIONS = 10
"""Connections that requests take turns on; each is kept open."""
_PATIENCE = 60.0
"""Seconds within which streams open and requests are answered."""
_ELSEWHERE = json.dumps({"task": "bench.async", "args": [0], "queue": "elsewhere"})
"""A job for a queue that no worker serves: the drain stays as long as it is."""
_REQUESTS = (
    ("GET", "/api/v1/queues", ""),
    ("GET", "/api/v1/jobs?limit=50", ""),
    ("POST", "/api/v1/jobs", _ELSEWHERE),
    ("GET", "/api/v1/workers", ""),
    ("GET", "/api/v1/jobs?state=pending&limit=50", ""),
)
"""What a dashboard and a program ask, in turn."""


def web_clients(address: str, *, streams: int, per_second: int) -> Child:
    """The clients: ``start``, ``forget`` what was counted, then ``counted``."""
    return Child("benchmarks.processes.web_clients", address, str(streams), str(per_second))


@dataclass
class Tally:
    """What came since it was last forgotten."""

    answered: int = 0
    frames: int = 0
    received: int = 0
    """Bytes of streams."""


class Stream(asyncio.Protocol):
    """One event stream; counts its frames, and reads nothing in them."""

    def __init__(self, request: bytes, tally: Tally, gone: asyncio.Future[None]) -> None:
        self._request = request
        self._tally = tally
        self._gone = gone
        self._ends_in_newline = False
        self._opening = b""
        self.is_open = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if not self.is_open.done():
            self._await_opening(data)
        self._tally.received += len(data)
        self._tally.frames += data.count(b"\n\n") + (self._ends_in_newline and data.startswith(b"\n"))
        self._ends_in_newline = data.endswith(b"\n")

    def _await_opening(self, data: bytes) -> None:
        self._opening += data
        if not self._opening.startswith(b"HTTP/1.1 200 "[: len(self._opening)]):
            self.is_open.set_exception(RuntimeError(f"a stream was refused: {self._opening[:300]!r}"))
        elif b"event: open" in self._opening:
            self.is_open.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        error = RuntimeError(f"the server ended a stream: {exc or 'without an error'}")
        for waited in (self.is_open, self._gone):
            if not waited.done():
                waited.set_exception(error)


class Clients:
    """All of them, on the loop of a thread of their own."""

    def __init__(self, address: str, *, streams: int, per_second: int) -> None:
        place = urlsplit(address)
        self._host, self._port = place.hostname or "", place.port or 0
        self._streams = streams
        self._per_second = per_second
        self._tally = Tally()
        self._loop = asyncio.new_event_loop()
        self._failed: Future[None] = Future()
        Thread(target=self._loop.run_forever, daemon=True).start()

    def start(self) -> dict[str, int]:
        """Open all streams, then begin to ask."""
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(_PATIENCE)
        self._failed = asyncio.run_coroutine_threadsafe(self._run(), self._loop)
        return {"streams": self._streams}

    def forget(self) -> dict[str, int]:
        """Count from now on."""
        self._tally.answered = self._tally.frames = self._tally.received = 0
        return {}

    def counted(self) -> dict[str, int]:
        """What came since; raises what went wrong, for then too little was asked of the server."""
        if self._failed.done():
            self._failed.result()
        tally = self._tally
        return {"answered": tally.answered, "frames": tally.frames, "received": tally.received}

    async def _open(self) -> None:
        self._gone: asyncio.Future[None] = self._loop.create_future()
        request = self._request("GET", "/api/v1/stream", "")
        for _ in range(self._streams):
            _, stream = await self._loop.create_connection(
                lambda: Stream(request, self._tally, self._gone), self._host, self._port
            )
            await stream.is_open

    async def _run(self) -> None:
        began = self._loop.time()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._until_gone())
            for number in range(_CONNECTIONS):
                group.create_task(self._ask(number, began))

    async def _until_gone(self) -> None:
        await self._gone

    async def _ask(self, first: int, began: float) -> None:
        """Each of these connections sends its share of the requests, at the times at which they are due."""
        reader, writer = await asyncio.open_connection(self._host, self._port)
        number = first
        while True:
            await asyncio.sleep(began + number / self._per_second - self._loop.time())
            # The turn of a connection is moved on, or it would ask the same all the time.
            method, path, body = _REQUESTS[(number // _CONNECTIONS + first) % len(_REQUESTS)]
            writer.write(self._request(method, path, body))
            async with asyncio.timeout(_PATIENCE):
                await _answer(reader, path)
            self._tally.answered += 1
            number += _CONNECTIONS

    def _request(self, method: str, path: str, body: str) -> bytes:
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
        typed = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        return f"{head}{typed}\r\n{body}".encode()


async def _answer(reader: asyncio.StreamReader, path: str) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = head.partition("content-length:")[2].partition("\r\n")[0]
    body = await reader.readexactly(int(length))
    if not head.startswith("http/1.1 2"):
        raise RuntimeError(f"{path} was answered with {head.splitlines()[0]}: {body[:300]!r}")


def main(address: str, streams: str, per_second: str) -> None:
    clients = Clients(address, streams=int(streams), per_second=int(per_second))
    handlers: Mapping[str, Any] = {"start": clients.start, "forget": clients.forget, "counted": clients.counted}
    serve(handlers)


if __name__ == "__main__":
    main(*sys.argv[1:])
