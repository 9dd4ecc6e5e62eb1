"""The event streams that bring open pages up to date.

All browsers that look at the same page with the same filter, in the same role, share one reader of the store. It reads
twice a second, and only while one of them listens; a browser that is slow misses what came in between, and gets the
newest.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from starlette.responses import StreamingResponse

from windlass import clock
from windlass.web.problems import Problem, problem_of
from windlass.web.route import Call
from windlass.web.site.page import Page, rendered_part

EVERY = 0.5
"""Seconds between two readings."""
_KEEP_ALIVE = 15.0
_LONGEST = 600.0
"""Seconds after which a stream ends; the browser opens another. A server that stops need not wait for it."""
_MOST = 200
"""How many streams a server has at the most; then browsers poll."""

Produce = Callable[[], Awaitable[str]]


@dataclass
class _Reader:
    """Reads one page again and again for those who look at it."""

    produce: Produce
    every: float = EVERY
    listeners: int = 0
    number: int = 0
    frame: str = ""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        while True:
            frame = await self.produce()
            if frame != self.frame:
                self.frame, self.number = frame, self.number + 1
                self.changed.set()
                self.changed = asyncio.Event()
            await clock.asleep(self.every)


class LiveStreams:
    """All streams of a server."""

    def __init__(self) -> None:
        self._readers: dict[object, _Reader] = {}
        self.count = 0

    async def frames(self, key: object, produce: Produce, *, every: float = EVERY) -> AsyncIterator[str]:
        """What the page shows whenever that changes, and nothing, as a sign of life, when it does not for a while."""
        reader = self._readers.setdefault(key, _Reader(produce, every))
        reader.listeners += 1
        self.count += 1
        try:
            if reader.task is None:
                reader.task = asyncio.create_task(reader.run())
            seen = 0
            until = clock.monotonic() + _LONGEST
            while clock.monotonic() < until and not reader.task.done():
                if reader.number > seen:
                    seen = reader.number
                    yield reader.frame
                    continue
                await _either(reader.changed.wait(), reader.task)
                if reader.number == seen:
                    yield ""
        finally:
            self.count -= 1
            reader.listeners -= 1
            if reader.listeners == 0:
                self._readers.pop(key, None)
                if reader.task is not None:
                    reader.task.cancel()


async def _either(wait: Awaitable[object], task: asyncio.Task[None]) -> None:
    """Until something has changed, the reader has ended, or it is time for a sign of life."""
    waiting = asyncio.ensure_future(wait)
    try:
        await asyncio.wait({waiting, task}, timeout=_KEEP_ALIVE, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()


_STREAMS: WeakKeyDictionary[asyncio.AbstractEventLoop, LiveStreams] = WeakKeyDictionary()


def streams_here() -> LiveStreams:
    """Those of the server that runs in this event loop."""
    return _STREAMS.setdefault(asyncio.get_running_loop(), LiveStreams())


def stream(
    build: Callable[[Call[object, object]], Awaitable[Page]], *, every: float = EVERY
) -> Callable[[Call[object, object]], Awaitable[StreamingResponse]]:
    """The handler of the stream of a page that is read again after so many seconds."""

    async def handler(call: Call[object, object]) -> StreamingResponse:
        streams = streams_here()
        if streams.count >= _MOST:
            raise Problem(
                503,
                "Too many streams",
                "this server has as many open pages as it can have",
                headers={"Retry-After": "30"},
            )
        request = call.request
        key = (call.app, request.url.path, request.url.query, call.identity.role)

        async def produce() -> str:
            try:
                return _message(rendered_part(call, await build(call)), "#live")
            except Exception as error:  # a page that cannot be read now may be read again soon
                problem = problem_of(error)
                return _away(problem.detail or problem.title)

        async def events() -> AsyncIterator[str]:
            async for frame in streams.frames(key, produce, every=every):
                yield frame or ": still here\n\n"

        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(events(), media_type="text/event-stream", headers=headers)

    return handler


def _message(html: str, target: str) -> str:
    partials = f'<hx-partial hx-target="{target}" hx-swap="innerMorph">{html}</hx-partial>'
    return _event(f'{partials}<hx-partial hx-target="#away" hx-swap="innerMorph"></hx-partial>')


def _away(detail: str) -> str:
    """The store is away: a banner, and the figures that were known last stay."""
    return f"event: away\ndata: {' '.join(detail.split())}\n\n"


def _event(html: str) -> str:
    return "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
