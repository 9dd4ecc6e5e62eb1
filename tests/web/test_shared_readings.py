"""Requests that ask for the same thing within a moment share one reading of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.web.http import V1, Http
from tests.worker.call_interceptor import CallInterceptor, intercept
from windlass import StoreUnavailable, Windlass
from windlass.testing import ManualClock
from windlass.web.readings.shared_reading import SharedReading

pytestmark = pytest.mark.only_on("sqlite")

LONG = 600.0
"""Seconds: nothing that is read gets too old within a test."""


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    return intercept(app)


def test_queues_and_overview_are_read_once_for_all_who_ask(
    app: Windlass, interceptor: CallInterceptor, clock: ManualClock
) -> None:
    """C13: counting all jobs for each of many requests is what costs a busy store most."""
    http = Http(app, shared_for=LONG)
    app.enqueue("mail.welcome", 1)
    first = http.read("/queues")
    clock.advance("1s")
    app.enqueue("mail.welcome", 2)
    again, overview = http.read("/queues"), http.read("/overview")
    assert again == first
    assert (overview["queues"], overview["read_at"]) == (first["queues"], first["read_at"])
    assert interceptor.calls["counts"] == 1


def test_one_queue_is_read_without_what_others_hold(app: Windlass, interceptor: CallInterceptor) -> None:
    http = Http(app, shared_for=LONG)
    app.enqueue_many([app.request("mail.welcome", [1]), app.request("broken", queue="other")])
    one = http.read("/queues/mail")
    assert (one["name"], one["counts"]["pending"]) == ("mail", 1)
    assert interceptor.calls["next_due"] == 0, "the whole overview was not asked for"
    [listed] = [queue for queue in http.read("/queues")["queues"] if queue["name"] == "mail"]
    assert one.keys() == listed.keys()
    assert http.get(f"{V1}/queues/none").status_code == 404


def test_workers_are_read_once_for_all_who_ask(app: Windlass, interceptor: CallInterceptor) -> None:
    http = Http(app, shared_for=LONG)
    assert http.read("/workers") == http.read("/workers")
    assert http.read("/workers", lost=True)["workers"] == []
    assert interceptor.calls["workers"] == 1


def test_who_changes_something_sees_it_at_once(app: Windlass, interceptor: CallInterceptor) -> None:
    """What programs do all the time, enqueue and work, is seen a moment later."""
    http = Http(app, shared_for=LONG)
    app.enqueue("mail.welcome", 1)
    assert http.read("/queues")["queues"][0]["paused"] is None
    http.order("/jobs", {"task": "mail.welcome", "args": [2]}, status=201)
    assert http.read("/queues")["queues"][0]["counts"]["pending"] == 1
    http.order("/queues/mail/pause", {"reason": "rest"})
    [queue] = http.read("/queues")["queues"]
    assert (queue["paused"]["reason"], queue["counts"]["pending"]) == ("rest", 2)


def test_a_reading_gets_old() -> None:
    read = iter(range(9))

    async def one() -> int:
        return next(read)

    async def asked() -> list[int]:
        brief, long = SharedReading(one, seconds=1e-9), SharedReading(one, seconds=LONG)
        values = [(await brief.value()).value]
        for _ in range(50):
            await asyncio.sleep(0)
        return [*values, (await long.value()).value, (await long.value()).value]

    assert asyncio.run(asked()) == [0, 1, 1]


def test_those_who_ask_at_once_wait_for_the_same_reading() -> None:
    """One that gives up leaves it to the others."""

    async def asked() -> tuple[list[int], int]:
        begun, go_on, number = asyncio.Event(), asyncio.Event(), 0

        async def slow() -> int:
            nonlocal number
            number += 1
            begun.set()
            await go_on.wait()
            return number

        reading = SharedReading(slow, seconds=LONG)
        first, *others = [asyncio.create_task(reading.value()) for _ in range(3)]
        await begun.wait()
        first.cancel()
        await asyncio.wait([first])
        go_on.set()
        return [(await other).value for other in others], number

    assert asyncio.run(asked()) == ([1, 1], 1)


def test_a_reading_that_began_before_a_change_is_not_kept() -> None:
    async def asked() -> list[int]:
        begun, go_on, number = asyncio.Event(), asyncio.Event(), 0

        async def slow() -> int:
            nonlocal number
            number += 1
            mine = number
            begun.set()
            await go_on.wait()
            return mine

        reading = SharedReading(slow, seconds=LONG)
        before = asyncio.create_task(reading.value())
        await begun.wait()
        reading.forget()
        after = asyncio.create_task(reading.value())
        await asyncio.sleep(0)
        go_on.set()
        return [(await before).value, (await after).value, (await reading.value()).value]

    assert asyncio.run(asked()) == [1, 2, 2]


def test_a_reading_that_fails_fails_for_all_who_wait_and_is_made_again() -> None:
    answers: Iterator[Exception | int] = iter([StoreUnavailable("away"), 7])

    async def read() -> int:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def asked() -> int:
        reading = SharedReading(read, seconds=LONG)
        found = await asyncio.gather(reading.value(), reading.value(), return_exceptions=True)
        assert all(isinstance(one, StoreUnavailable) for one in found)
        return (await reading.value()).value

    assert asyncio.run(asked()) == 7


def test_the_types_of_a_query_are_looked_at_once(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """C13: msgspec compiles annotations anew each time it is asked for fields, which took half of a request."""
    http.read("/jobs", limit=5)
    asked: list[object] = []
    monkeypatch.setattr("msgspec.structs.fields", asked.append)
    http.read("/jobs", limit=6)
    assert asked == []
