"""Retry: how long to wait before the next attempt."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from windlass.core.retry import PROGRAMMING_ERRORS, Retry, read_retry, write_retry
from windlass.errors import ConfigError


def delays(rule: Retry, *, roll: float = 0.5, runs: int = 5) -> list[float]:
    return [rule.delay(run, roll=roll) for run in range(1, runs + 1)]


def test_the_default_is_four_runs_with_growing_delays() -> None:
    """A10: attempts 4, base 1 s, factor 2, floor 0.1 s, cap 300 s, jitter ±10 %."""
    assert Retry().attempts == 4
    assert delays(Retry()) == [1, 2, 4, 8, 16]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Retry(base=3, factor=3, jitter=0), [3, 9, 27, 81, 243]),
        (Retry(base="2s", backoff="linear", jitter=0), [2, 4, 6, 8, 10]),
        (Retry(base=timedelta(seconds=5), backoff="fixed", jitter=0), [5, 5, 5, 5, 5]),
        (Retry(custom=lambda run: run * run, jitter=0), [1, 4, 9, 16, 25]),
        (Retry(base=100, jitter=0), [100, 200, 300, 300, 300]),
        (Retry(base=0, jitter=0), [0.1, 0.1, 0.1, 0.1, 0.1]),
        (Retry(base=1, factor=1, jitter=0), [1, 1, 1, 1, 1]),
    ],
    ids=["exponential", "linear", "fixed", "custom", "capped", "floored", "factor 1"],
)
def test_the_kinds_of_backoff(rule: Retry, expected: list[float]) -> None:
    """A10: exponential, linear, fixed, custom; then floor and cap."""
    assert delays(rule) == expected


@pytest.mark.parametrize(("roll", "expected"), [(0.0, 0.9), (0.25, 0.95), (0.5, 1.0), (0.9999, 1.1)])
def test_jitter_spreads_around_the_delay(roll: float, expected: float) -> None:
    """A10: jitter ±10 %."""
    assert Retry().delay(1, roll=roll) == pytest.approx(expected, abs=1e-3)


def test_floor_and_cap_hold_after_the_jitter() -> None:
    assert Retry(base=300).delay(1, roll=0.99) == 300
    assert Retry(base=0.1).delay(1, roll=0.0) == 0.1


@pytest.mark.parametrize("factor", [2, 1e6, 1e300])
def test_thousands_of_runs_do_not_overflow(factor: float) -> None:
    assert Retry(factor=factor).delay(32_767, roll=0.5) == 300


def test_no_delay_at_all_stays_none_however_often_it_is_multiplied() -> None:
    assert Retry(base=0, floor=0, factor=1e300).delay(3, roll=0.5) == 0


@pytest.mark.parametrize(
    ("given", "delay"), [(float("nan"), 0.1), (float("inf"), 300), (float("-inf"), 0.1), (-5, 0.1)]
)
def test_whatever_a_custom_function_gives_lies_between_floor_and_cap(given: float, delay: float) -> None:
    assert Retry(custom=lambda run: given).delay(1, roll=0.5) == delay


@pytest.mark.parametrize(
    "wrong",
    [
        {"attempts": 0},
        {"attempts": 32_768},
        {"attempts": True},
        {"attempts": 2.0},
        {"jitter": -0.1},
        {"jitter": 1.1},
        {"jitter": float("nan")},
        {"factor": 0.5},
        {"factor": float("nan")},
        {"factor": float("inf")},
        {"backoff": "quadratic"},
        {"base": -1},
        {"base": "soon"},
        {"cap": float("inf")},
        {"floor": 10, "cap": 5},
    ],
    ids=str,
)
def test_an_impossible_rule_is_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        Retry(**wrong)


def test_a_rule_can_be_stored_and_read_back() -> None:
    rule = Retry(attempts=7, base="2m", factor=1.5, floor=1, cap="1h", jitter=0.3, backoff="linear")
    assert read_retry(write_retry(rule)) == rule


def test_a_custom_rule_cannot_be_stored() -> None:
    with pytest.raises(ConfigError, match="custom"):
        write_retry(Retry(custom=float))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"attempts":0}', '{"attempts":"many"}', "null", "\ud800"])
def test_a_stored_rule_that_cannot_be_read_is_none(text: str) -> None:
    """B32: a damaged rule never stops a job from ending."""
    assert read_retry(text) is None


def test_with_attempts_changes_only_the_budget() -> None:
    assert Retry(base=3).with_attempts(9) == Retry(base=3, attempts=9)


def test_programming_errors_are_those_of_the_ledger() -> None:
    """A10: TypeError, ValueError, AttributeError, KeyError, ImportError, SyntaxError, AssertionError."""
    assert set(PROGRAMMING_ERRORS) == {
        TypeError,
        ValueError,
        AttributeError,
        KeyError,
        ImportError,
        SyntaxError,
        AssertionError,
    }
