"""Pace: how many jobs of a queue may be fetched ahead."""

from __future__ import annotations

import pytest

from windlass.worker.fetch.prefetch import NoPrefetch, PooledPrefetch, Prefetch, PrefetchByQueue

QUICK = 0.001
SLOW = 0.2
NEVER_AHEAD = float("inf")


def a_pace(*, concurrency: int = 10) -> Prefetch:
    return PrefetchByQueue(concurrency=concurrency)


def ran(prefetch: Prefetch, seconds: float, times: int, *, task: str = "t", now: float = 0.0) -> None:
    for _ in range(times):
        prefetch.observe("q", task, seconds, now=now)


def ahead(prefetch: Prefetch, *, now: float = 0.0) -> int:
    return prefetch.ahead(["q"], now=now)


def test_nothing_is_fetched_ahead_before_anything_ran() -> None:
    assert ahead(a_pace()) == 0


def test_nothing_is_fetched_ahead_for_a_task_with_fewer_than_20_runs() -> None:
    prefetch = a_pace()
    ran(prefetch, QUICK, 19)
    assert ahead(prefetch) == 0
    ran(prefetch, QUICK, 1)
    assert ahead(prefetch) > 0


@pytest.mark.parametrize(("seconds", "concurrency", "expected"), [(1 / 64, 1, 3), (1 / 64, 4, 12), (1 / 32, 1, 1)])
def test_as_much_is_fetched_as_will_start_within_50_milliseconds(
    seconds: float, concurrency: int, expected: int
) -> None:
    prefetch = a_pace(concurrency=concurrency)
    ran(prefetch, seconds, 20)
    assert ahead(prefetch) == expected


def test_at_most_400_are_fetched_ahead() -> None:
    prefetch = a_pace()
    ran(prefetch, 0.0, 20)
    assert ahead(prefetch) == 400


def test_nothing_is_fetched_ahead_for_a_task_whose_slowest_runs_are_slow() -> None:
    """p95 over 50 ms."""
    prefetch = a_pace()
    ran(prefetch, QUICK, 60)
    ran(prefetch, SLOW, 20)
    assert ahead(prefetch) == 0


def test_one_slow_run_among_many_changes_nothing() -> None:
    prefetch = a_pace()
    ran(prefetch, QUICK, 63)
    ran(prefetch, SLOW, 1)
    assert ahead(prefetch) > 0


def test_a_task_that_became_quick_is_fetched_ahead_again() -> None:
    prefetch = a_pace()
    ran(prefetch, SLOW, 20)
    ran(prefetch, QUICK, 64 + 16)
    assert ahead(prefetch) > 0


def test_one_task_that_does_not_allow_it_speaks_for_its_queue() -> None:
    prefetch = a_pace()
    ran(prefetch, QUICK, 20)
    ran(prefetch, QUICK, 1, task="new")
    assert ahead(prefetch) == 0
    assert prefetch.ahead(["another"], now=0.0) == 0


def test_a_slow_task_that_comes_no_more_is_forgotten() -> None:
    prefetch = a_pace()
    ran(prefetch, SLOW, 20, task="nightly", now=0.0)
    ran(prefetch, QUICK, 20, now=61.0)
    assert ahead(prefetch, now=61.0) > 0


def test_a_task_that_must_not_be_fetched_ahead_is_never_forgotten() -> None:
    """prefetch=0: strict priority is worth more to it than speed."""
    prefetch = a_pace()
    ran(prefetch, NEVER_AHEAD, 1, task="careful", now=0.0)
    ran(prefetch, QUICK, 20, now=10_000.0)
    assert ahead(prefetch, now=10_000.0) == 0


def test_a_worker_without_prefetch_fetches_nothing_ahead() -> None:
    prefetch = NoPrefetch()
    ran(prefetch, 0.0, 100)
    assert ahead(prefetch) == 0


def test_a_pace_that_turned_out_wrong_is_measured_anew() -> None:
    prefetch = a_pace()
    ran(prefetch, QUICK, 100)
    prefetch.forget("q")
    assert ahead(prefetch) == 0
    ran(prefetch, QUICK, 20)
    assert ahead(prefetch) > 0


def ran_in_many(prefetch: Prefetch, seconds: float, *, queues: int = 40, now: float = 0.0) -> None:
    for number in range(queues):
        prefetch.observe(f"q{number}", "t", seconds, now=now)


def ahead_of_many(prefetch: Prefetch, *more: str, now: float = 0.0) -> int:
    return prefetch.ahead([*(f"q{number}" for number in range(1_000)), *more], now=now)


def test_among_many_queues_one_run_in_each_is_enough() -> None:
    """Each of them alone would need twenty, and most never get that far."""
    prefetch = PooledPrefetch(concurrency=10)
    assert ahead_of_many(prefetch) == 0
    ran_in_many(prefetch, 0.0)
    assert ahead_of_many(prefetch) == 400


@pytest.mark.parametrize(("seconds", "expected"), [(1 / 64, 12), (1 / 32, 6)])
def test_of_many_queues_as_much_is_fetched_as_will_start_within_50_milliseconds(seconds: float, expected: int) -> None:
    prefetch = PooledPrefetch(concurrency=4)
    ran_in_many(prefetch, seconds)
    assert ahead_of_many(prefetch) == expected


def test_a_slow_queue_among_many_lets_fewer_be_fetched() -> None:
    """As many as will start while its runs have their part of the slots."""
    prefetch = PooledPrefetch(concurrency=10)
    ran_in_many(prefetch, 1 / 128, queues=99)
    without = ahead_of_many(prefetch)
    for _ in range(3):
        ran_in_many(prefetch, 1 / 128, queues=30)
        prefetch.observe("slow", "t", SLOW, now=0.0)
    assert 0 < ahead_of_many(prefetch, "slow") < without


def test_a_queue_of_a_task_that_must_not_be_fetched_ahead_is_never_forgotten() -> None:
    prefetch = PooledPrefetch(concurrency=10)
    prefetch.observe("careful", "t", NEVER_AHEAD, now=0.0)
    prefetch.observe("careful", "other", QUICK, now=0.0)
    ran_in_many(prefetch, QUICK, now=10_000.0)
    assert ahead_of_many(prefetch, "careful", now=10_000.0) == 0
    assert ahead_of_many(prefetch, now=10_000.0) > 0


def test_many_queues_whose_slowest_runs_are_slow_are_not_fetched_ahead() -> None:
    prefetch = PooledPrefetch(concurrency=10)
    ran_in_many(prefetch, QUICK, queues=60)
    ran_in_many(prefetch, SLOW, queues=20)
    assert ahead_of_many(prefetch) == 0


def test_the_pace_of_many_queues_that_turned_out_wrong_is_measured_anew() -> None:
    prefetch = PooledPrefetch(concurrency=10)
    ran_in_many(prefetch, QUICK)
    prefetch.forget("q3")
    assert ahead_of_many(prefetch) == 0
    ran_in_many(prefetch, QUICK)
    assert ahead_of_many(prefetch) > 0
