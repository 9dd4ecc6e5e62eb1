"""Limits on running jobs as a worker knows them: what it asks for, whom it tells, and its share."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from tests.worker.test_capacity import a_room, dealt, taken
from windlass.store.operations.cycle import LimitState
from windlass.store.operations.leases import WorkerRecord
from windlass.store.operations.queues import ALL
from windlass.worker.fetch.capacity import Capacity
from windlass.worker.fetch.running_limits import RunningLimits


def a_worker(*queues: str, state: str = "busy", signal: str | None = None) -> WorkerRecord:
    served = ",".join(f'"{queue}"' for queue in queues)
    return WorkerRecord("id", "name", state, 0, 0, signal, None, f'{{"queues":[{served}],"pid":1}}')


def shared(room: Capacity, *workers: WorkerRecord) -> RunningLimits:
    room.running_limits.share_among(workers)
    return room.running_limits


def test_jobs_under_a_limit_are_not_fetched_ahead() -> None:
    """C3: what waits in a buffer would keep others from running."""
    room = a_room({"mail": 1}, quick=("mail",))
    assert dealt(room)["mail"] > 10
    room.note_claimed([("mail", 10)], taken("mail", 10), [LimitState("mail", 50, 10)])
    assert dealt(room) == {"mail": 10}
    room.note_claimed([("mail", 10)], taken("mail", 10))
    assert dealt(room)["mail"] > 10


@pytest.mark.parametrize(("concurrency", "asked"), [(200, 100), (100, 50), (50, 40), (30, 30)])
def test_very_short_jobs_under_a_limit_are_claimed_in_two_parts(concurrency: int, asked: int) -> None:
    """C3: so that store and worker are busy at the same time; a few slots are filled at once."""
    room = a_room({"mail": 1}, concurrency=concurrency, quick=("mail",))
    limited = [LimitState("mail", concurrency, asked)]
    room.note_claimed([("mail", asked)], taken("mail", asked), limited)
    assert dealt(room) == {"mail": asked}
    assert dealt(room, in_flight=asked) == ({"mail": min(asked, concurrency - asked)} if concurrency > asked else {})
    dear = a_room({"mail": 1}, concurrency=concurrency, least=200, quick=("mail",))
    dear.note_claimed([("mail", asked)], taken("mail", asked), limited)
    assert dealt(dear) == {"mail": concurrency}
    slow = a_room({"mail": 1}, concurrency=concurrency)
    slow.note_claimed([("mail", asked)], taken("mail", asked), limited)
    assert dealt(slow) == {"mail": concurrency}


def test_no_queue_is_fetched_ahead_under_a_limit_of_the_app() -> None:
    """E4."""
    room = a_room({"mail": 1}, quick=("mail",))
    room.note_claimed([("mail", 10)], taken("mail", 10), [LimitState(ALL, 50, 10)])
    assert dealt(room) == {"mail": 10}


def test_a_queue_at_its_limit_does_not_keep_others_from_being_fetched_ahead() -> None:
    room = a_room({"mail": 1, "default": 1}, quick=("default",))
    room.note_claimed([("mail", 5), ("default", 5)], taken("default", 5), [LimitState("mail", 2, 2)])
    assert dealt(room) == {"default": 200}


def test_a_queue_at_its_limit_is_asked_again_when_one_of_its_jobs_has_ended_here() -> None:
    """C3: a worker need not wait for a notification of its own endings."""
    room = a_room({"mail": 1, "default": 1})
    room.note_claimed([("mail", 5), ("default", 5)], taken("mail", 2), [LimitState("mail", 2, 2)])
    assert dealt(room) == {}
    room.note_endings({"default"})
    assert dealt(room) == {}
    room.note_endings({"mail"})
    assert dealt(room) == {"mail": 10}


def test_any_ending_makes_room_under_the_limit_of_the_app() -> None:
    """E4."""
    room = a_room({"mail": 1, "default": 1})
    room.note_claimed([("mail", 5), ("default", 5)], taken("mail", 2), [LimitState(ALL, 2, 2)])
    room.note_endings({"mail"})
    assert dealt(room) == {"mail": 5, "default": 5}


def test_an_empty_queue_below_its_limit_is_not_asked_again() -> None:
    room = a_room({"mail": 1})
    room.note_claimed([("mail", 5)], taken("mail", 2), [LimitState("mail", 9, 2)])
    room.note_endings({"mail"})
    assert dealt(room) == {}


def test_what_is_known_of_a_queue_is_kept_while_others_are_asked() -> None:
    room = a_room({"mail": 1, "default": 1})
    room.note_claimed([("mail", 5)], taken("mail", 2), [LimitState("mail", 2, 2)])
    room.note_claimed([("default", 5)], taken("default", 5))
    room.note_endings({"mail"})
    assert "mail" in dealt(room)


@pytest.mark.parametrize(
    ("running", "ended", "claimed", "is_told"),
    [
        (7, 1, 0, True),
        (8, 1, 1, False),
        (6, 1, 0, False),
        (6, 3, 1, True),
        (8, 0, 0, False),
    ],
)
def test_others_are_told_of_room_only_where_there_was_none(
    running: int, ended: int, claimed: int, is_told: bool
) -> None:
    """C3: an ending under a limit that was reached wakes the workers that wait for it."""
    limits = RunningLimits()
    limits.note([], taken("mail", claimed), [LimitState("mail", 8, running)])
    assert limits.has_made_room(taken("mail", ended), taken("mail", claimed)) is is_told
    assert not limits.has_made_room(taken("default", ended), taken("mail", claimed))


# Shares.


def test_a_worker_with_its_share_leaves_room_to_others() -> None:
    """C3: shared fairly by the workers that serve the queue."""
    room = a_room({"mail": 1})
    limits = shared(room, a_worker("mail"), a_worker("mail"), a_worker("other"))
    room.note_claimed([("mail", 6)], taken("mail", 6), [LimitState("mail", 8, 6)])
    assert room.requests(in_flight=6, now=0.0, own=Counter(mail=6)) == []
    assert room.requests(in_flight=3, now=0.0, own=Counter(mail=3)) == [("mail", 1)]
    assert limits.asks_again_at == pytest.approx(0.25)


def test_what_the_others_do_not_take_is_used() -> None:
    """C3: a limit is not wasted on workers that are busy elsewhere."""
    room = a_room({"mail": 1})
    shared(room, a_worker("mail"), a_worker("mail"))
    room.note_claimed([("mail", 6)], taken("mail", 6), [LimitState("mail", 8, 6)])
    assert room.requests(in_flight=6, now=1.0, own=Counter(mail=6)) == []
    assert room.requests(in_flight=6, now=1.2, own=Counter(mail=6)) == []
    assert room.requests(in_flight=6, now=1.25, own=Counter(mail=6)) == [("mail", 4)]
    room.note_claimed([("mail", 4)], taken("mail", 4), [LimitState("mail", 8, 8)])
    assert room.requests(in_flight=7, now=1.3, own=Counter(mail=7)) == []


@pytest.mark.parametrize("other", [a_worker("other"), a_worker("mail", state="lost"), a_worker("mail", state="paused")])
def test_a_worker_that_shares_with_no_other_asks_for_all(other: WorkerRecord) -> None:
    room = a_room({"mail": 1})
    shared(room, a_worker("mail"), other)
    room.note_claimed([("mail", 6)], taken("mail", 6), [LimitState("mail", 8, 6)])
    assert room.requests(in_flight=6, now=0.0, own=Counter(mail=6)) == [("mail", 4)]


def test_a_worker_that_is_paused_by_an_order_has_no_share() -> None:
    limits = RunningLimits()
    limits.note([("mail", 1)], [], [LimitState("mail", 8, 6)])
    limits.share_among([a_worker("mail"), a_worker("mail", signal="pause")])
    assert not limits.is_shared


@pytest.mark.parametrize("info", ["", "{", "[]", '{"queues":7}', '{"queues":[null]}'])
def test_a_damaged_report_of_a_worker_is_no_share(info: str) -> None:
    limits = RunningLimits()
    limits.note([("mail", 1)], [], [LimitState("mail", 8, 6)])
    limits.share_among([a_worker("mail"), replace(a_worker("mail"), info=info)])
    assert not limits.is_shared


def test_the_limit_of_the_app_is_shared_by_all_workers() -> None:
    """E4."""
    room = a_room({"mail": 1, "default": 1})
    shared(room, a_worker("mail", "default"), a_worker("other"))
    room.note_claimed([("mail", 2)], taken("mail", 2), [LimitState(ALL, 8, 3)])
    asked = room.requests(in_flight=3, now=0.0, own=Counter(mail=3))
    assert sum(number for _, number in asked) == 1


def test_workers_are_counted_now_and_then_and_only_under_limits() -> None:
    limits = RunningLimits()
    assert not limits.wants_count(0.0)
    limits.note([("mail", 1)], [], [LimitState("mail", 8, 6)])
    assert limits.wants_count(0.0)
    assert not limits.wants_count(1.0)
    assert limits.wants_count(2.0)


def test_under_a_limit_of_the_app_each_queue_comes_first_as_often_as_its_part_says() -> None:
    """B3: no queue starves under a limit that another could use up."""
    limits = RunningLimits()
    parts = {"mail": 75, "default": 25}
    assert limits.in_order(parts) == [("mail", 75), ("default", 25)]
    limits.note([], [], [LimitState(ALL, 8, 8)])
    first = Counter(limits.in_order(parts)[0][0] for _ in range(4_000))
    assert 0.70 < first["mail"] / first.total() < 0.80
