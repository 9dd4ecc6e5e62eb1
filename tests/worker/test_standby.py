"""Standby: of many idle workers a few are notified of new jobs, and no job waits for long because of that."""

from __future__ import annotations

from random import Random

import pytest

from windlass.worker.notifications.standby import Standby


def standby(workers: int = 64, *, is_keeper: bool = False) -> Standby:
    made = Standby(peers=lambda: workers, is_keeper=lambda: is_keeper)
    made.draw(0.0, roll=0.0)
    return made


def missed(made: Standby, times: int) -> Standby:
    for _ in range(times):
        made.learn(has_paid=False)
    return made


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
def test_one_of_few_workers_is_always_notified(workers: int) -> None:
    made = missed(standby(workers), 50)
    made.draw(10.0, roll=0.999)
    assert not made.is_on


def test_one_of_many_that_claims_in_vain_leaves_notifications_to_the_others() -> None:
    made = missed(standby(), 7)
    assert not made.is_on
    assert missed(made, 1).is_on


def test_a_job_in_between_makes_it_stay() -> None:
    made = missed(standby(), 7)
    made.learn(has_paid=True)
    assert not missed(made, 7).is_on


def test_the_keeper_of_the_store_is_always_notified() -> None:
    made = missed(standby(is_keeper=True), 50)
    made.draw(10.0, roll=0.999)
    assert not made.is_on


def test_one_that_claimed_a_job_which_others_had_left_is_notified_again() -> None:
    made = missed(standby(), 8)
    made.learn(has_paid=True)
    assert not made.is_on
    made.draw(10.0, roll=0.999)
    assert not made.is_on, "the only worker of a queue would be on standby when its next job comes"


def test_one_that_claims_nothing_for_long_draws() -> None:
    made = standby()
    made.draw(10.0, roll=0.999)
    assert made.is_on
    assert 15 <= made.draws_at <= 25
    made.draw(20.0, roll=0.01)
    assert not made.is_on


def test_one_that_becomes_the_keeper_is_notified_again() -> None:
    is_keeper = False
    made = Standby(peers=lambda: 64, is_keeper=lambda: is_keeper)
    missed(made, 8)
    is_keeper = True
    made.draw(10.0, roll=0.999)
    assert not made.is_on


def test_a_worker_that_knows_of_no_others_soon_looks_again() -> None:
    assert standby(1).draws_at < 2


@pytest.mark.parametrize("workers", [8, 64, 300])
@pytest.mark.parametrize("jobs_in_a_second", [0, 1, 40])
def test_of_many_idle_workers_few_are_notified(workers: int, jobs_in_a_second: int) -> None:
    """150 transactions for one job once, with 64 workers; and each that is woken costs time."""
    random = Random(1)
    all = [Standby(peers=lambda: workers, is_keeper=lambda: False) for _ in range(workers - 1)]
    keeper = Standby(peers=lambda: workers, is_keeper=lambda: True)
    notified: list[int] = []
    for second in range(120):
        for one in (keeper, *all):
            if second >= one.draws_at:
                one.draw(second, roll=random.random())
        for _ in range(jobs_in_a_second):
            going = [one for one in (keeper, *all) if not one.is_on]
            random.shuffle(going)
            for place, one in enumerate(going):
                one.learn(has_paid=place == 0)
        notified.append(sum(not one.is_on for one in (keeper, *all)))
    settled = notified[30:]
    assert min(settled) >= 1
    assert sum(settled) / len(settled) <= 10
