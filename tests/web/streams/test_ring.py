"""The newest events by number, and who wants them."""

from __future__ import annotations

import re

from windlass.web.streams.event import Change, Interest
from windlass.web.streams.ring import Ring

JOBS = Interest(frozenset({"jobs"}))


def numbers(text: bytes) -> list[str]:
    """The ids in the events of a text."""
    return re.findall(r'"id":"(\d+)"', text.decode())


def test_a_slow_reader_loses_the_oldest_and_is_told_how_many() -> None:
    """B19: bounded per client."""
    ring = Ring(most=3)
    for number in range(5):
        ring.add("job", Change("jobs", {"id": str(number)}))
    found = ring.since(0, JOBS)
    assert (numbers(found.text), found.lost) == (["2", "3", "4"], 2)
    found = ring.since(4, JOBS)
    assert (numbers(found.text), found.lost) == (["4"], 0)
    assert ring.since(5, JOBS).text == b""


def test_clients_at_the_same_position_share_what_is_sent_until_there_is_more() -> None:
    """And those who want something else, or are elsewhere, get their own."""
    ring = Ring()
    ring.add("job", Change("jobs", {"id": "1"}, queue="mail"))
    ring.add("queue", Change("queues", {"id": "2"}, queue="mail"))
    shared = ring.since(0, JOBS)
    assert ring.since(0, Interest(frozenset({"jobs"}))) is shared
    assert numbers(shared.text) == ["1"]
    assert numbers(ring.since(0, Interest(frozenset({"jobs", "queues"}))).text) == ["1", "2"]
    assert ring.since(0, Interest(frozenset({"jobs"}), queues=frozenset({"other"}))).text == b""
    assert ring.since(1, JOBS).text == b""
    ring.add("job", Change("jobs", {"id": "3"}))
    assert numbers(ring.since(0, JOBS).text) == ["1", "3"]
    assert numbers(ring.since(2, JOBS).text) == ["3"]


def test_many_clients_at_places_of_their_own_get_what_is_theirs() -> None:
    ring = Ring()
    for number in range(100):
        ring.add("job", Change("jobs", {"id": str(number)}))
    for position in range(100):
        assert numbers(ring.since(position, JOBS).text) == [str(number) for number in range(position, 100)]


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
