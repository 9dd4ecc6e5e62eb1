"""How many streams there are at the most."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.types import Message, Scope

from windlass.web.problems import Problem
from windlass.web.streams.response import EventStream
from windlass.web.streams.streams import Streams

_SCOPE: Scope = {"type": "http", "method": "GET", "asgi": {"spec_version": "2.3"}}


@pytest.mark.asyncio
async def test_there_are_at_most_so_many_streams() -> None:
    """B19: then 503."""
    streams = Streams(most=1)
    with streams.place():
        with pytest.raises(Problem) as refused, streams.place():
            pass
        assert streams.count == 1
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "30")
    with streams.place():
        pass


@pytest.mark.asyncio
async def test_clients_that_come_at_the_same_time_are_not_all_let_in() -> None:
    """B19: both are answered before either has begun to listen."""
    streams, refused = Streams(most=1), asyncio.Event()
    statuses: list[int] = []

    async def events() -> AsyncIterator[str]:
        await refused.wait()
        yield "data: 1\n\n"

    async def receive() -> Message:
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
            if message["status"] == 503:
                refused.set()

    answers = [EventStream(events(), streams=streams) for _ in range(2)]
    async with asyncio.timeout(60):
        await asyncio.gather(*(answer(_SCOPE, receive, send) for answer in answers))
    assert sorted(statuses) == [200, 503]
    assert streams.count == 0
