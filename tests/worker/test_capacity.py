"""Room: how many jobs each queue is asked for."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from windlass.core.records import Claimed
from windlass.options import QueueShare
from windlass.worker.fetch.capacity import FEW, Capacity
from windlass.worker.fetch.claim_size import ClaimSize
from windlass.worker.fetch.prefetch import NoPrefetch, PooledPrefetch, PrefetchByQueue
from windlass.worker.fetch.slot_limits import SlotLimits


def a_room(
    weights: dict[str, int],
    *,
    concurrency: int = 10,
    most: int = 200,
    least: int = 40,
    quick: tuple[str, ...] = (),
) -> Capacity:
    """Room for these queues; jobs of the quick ones were measured and take no time."""
    prefetch = (
        PrefetchByQueue(concurrency=concurrency) if len(weights) <= FEW else PooledPrefetch(concurrency=concurrency)
    )
    for queue in quick:
        for _ in range(20):
            prefetch.observe(queue, "t", 0.0, now=0.0)
    claim_size = ClaimSize()
    for _ in range(12):
        claim_size.note(taken("small", 1))
    return Capacity(weights, concurrency=concurrency, most=most, least=least, prefetch=prefetch, claim_size=claim_size)


def dealt(room: Capacity, *, in_flight: int = 0) -> dict[str, int]:
    return dict(room.requests(in_flight=in_flight, now=0.0))


def taken(queue: str, count: int) -> list[Claimed]:
    return [
        Claimed(n, f"{n}", "t", queue, 0, "{}", None, 0, 1, 0, 0, 1, None, 0, False, None, None, None, None)
        for n in range(count)
    ]


def test_free_slots_are_dealt_by_weight() -> None:
    """B3: fair weights."""
    assert dealt(a_room({"mail": 4, "default": 1})) == {"mail": 8, "default": 2}


def test_what_is_in_flight_takes_room() -> None:
    assert dealt(a_room({"a": 1}), in_flight=7) == {"a": 3}
    assert dealt(a_room({"a": 1}), in_flight=10) == {}
    assert dealt(a_room({"a": 1}), in_flight=12) == {}


def test_no_more_than_a_cycle_may_take_is_asked_for() -> None:
    assert dealt(a_room({"a": 1}, concurrency=5_000)) == {"a": 200}
    assert dealt(a_room({"a": 1}, concurrency=5_000, quick=("a",))) == {"a": 200}


def test_a_queue_of_short_jobs_fills_a_buffer() -> None:
    assert dealt(a_room({"a": 1}, concurrency=4, most=500, quick=("a",))) == {"a": 404}


def test_what_waits_already_is_part_of_the_buffer() -> None:
    room = a_room({"a": 1}, concurrency=4, most=500, quick=("a",))
    assert dealt(room, in_flight=4 + 350) == {"a": 50}
    assert dealt(room, in_flight=4 + 400) == {}


@pytest.mark.parametrize(("most", "refill_at"), [(100, 300), (200, 200), (500, 0)])
def test_more_is_fetched_as_soon_as_a_whole_claim_fits_into_the_buffer(most: int, refill_at: int) -> None:
    room = a_room({"a": 1}, concurrency=4, most=most, quick=("a",))
    dealt(room)
    assert room.refill_at == refill_at


def test_where_nothing_is_fetched_ahead_there_is_nothing_to_refill() -> None:
    room = a_room({"a": 1}, concurrency=5_000)
    dealt(room)
    assert room.refill_at == 0


def test_nothing_is_fetched_ahead_beside_a_queue_that_cannot_be() -> None:
    """B3: or the jobs of the quick queue would fill the buffer, and no slot would ever be free for the others."""
    room = a_room({"quick": 1, "slow": 1}, concurrency=4, quick=("quick",))
    assert dealt(room) == {"quick": 2, "slow": 2}
    room.note_claimed([("slow", 2)], [])
    assert dealt(room) == {"quick": 200}


def test_the_buffer_is_dealt_by_weight_too() -> None:
    """B3: shares hold for what is fetched ahead."""
    room = a_room({"a": 3, "b": 1}, concurrency=4, most=500, quick=("a", "b"))
    assert dealt(room) == {"a": 303, "b": 101}


def test_a_queue_that_gave_less_is_left_alone_until_there_is_news() -> None:
    """B3: an empty queue's share goes to the others."""
    room = a_room({"a": 1, "b": 1})
    requests = room.requests(in_flight=0, now=0.0)
    room.note_claimed(requests, taken("a", 5) + taken("b", 4))
    assert dealt(room) == {"a": 10}
    room.recheck_all()
    assert dealt(room) == {"a": 5, "b": 5}


