"""The event streams that bring open pages up to date.

All browsers that look at the same page with the same filter, in the same role, share one reader of the store. It reads
twice a second, and only while one of them listens; a browser that is slow misses what came in between, and gets the
newest.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from windlass.web.problems import problem_of
from windlass.web.route import Call
from windlass.web.site.form_token import token_of, with_token
from windlass.web.site.page import Page, rendered_part
from windlass.web.streams.reader import EVERY, Listening, Reader
from windlass.web.streams.response import STILL_HERE, EventStream
from windlass.web.streams.streams import Streams, streams_here

Produce = Callable[[], Awaitable[str]]


class _PageReads:
    """What one page shows."""

    def __init__(self, produce: Produce) -> None:
        self._produce = produce
        self.frame = ""

    async def read(self) -> bool:
        """Read the page again; whether it shows something else."""
        before, self.frame = self.frame, await self._produce()
        return self.frame != before


async def frames(streams: Streams, key: object, produce: Produce, *, every: float = EVERY) -> AsyncIterator[str]:
    """What the page shows whenever that changes, and nothing, as a sign of life, when it does not for a while."""
    reads, reader = streams.reader(key, lambda: _shared(produce, every))
    try:
        with reader.listening():
            listening, sent = Listening(reader, streams), ""
            while await listening.news() is not None:
                if reads.frame != sent:
                    sent = reads.frame
                    yield sent
                elif sent:
                    yield ""
    finally:
        if reader.listeners == 0:
            streams.readers.pop(key, None)


def _shared(produce: Produce, every: float) -> tuple[_PageReads, Reader]:
    reads = _PageReads(produce)
    return reads, Reader(reads, every=every)


def stream(
    build: Callable[[Call[object, object]], Awaitable[Page]], *, every: float = EVERY
) -> Callable[[Call[object, object]], Awaitable[EventStream]]:
    """The handler of the stream of a page that is read again after so many seconds."""

    async def handler(call: Call[object, object]) -> EventStream:
        streams = streams_here()
        request = call.request
        key = (call.app, request.url.path, request.url.query, call.identity.role)

        async def produce() -> str:
            try:
                return _event(rendered_part(call, await build(call)))
            except Exception as error:  # a page that cannot be read now may be read again soon
                problem = problem_of(error)
                return _away(problem.detail or problem.title)

        token = token_of(call)

        async def events() -> AsyncIterator[str]:
            async for frame in frames(streams, key, produce, every=every):
                yield with_token(frame, token) or STILL_HERE

        return EventStream(events(), streams=streams)

    return handler


def _away(detail: str) -> str:
    """The store is away: a banner, and the figures that were known last stay."""
    return f"event: away\ndata: {' '.join(detail.split())}\n\n"


def _event(html: str) -> str:
    return "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
