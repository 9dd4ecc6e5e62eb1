"""expression: a small language that is read, never run."""

from __future__ import annotations

import pytest

from windlass.core.alerts.expression import Reading, measures_of, parse
from windlass.core.alerts.measures import MEASURES
from windlass.errors import ConfigError

READINGS = {
    "queue_depth": Reading(900, 1200, 1100),
    "error_rate": Reading.of(0.06),
    "run_p99": Reading.of(3.0),
    "run_p99_baseline": Reading.of(1.0),
    "workers": Reading.of(0),
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("error_rate > 5%", True),
        ("error_rate > 0.06", False),
        ("error_rate >= 0.06", True),
        ("queue_depth > 899", True),
        ("queue_depth > 1000", False),
        ("queue_depth < 1201", True),
        ("queue_depth < 1000", False),
        ("queue_depth != 1000", False),
        ("queue_depth == 1000", False),
        ("workers == 0", True),
        ("error_rate > 5% and queue_depth > 1000", False),
        ("error_rate > 5% or queue_depth > 1000", True),
        ("(queue_depth > 1000 or error_rate > 5%) AND workers < 1", True),
        ("run_p99 > 2 * run_p99_baseline", True),
        ("run_p99_baseline * 4 < run_p99", False),
        ("run_p99 > 2500ms", True),
        ("1h > run_p99", True),
        ("oldest_age > 1m", None),
        ("oldest_age > 1m and error_rate > 5%", None),
        ("oldest_age > 1m and error_rate > 50%", False),
        ("oldest_age > 1m or error_rate > 5%", True),
        ("oldest_age > 1m or error_rate > 50%", None),
    ],
)
def test_a_condition_holds_if_it_did_for_all_that_was_read(text: str, holds: bool | None) -> None:
    """B22: `and`; what is not known decides nothing."""
    assert parse(text).holds(READINGS.get) is holds


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "it is empty"),
        ("queue_depth >", "position 14: expected a number or a measure, and it ends there; known are queue_depth"),
        ("queue_depth > 5 oldest_age", "position 17: expected `and`, `or` or the end, got 'oldest_age'"),
        ("(queue_depth > 5", "position 17: expected ')', and it ends there"),
        ("queue_depth > 5x", "position 15: expected a number with a unit, got '5x'; known are %, ms"),
        ("5 > 3", "position 1: it compares two numbers"),
        ("queue_depth & 3", "position 13: expected a measure, a number or a comparison, got '&'"),
        ("queue_depht > 3", "position 1: 'queue_depht' is not known; did you mean 'queue_depth'?"),
        ("xyz * 2 > 3", "position 1: 'xyz' is not known; known are queue_depth"),
        ("workers > 1 and", "position 16: expected a number or a measure"),
        ("run_p99 > 2 * 3", "position 15: expected a measure, got '3'"),
        ("queue_depth > -1", "position 15: expected a measure, a number or a comparison, got '-'"),
        ("__import__('os').system('id')", "position 12"),
        ("(" * 30 + "workers > 1", "more than 20 parentheses are open"),
        ("workers > 1 " * 100, "it has 1,200 characters, and may have 500"),
    ],
)
def test_a_wrong_expression_is_refused_with_its_position(text: str, error: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert error in str(caught.value)


def test_measures_are_listed_once() -> None:
    assert measures_of(parse("run_p99 > 2 * run_p99_baseline and run_p99 > 1s")) == ["run_p99", "run_p99_baseline"]
    for name in MEASURES:
        assert measures_of(parse(f"{name} > 1")) == [name]