def test_a_queue_that_may_have_work_is_asked_before_its_turn() -> None:
    """A light queue is due once in a thousand places; till then its neighbours could not fetch ahead."""
    room = a_room({"heavy": 1_000, "light": 1}, concurrency=4, quick=("heavy",))
    first = room.requests(in_flight=0, now=0.0)
    assert dict(first) == {"heavy": 4}
    room.note_claimed(first, taken("heavy", 4))
    assert dealt(room) == {"heavy": 3, "light": 1}


def test_with_one_slot_it_is_asked_in_the_place_of_another() -> None:
    room = a_room({"heavy": 1_000, "light": 1}, concurrency=1)
    room.note_claimed(room.requests(in_flight=0, now=0.0), taken("heavy", 1))
    assert dealt(room) == {"light": 1}


def test_a_queue_that_is_known_to_have_work_waits_for_its_turn() -> None:
    """B3: or news would give it more than its share."""
    room = a_room({"heavy": 1_000, "light": 1}, concurrency=4)
    room.note_claimed([("light", 1), ("heavy", 3)], taken("light", 1) + taken("heavy", 3))
    for _ in range(10):
        room.recheck_all()
        assert dealt(room) == {"heavy": 4}


def test_when_all_are_empty_nothing_is_asked_for() -> None:
    room = a_room({"a": 1, "b": 1})
    room.note_claimed(room.requests(in_flight=0, now=0.0), [])
    assert dealt(room) == {}


def test_an_operator_may_change_a_weight_and_take_it_back() -> None:
    room = a_room({"a": 1, "b": 1}, concurrency=100)
    room.reweigh({"a": 9, "elsewhere": 5})
    assert dealt(room) == {"a": 90, "b": 10}
    room.reweigh({"a": None})
    assert dealt(room) == {"a": 50, "b": 50}


def test_nothing_is_fetched_ahead_for_a_while_after_a_claim_met_keys_that_are_held() -> None:
    """What is fetched ahead holds its concurrency keys: the others of these keys are moved out of the way, and back."""
    room = a_room({"a": 1}, concurrency=4, most=500, quick=("a",))
    room.note_blocked([("a", 404)], now=0.0)
    assert dict(room.requests(in_flight=0, now=9.9)) == {"a": 4}
    assert dict(room.requests(in_flight=0, now=10.0)) == {"a": 404}


def test_a_queue_whose_pace_was_wrong_is_not_fetched_ahead() -> None:
    room = a_room({"a": 1}, concurrency=4, most=500, quick=("a",))
    room.reset_prefetch(["a", "never seen"])
    assert dealt(room) == {"a": 4}


def test_what_waits_for_something_else_than_a_slot_is_looked_past() -> None:
    """Unless a queue gives nothing else."""
    room = a_room({"a": 1, "b": 1}, concurrency=4)
    assert dict(room.requests(in_flight=2, now=0.0, waiting_elsewhere={"a": 3})) == {"a": 1, "b": 1}
    assert dict(room.requests(in_flight=2, now=0.0, waiting_elsewhere={"a": 4})) == {"b": 2}


MANY = {f"q{number}": 1 for number in range(1_000)}


def a_room_of_many(having_work: list[str], *, concurrency: int = 10, quick: tuple[str, ...] = ()) -> Capacity:
    room = a_room(MANY, concurrency=concurrency, quick=quick)
    room.have_work(having_work, now=0.0)
    return room


def test_many_queues_are_not_asked_one_by_one() -> None:
    room = a_room(MANY)
    assert room.needs_survey
    assert room.may_find_work
    assert dealt(room) == {}


def test_of_many_queues_only_those_that_have_work_are_asked() -> None:
    assert dealt(a_room_of_many(["q7", "q8", "of others"])) == {"q7": 5, "q8": 5}


def test_news_of_one_queue_among_many_make_nobody_ask_for_the_others() -> None:
    room = a_room_of_many([])
    room.may_have_work(["q5", "of others"])
    assert not room.needs_survey
    assert dealt(room) == {"q5": 10}


def test_news_of_an_unknown_queue_make_the_store_be_asked() -> None:
    room = a_room_of_many(["q1"])
    room.recheck_all()
    assert room.needs_survey
    assert dealt(room) == {"q1": 10}, "what is known is asked for meanwhile"


def test_the_more_a_survey_finds_the_later_is_the_next() -> None:
    """Or a worker of ten thousand busy queues would do nothing else."""
    assert a_room_of_many([]).survey_due == 0.0
    assert 0.04 < a_room_of_many(list(MANY)).survey_due < 0.06


def test_a_survey_names_many_queues_only_now_and_then() -> None:
    """The store goes through those that have work; each queue is looked into once a minute, should it miss one."""
    room = a_room(MANY)
    assert list(room.survey(0.0)) == list(MANY)
    assert list(room.survey(1.0)) == []
    assert list(room.survey(61.0)) == list(MANY)
    some = a_room(dict.fromkeys(list(MANY)[:100], 1))
    assert len(some.survey(0.0)) == len(some.survey(1.0)) == 100


