"""Producers whose store goes away: told in time, told the truth, and never left with two jobs for one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

import pytest

from tests.faults.names import NOTE
from tests.faults.proxy import Proxy, Trap
from tests.ledger.apps import Apps
from tests.leeway import leeway
from tests.waiting import eventually
from windlass import OutcomeUnknown, State, StoreUnavailable, Windlass

pytestmark = pytest.mark.only_on("postgres", "redis")

DEADLINE = 1.0
"""That of the apps behind the proxy."""
LATE = 1.0
RETURN = 10.0

OUTAGES: dict[str, Callable[[Proxy], None]] = {
    "refused": Proxy.refuse,
    "reset": Proxy.turn_away,
    "swallowed": Proxy.swallow,
}


def is_away(app: Windlass) -> bool:
    try:
        app.enqueue(NOTE, 0)
    except StoreUnavailable:
        return True
    return False


@pytest.mark.parametrize("begin", OUTAGES.values(), ids=OUTAGES)
def test_a_producer_is_told_in_time_then_at_once_and_goes_on_by_itself(
    app: Windlass, far_app: Apps, proxy: Proxy, begin: Callable[[Proxy], None]
) -> None:
    """S1, S4: StoreUnavailable within the deadline and a second, from then on at once, until the store is back."""
    producer = far_app()
    producer.enqueue(NOTE, 1)
    begin(proxy)
    began = monotonic()
    assert is_away(producer)
    assert monotonic() - began < leeway(DEADLINE + LATE)
    # An idle connection in a black hole looks well; the call that finds out costs a deadline, the next one another.
    eventually(lambda: _seconds(lambda: is_away(producer)) < DEADLINE / 2, "calls fail at once")
    proxy.restore()
    back = monotonic()
    eventually(lambda: not is_away(producer), "the producer goes on by itself")
    assert monotonic() - back < leeway(RETURN)
    assert app.counts()[State.PENDING] >= 2


def _seconds(act: Callable[[], object]) -> float:
    began = monotonic()
    act()
    return monotonic() - began


POSITIONS = [0, 1, 7, 60, 200, -40, -1, 1 << 20]
"""Bytes of a request after which the connection is cut; the last is: all of them."""


def test_an_enqueue_that_was_cut_may_be_repeated(app: Windlass, far_app: Apps, proxy: Proxy) -> None:
    """S3: wherever the request was cut, repeating it with the same id gives exactly one job."""
    producer = far_app()
    producer.enqueue(NOTE, 0)
    for number, reach in enumerate(POSITIONS):
        id = f"cut-{number}-of-the-positions"
        _cut_once(producer, proxy.cut_request(id.encode(), reach=reach), id)
    assert len(app.jobs(limit=100)) == 1 + len(POSITIONS)


def _cut_once(producer: Windlass, trap: Trap, id: str) -> None:
    request = producer.request(NOTE, (1,), id=id)
    with pytest.raises(OutcomeUnknown) as caught:
        producer.enqueue_many([request])
    trap.await_sprung()
    assert caught.value.ids == (id,)
    [job] = producer.enqueue_many([request])
    assert job.id == id


@pytest.mark.parametrize("is_own", [True, False], ids=["own ids", "drawn ids"])
def test_an_enqueue_whose_answer_was_lost_says_so_with_its_ids(
    app: Windlass, far_app: Apps, proxy: Proxy, is_own: bool
) -> None:
    """S3: it was carried out, nobody knows, and repeating it with those ids changes nothing."""
    producer = far_app()
    first, mine = ({"id": "first"}, {"id": "mine"}) if is_own else ({}, {})

    def enqueue_two(value: object, ids: dict[str, Any]) -> None:
        producer.enqueue_many([producer.request(NOTE, (value,), **ids), producer.request(NOTE, (2,))])

    # Into a new queue, and into a known one: a Redis server that has not met a script only says so, and that must not
    # be what is lost.
    enqueue_two(1, first)
    enqueue_two(1, {})
    marker = "an unmistakable argument"
    trap = proxy.lose_reply_to(marker.encode())
    with pytest.raises(OutcomeUnknown) as caught:
        enqueue_two(marker, mine)
    trap.await_sprung()
    assert len(caught.value.ids) == 2
    assert [app.job(id).state for id in caught.value.ids] == ["pending", "pending"]
    again = zip(caught.value.ids, (marker, 2), strict=True)
    jobs = producer.enqueue_many([producer.request(NOTE, (value,), id=id) for id, value in again])
    assert [job.duplicate for job in jobs] == [True, True]
    assert len(app.jobs(limit=100)) == 6


@pytest.mark.asyncio
async def test_async_producers_are_told_the_same(app: Windlass, far_app: Apps, proxy: Proxy) -> None:
    """S3, S4."""
    producer = far_app()
    for number in range(2):  # into a new queue, and into a known one: a Redis server has to meet the script of both
        await producer.aenqueue(NOTE, number)
    trap = proxy.lose_reply_to(b"an unmistakable argument")
    with pytest.raises(OutcomeUnknown) as caught:
        await producer.aenqueue(NOTE, "an unmistakable argument")
    trap.await_sprung()
    assert [app.job(id).state for id in caught.value.ids] == ["pending"]
    proxy.refuse()
    began = monotonic()
    with pytest.raises(StoreUnavailable):
        await producer.aenqueue(NOTE, 1)
    assert monotonic() - began < leeway(DEADLINE + LATE)


def test_reading_goes_on_unseen_over_a_cut(app: Windlass, far_app: Apps, proxy: Proxy) -> None:
    """S3: what changes nothing is simply asked again."""
    reader = far_app()
    job = app.enqueue(NOTE, 1)
    for gently in (True, False):
        assert reader.job(job.id).state == "pending"
        proxy.cut(gently=gently)
    trap = proxy.lose_reply_to(job.id.encode())
    assert reader.job(job.id).state == "pending"
    trap.await_sprung()


def test_connections_that_the_network_has_forgotten_cost_one_deadline_together(far_app: Apps, proxy: Proxy) -> None:
    """S4: who finds one of them dead trusts none of the others, so that nobody else has to find out."""
    producer = far_app()
    with ThreadPoolExecutor(6) as threads:

        def connections_after_calls() -> int:
            list(threads.map(lambda number: producer.enqueue(NOTE, number), range(12)))
            return proxy.connections

        eventually(lambda: connections_after_calls() == 3, "there are all connections that there may be")
    proxy.swallow()
    proxy.restore()
    assert _seconds(lambda: is_away(producer)) < leeway(DEADLINE + LATE)
    eventually(lambda: proxy.connections == 0, "the others are closed, too")
    producer.enqueue(NOTE, 1)


def test_a_manual_claim_whose_answer_was_lost_is_read_again(app: Windlass, far_app: Apps, proxy: Proxy) -> None:
    """S3: the caller gets the jobs that were taken in its name, and no others."""
    hand = far_app()
    app.enqueue_many([app.request(NOTE, (marker,)) for marker in ("unmistakable", "b", "c")])
    assert hand.counts()[State.PENDING] == 3
    trap = proxy.lose_reply_with(b"unmistakable")
    claimed = hand.claim(2)
    trap.await_sprung()
    assert [job.args for job in claimed] == [("unmistakable",), ("b",)]
    assert app.counts()[State.RUNNING] == 2
    trap = proxy.lose_reply_to(b"an unmistakable result")
    claimed[0].complete("an unmistakable result")
    trap.await_sprung()
    job = app.job(claimed[0].id)
    assert (job.state, job.attempt, job.result(timeout=1)) == ("completed", 1, "an unmistakable result")
    assert not {"refused", "rescued"} & {entry.kind for entry in job.timeline()}
