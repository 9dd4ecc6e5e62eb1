"""What is dear to read is read once for all who ask for it, and by requests that are over too."""

from __future__ import annotations

import asyncio

import pytest

from windlass import Windlass
from windlass.web.site.recent import Recent

pytestmark = pytest.mark.only_on("sqlite")


def test_a_reading_outlives_its_request_and_is_shared(app: Windlass) -> None:
    """B20: a page that took too long is there when it is asked for again."""
    begun: list[str] = []

    async def ask() -> None:
        may_end, both_begun = asyncio.Event(), asyncio.Event()

        async def read(app: Windlass, about: str) -> str:
            begun.append(about)
            if len(begun) == 2:
                both_begun.set()
            await may_end.wait()
            return f"{about} {len(begun)}"

        recent = Recent(read, seconds=60)
        late = asyncio.ensure_future(recent.of(app, "day"))
        others = asyncio.gather(recent.of(app, "day"), recent.of(app, "week"))
        await both_begun.wait()
        late.cancel()
        may_end.set()
        assert list(await others) == ["day 2", "week 2"]
        assert late.cancelled()
        assert await recent.of(app, "day") == "day 2"

    asyncio.run(ask())
    assert begun == ["day", "week"]


def test_what_a_request_left_behind_is_not_kept_for_ever(app: Windlass) -> None:
    async def ask() -> list[int]:
        numbers = iter(range(9))

        async def read(app: Windlass) -> int:
            await asyncio.sleep(0)
            return next(numbers)

        recent = Recent(read, seconds=0)
        left = asyncio.ensure_future(recent.of(app))
        await asyncio.sleep(0)
        left.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        return [await recent.of(app), await recent.of(app)]

    assert asyncio.run(ask()) == [1, 2]


def test_a_reading_that_fails_is_made_again(app: Windlass) -> None:
    tries: list[int] = []

    async def read(app: Windlass) -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("away")
        return len(tries)

    recent = Recent(read, seconds=60)
    with pytest.raises(OSError, match="away"):
        asyncio.run(recent.of(app))
    assert asyncio.run(recent.of(app)) == 2
