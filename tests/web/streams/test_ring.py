"""The newest events by number, and who wants them."""

from __future__ import annotations

import pytest

from windlass.web.problems import Problem
from windlass.web.streams.event import Change, Interest
from windlass.web.streams.ring import Ring
from windlass.web.streams.streams import Streams


def test_a_slow_reader_loses_the_oldest_and_is_told_how_many() -> None:
    """B19: bounded per client."""
    ring = Ring(most=3)
    for number in range(5):
        ring.add("job", Change("jobs", {"id": str(number)}))
    found = ring.since(0)
    assert ([kept.number for kept in found.events], found.lost) == ([3, 4, 5], 2)
    assert ([kept.number for kept in ring.since(4).events], ring.since(4).lost) == ([5], 0)
    assert ring.since(5).events == []


def test_an_id_is_good_for_the_process_that_gave_it_out() -> None:
    ring, other = Ring(), Ring()
    ring.add("job", Change("jobs", {}))
    assert ring.position(ring.id_of(1)) == 1
    for id in (ring.id_of(2), other.id_of(0), "", "x", "-1", f"{ring.id_of(1)}x", ring.id_of(1) + "0" * 30):
        assert ring.position(id) is None, id


def test_an_interest_is_in_topics_queues_and_tasks() -> None:
    mail = Change("jobs", {}, queue="mail", task="t")
    assert Interest(frozenset({"jobs"})).wants(mail)
    assert not Interest(frozenset({"queues"})).wants(mail)
    assert Interest(frozenset({"jobs"}), frozenset({"mail"}), frozenset({"t"})).wants(mail)
    assert not Interest(frozenset({"jobs"}), frozenset({"other"})).wants(mail)
    assert not Interest(frozenset({"jobs"}), frozenset(), frozenset({"other"})).wants(mail)
    assert Interest(frozenset({"workers"}), frozenset({"mail"})).wants(Change("workers", {}))
    assert Interest(frozenset({"workers"})).wants(Change("", {}))


@pytest.mark.asyncio
async def test_there_are_at_most_so_many_streams() -> None:
    """B19: then 503."""
    streams = Streams(most=1)
    streams.check()
    with streams.place(), pytest.raises(Problem) as refused:
        streams.check()
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "30")
    streams.check()
