"""UlidSource: ids that sort by the time they were made."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import count, pairwise

import pytest

from tests.manual_clock import manual_clock, move
from windlass.core.ulid import UlidSource
from windlass.testing import ManualClock

NOW = 1_700_000_000_000
ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def a_source(clock: ManualClock, bits: int = 0) -> UlidSource:
    return UlidSource(now=clock, random_bits=lambda count: bits & (2**count - 1))


def test_an_id_is_a_ulid() -> None:
    """The example of the specification: 1469918176385 ms is 01ARYZ6S41."""
    clock = manual_clock(1_469_918_176_385)
    id = a_source(clock, bits=2**80 - 1).next()
    assert ULID.fullmatch(id)
    assert id.startswith("01ARYZ6S41")


def test_ids_grow_with_time() -> None:
    clock = manual_clock(NOW)
    source = a_source(clock)
    ids = []
    for _ in range(100):
        ids.append(source.next())
        move(clock, 1)
    assert ids == sorted(set(ids))


def test_ids_grow_while_the_clock_stands_still() -> None:
    source = a_source(manual_clock(NOW), bits=2**80 - 1)
    ids = [source.next() for _ in range(10_000)]
    assert ids == sorted(set(ids))


def test_many_ids_at_once_are_those_of_as_many_calls() -> None:
    clock = manual_clock(NOW)
    at_once, one_by_one = a_source(clock, bits=2**20 - 2), a_source(clock, bits=2**20 - 2)
    assert at_once.take(4) == [one_by_one.next() for _ in range(4)]
    assert at_once.take(0) == []
    assert at_once.next() == one_by_one.next()


def test_ids_grow_when_the_clock_steps_back() -> None:
    clock = manual_clock(NOW)
    source = a_source(clock)
    ids = [source.next()]
    for step in (1_000, -5_000, 3, -60_000, 1):
        move(clock, step)
        ids.append(source.next())
    assert ids == sorted(set(ids))


def test_counting_up_does_not_run_into_the_time() -> None:
    clock = manual_clock(NOW)
    source = a_source(clock, bits=2**80 - 1)
    stamps = {source.next()[:10] for _ in range(1_000)}
    assert len(stamps) == 1


def test_two_sources_at_one_instant_differ() -> None:
    """C12: two processes that start in the same millisecond make different ids."""
    numbers = count(1)
    clock = manual_clock(NOW)
    one, other = (UlidSource(now=clock, random_bits=lambda _: next(numbers) * 2**40) for _ in range(2))
    assert not {one.next() for _ in range(100)} & {other.next() for _ in range(100)}


def test_a_forked_child_does_not_count_on_from_its_parent() -> None:
    """Without starting anew both would give the same id next, and one of the two jobs would be dropped."""
    numbers = count(1)
    source = UlidSource(now=manual_clock(NOW), random_bits=lambda _: next(numbers) * 2**40)
    before = source.next()
    source.reset_after_fork()
    after = source.next()
    assert int.from_bytes(after.encode()) - int.from_bytes(before.encode()) > 2**32


@pytest.mark.parametrize("threads", [8])
def test_threads_never_get_the_same_id(threads: int) -> None:
    source = a_source(manual_clock(NOW))
    with ThreadPoolExecutor(threads) as pool:
        batches = list(pool.map(lambda _: [source.next() for _ in range(2_000)], range(threads)))
    assert len({id for batch in batches for id in batch}) == threads * 2_000
    assert all(earlier < later for batch in batches for earlier, later in pairwise(batch))
