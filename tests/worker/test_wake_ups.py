"""WakeUps: of many workers that hear of a job, a few go for it."""

from __future__ import annotations

from random import Random

import pytest

from windlass.worker.fetch.wake_ups import Notified, WakeUps


def wake_ups(workers: int = 1) -> WakeUps:
    """Of a worker that has looked at everything once."""
    made = WakeUps({"a", "b"}, workers=lambda: workers)
    made.take(is_going=False)
    return made


def missed(made: WakeUps, times: int) -> WakeUps:
    for _ in range(times):
        made.learn(has_paid=False)
    return made


def test_a_worker_looks_everywhere_when_it_starts() -> None:
    assert WakeUps({"a"}).take(is_going=False) == Notified(True, (), False)


def test_without_news_there_is_nothing_to_look_for() -> None:
    made = wake_ups()
    assert made.due is None
    assert made.take(is_going=True) is None


def test_news_of_a_queue_name_it() -> None:
    made = wake_ups()
    made.add("a")
    assert made.add_from_elsewhere("b", roll=0.9)
    assert made.take(is_going=False) == Notified(False, ("a", "b"), False)
    assert made.due is None


def test_news_of_a_queue_that_is_not_served_do_not_matter() -> None:
    made = wake_ups()
    assert not made.add_from_elsewhere("c", roll=0.0)
    assert made.due is None


def test_news_of_very_many_queues_are_news_of_any() -> None:
    made = wake_ups()
    for _ in range(5_000):
        made.add("a")
    heard = made.take(is_going=False)
    assert heard is not None
    assert heard.is_any
    assert len(heard.queues) <= 1_000


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
def test_one_of_few_workers_always_goes_at_once(workers: int) -> None:
    made = missed(wake_ups(workers), 20)
    made.add_from_elsewhere(None, roll=0.999)
    assert made.take(is_going=False) == Notified(True, (), True)


def test_one_of_many_that_went_in_vain_lets_others_go_first() -> None:
    made = missed(wake_ups(64), 20)
    made.add_from_elsewhere(None, roll=0.5)
    assert made.take(is_going=False) is None
    assert made.due is not None


def test_one_that_goes_anyway_takes_the_news_along() -> None:
    made = missed(wake_ups(64), 20)
    made.add_from_elsewhere(None, roll=0.5)
    assert made.take(is_going=True) == Notified(True, (), False)


def test_news_of_our_own_process_do_not_wait() -> None:
    made = missed(wake_ups(64), 20)
    made.add_from_elsewhere(None, roll=0.5)
    made.add()
    assert made.take(is_going=False) == Notified(True, (), False)


def test_one_whose_neighbours_are_busy_soon_goes_for_everything() -> None:
    made = missed(wake_ups(64), 20)
    for _ in range(3):
        made.learn(has_paid=True)
    made.add_from_elsewhere(None, roll=0.999)
    assert made.take(is_going=False) is not None


@pytest.mark.parametrize("workers", [8, 64, 300])
def test_of_many_idle_workers_few_go_for_a_job(workers: int) -> None:
    """150 transactions for one job, with 64 workers."""
    random = Random(1)
    all = [wake_ups(workers) for _ in range(workers)]
    gone: list[int] = []
    for _ in range(400):
        for one in all:
            one.add_from_elsewhere(None, roll=random.random())
        going = [one for one in all if one.take(is_going=False)]
        random.shuffle(going)
        for place, one in enumerate(going):
            one.learn(has_paid=place == 0)
        gone.append(len(going))
        for one in all:
            one.take(is_going=True)
    settled = gone[100:]
    assert 1.5 <= sum(settled) / len(settled) <= 5
    assert settled.count(0) / len(settled) < 0.25