def test_every_one_of_many_queues_gets_its_turn() -> None:
    """B3: within as many places as there are queues."""
    room = a_room_of_many(list(MANY))
    asked: list[str] = []
    for _ in range(len(MANY) // 10):
        requests = room.requests(in_flight=0, now=0.0)
        asked += [name for name, _ in requests]
        room.note_claimed(requests, [job for name, count in requests for job in taken(name, count)])
    assert sorted(asked) == sorted(MANY)


def test_short_jobs_of_many_queues_fill_a_buffer_a_few_of_each() -> None:
    room = a_room_of_many(list(MANY), quick=tuple(list(MANY)[:20]))
    requests = dealt(room)
    assert sum(requests.values()) == 200
    assert set(requests.values()) == {8}


def a_limited_room(**shares: QueueShare) -> Capacity:
    """Room of ten slots for queues with caps and reserved slots."""
    return limited_room(shares, concurrency=10)


def limited_room(shares: dict[str, QueueShare], *, concurrency: int, most: int = 200) -> Capacity:
    return Capacity(
        {name: share.weight for name, share in shares.items()},
        concurrency=concurrency,
        most=most,
        least=most,
        prefetch=NoPrefetch(),
        claim_size=ClaimSize(),
        limits=SlotLimits(shares),
    )


def dealt_beside(room: Capacity, **used: int) -> dict[str, int]:
    return dict(room.limited_requests(used, taken=sum(used.values()), now=0.0))


def test_a_cap_bounds_what_a_queue_is_asked_for() -> None:
    """B33: its share goes to the others."""
    room = a_limited_room(a=QueueShare(9, cap=3), b=QueueShare())
    assert dealt_beside(room) == {"a": 3, "b": 7}
    assert dealt_beside(room, a=2) == {"a": 1, "b": 7}
    assert dealt_beside(room, a=3, b=2) == {"b": 5}


def test_reserved_slots_are_for_their_queue_only() -> None:
    """B33: also when nothing else is free."""
    room = a_limited_room(a=QueueShare(9), b=QueueShare(reserve=2), c=QueueShare(reserve=1, cap=1))
    assert dealt_beside(room, b=2, c=1) == {"a": 6, "b": 1}
    assert dealt_beside(room, a=7) == {"b": 2, "c": 1}
    assert dealt_beside(room, a=7, b=1) == {"b": 1, "c": 1}
    assert dealt_beside(room, a=7, b=2, c=1) == {}


def test_slots_that_are_missing_are_taken_from_the_shared_ones_first() -> None:
    """B33: where the system refuses threads."""
    room = a_limited_room(a=QueueShare(9), b=QueueShare(reserve=2))
    assert dict(room.limited_requests({"a": 5}, taken=5 + 3, now=0.0)) == {"b": 2}


def test_a_cycle_takes_no_more_than_it_may_of_limited_queues() -> None:
    room = limited_room({"a": QueueShare(cap=500), "b": QueueShare(reserve=10)}, concurrency=1_000, most=20)
    assert sum(dealt_beside(room).values()) == 20


def test_a_capped_queue_that_is_not_asked_does_not_count_as_empty() -> None:
    """B33: it is asked again when one of its runs has ended."""
    room = a_limited_room(a=QueueShare(cap=1), b=QueueShare())
    requests = room.limited_requests({"a": 1}, taken=1, now=0.0)
    assert dict(requests) == {"b": 9}
    assert room.note_claimed(requests, taken("b", 2))
    assert dealt_beside(room, b=2) == {"a": 1}


@pytest.mark.parametrize("seed", range(5))
def test_limits_hold_and_shares_are_fair_whatever_comes_and_goes(seed: int) -> None:
    """B3, B33: 10,000 claims; where no limit is met shares are within 3 % of the weights."""
    random = Random(seed)
    shares = {"a": QueueShare(5), "b": QueueShare(3), "c": QueueShare(2), "d": QueueShare(9, cap=2, reserve=1)}
    room = limited_room(shares, concurrency=24)
    running: list[str] = []
    total: Counter[str] = Counter()
    while total.total() - total["d"] < 10_000:
        requests = room.limited_requests(Counter(running), taken=len(running), now=0.0)
        running += [name for name, count in requests for _ in range(count)]
        total.update(dict(requests))
        assert running.count("d") <= 2
        assert len(running) - running.count("d") <= 23
        random.shuffle(running)
        del running[: random.randint(1, 20)]
    others = total.total() - total["d"]
    for name in "abc":
        assert total[name] / others == pytest.approx(shares[name].weight / 10, rel=0.03), name
