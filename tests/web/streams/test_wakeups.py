"""Those who wait, and what wakes them."""

from __future__ import annotations

import asyncio

import pytest

from windlass.web.streams.reader import KEEP_ALIVE, Listening, Reader
from windlass.web.streams.streams import Streams
from windlass.web.streams.wakeups import Wakeups, woken

DEADLINE = 60.0


@pytest.mark.asyncio
async def test_any_of_those_waited_for_wakes_all_who_wait() -> None:
    first, second, other = Wakeups(), Wakeups(), Wakeups()
    both = [asyncio.ensure_future(woken(first, second, seconds=DEADLINE)) for _ in range(3)]
    elsewhere = asyncio.ensure_future(woken(other, seconds=DEADLINE))
    await asyncio.sleep(0)
    second.wake()
    first.wake()
    await asyncio.gather(*both)
    assert not elsewhere.done()
    other.wake()
    await elsewhere


@pytest.mark.asyncio
async def test_a_wait_ends_when_its_time_is_over() -> None:
    wakeups = Wakeups()
    patient, hasty = (asyncio.ensure_future(woken(wakeups, seconds=seconds)) for seconds in (DEADLINE, 0))
    await hasty
    assert not patient.done()
    wakeups.wake()
    await patient


@pytest.mark.asyncio
async def test_one_that_was_cancelled_does_not_hinder_the_others() -> None:
    wakeups = Wakeups()
    gone, left = (asyncio.ensure_future(woken(wakeups, seconds=DEADLINE)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    wakeups.wake()
    await left
    assert (await asyncio.gather(gone, return_exceptions=True))[0].__class__ is asyncio.CancelledError


class Broken:
    """What cannot be read."""

    async def read(self) -> bool:
        raise RuntimeError("a defect")


class Silent:
    """What never has news."""

    async def read(self) -> bool:
        return False


@pytest.mark.asyncio
async def test_a_reader_that_fails_ends_the_streams_that_wait_for_it() -> None:
    streams, reader = Streams(), Reader(Broken())
    with reader.listening():
        listening = Listening(reader, streams)
        async with asyncio.timeout(KEEP_ALIVE - 5):
            while await listening.news() is not None:
                pass


@pytest.mark.asyncio
async def test_a_server_that_stops_wakes_the_streams_that_wait() -> None:
    streams, reader = Streams(), Reader(Silent())
    with reader.listening():
        listening = Listening(reader, streams)
        assert await listening.news() is True
        waiting = asyncio.ensure_future(listening.news())
        await asyncio.sleep(0)
        streams.end()
        async with asyncio.timeout(KEEP_ALIVE - 5):
            assert await waiting is None
            assert await listening.news() is None
