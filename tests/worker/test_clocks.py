"""Two clocks beside each other: what may be concluded from what they show."""

from __future__ import annotations

import pytest

from windlass.worker.duties.clock_step import StoreClock
from windlass.worker.lease.clock_skew import apart


@pytest.mark.parametrize(
    ("before", "after", "store", "ahead"),
    [
        (100, 100, 100, 0),
        (100, 900, 500, 0),  # a slow answer hides everything that may have been in between
        (100, 900, 50, 50),
        (100, 900, 1000, -100),
    ],
)
def test_clocks_are_apart_by_what_no_delay_explains(before: int, after: int, store: int, ahead: int) -> None:
    """E7."""
    assert apart(before, after, store) == ahead


class Looks:
    """A store's clock, looked at by a host on whose own clock each look takes a while."""

    def __init__(self) -> None:
        self._ours = 1000.0
        self._clock = StoreClock(lambda: self._ours)

    def step(self, *, passed: float, shows: float, takes: float = 0.0) -> float:
        """What is concluded when the clock shows this, in seconds, so long after the look before."""
        self._ours += passed
        began = self._ours
        self._ours += takes
        return self._clock.step(began, now=round(shows * 1000))


def test_the_first_look_tells_nothing() -> None:
    assert Looks().step(passed=0, shows=5) == 0


@pytest.mark.parametrize(("shows", "step"), [(101, 0), (101.9, 0), (100.1, 0), (3701, 3600), (-3499, -3600), (111, 10)])
def test_a_step_is_what_the_time_that_passed_here_does_not_explain(shows: float, step: float) -> None:
    """T2, T3."""
    looks = Looks()
    looks.step(passed=0, shows=100)
    assert looks.step(passed=1, shows=shows) == pytest.approx(step)
    assert looks.step(passed=1, shows=shows + 1) == 0, "it is told once"


def test_a_slow_answer_is_no_step() -> None:
    """The store may have looked at its clock when the call began, or when it ended."""
    for first, second in ((100, 121), (110, 111)):
        looks = Looks()
        looks.step(passed=0, shows=first, takes=10)
        assert looks.step(passed=1, shows=second, takes=10) == 0
