"""Streams: a page that is open is brought up to date, by one reader for all who look at it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.web.site.pages import Pages
from windlass import Windlass
from windlass.web.site.live import frames
from windlass.web.site.recent import Recent
from windlass.web.streams.streams import Streams


@pytest.mark.asyncio
async def test_those_who_look_at_the_same_page_share_a_reader() -> None:
    """B19: one reader of the store, only while somebody listens."""
    streams = Streams()
    readings = 0

    async def produce() -> str:
        nonlocal readings
        readings += 1
        return f"frame {readings}"

    first, second = frames(streams, "page", produce), frames(streams, "page", produce)
    assert await anext(first) == await anext(second)
    [shared] = streams.readers
    assert shared == "page"
    await _end(first)
    await _end(second)
    assert not streams.readers
    ended = readings
    await asyncio.sleep(0)
    assert readings == ended


@pytest.mark.asyncio
async def test_what_is_dear_to_read_is_kept_for_some_seconds() -> None:
    readings = 0

    async def read(app: Windlass) -> int:
        nonlocal readings
        readings += 1
        return readings

    with Windlass("sqlite:///:memory:") as one, Windlass("sqlite:///:memory:") as other:
        recent, stale = Recent(read, seconds=3600), Recent(read, seconds=0)
        assert [await recent.of(one), await recent.of(one), await recent.of(other)] == [1, 1, 2]
        assert [await stale.of(one), await stale.of(one)] == [3, 4]


@pytest.mark.asyncio
async def test_nothing_is_sent_while_nothing_changes() -> None:
    streams = Streams()

    async def produce() -> str:
        return "the same"

    shown = frames(streams, "page", produce)
    assert await anext(shown) == "the same"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(shown), 1.5)
    await _end(shown)


@pytest.mark.only_on("sqlite")
def test_a_page_names_its_stream(shop: Pages, app: Windlass) -> None:
    """B20: with the filter of the page, and where it began: rows do not move while it is open."""
    [stream] = shop.read("/jobs?queue=unserved").all("div", "data-stream")
    assert stream.startswith("/live/jobs?queue=unserved&top=")
    app.enqueue_many([app.request("mail.welcome", [3], id="newer", queue="unserved")])
    page = shop.read(stream.replace("/live/jobs", "/jobs"))
    assert "1 newer job" in page.text
    assert "/jobs/newer" not in page.all("a", "href")


async def _end(frames: AsyncIterator[str]) -> None:
    close = getattr(frames, "aclose", None)
    if close is not None:
        await close()
