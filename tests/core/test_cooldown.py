"""How long a cool-down lasts."""

from __future__ import annotations

import pytest

from windlass import ConfigError
from windlass.core.rates.cooldown import Cooldown, cooldown_rule, next_step, read_cooldown, write_cooldown

MINUTE = 60_000


def following(last: int | None, quiet: int = 0) -> int:
    return next_step(last, quiet=quiet, base=MINUTE, most=30 * MINUTE)


def test_it_doubles_from_a_minute_to_half_an_hour() -> None:
    """C7: 60 s doubling to 30 min."""
    steps, last = [], None
    for _ in range(7):
        last = following(last)
        steps.append(last // MINUTE)
    assert steps == [1, 2, 4, 8, 16, 30, 30]


@pytest.mark.parametrize(
    ("quiet", "minutes"), [(0, 16), (2 * MINUTE - 1, 16), (2 * MINUTE, 4), (4 * MINUTE, 2), (60 * MINUTE, 1)]
)
def test_it_decays_after_two_quiet_minutes(quiet: int, minutes: int) -> None:
    """C7: then it is half as long, and half of that for every two minutes more."""
    assert following(8 * MINUTE, quiet) == minutes * MINUTE


def test_without_growth_it_is_a_flat_minute() -> None:
    rule = Cooldown(enabled=False, base=5, max=10)
    assert (rule.shortest, rule.longest) == (MINUTE, MINUTE)


@pytest.mark.parametrize("rule", [Cooldown(), Cooldown(enabled=False), Cooldown(base="10s", max="5m")])
def test_a_rule_survives_the_store(rule: Cooldown) -> None:
    found = read_cooldown(write_cooldown(rule))
    assert found is not None
    assert (found.enabled, found.shortest, found.longest) == (rule.enabled, rule.shortest, rule.longest)


def test_no_rule_and_a_damaged_one_are_none() -> None:
    assert read_cooldown(None) is read_cooldown("[1") is read_cooldown('{"a": 1}') is None


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Cooldown(base=10, max=5), "base must be at least 1 s and not longer than max"),
        (Cooldown(base=0), "base must be at least 1 s"),
        (Cooldown(base="soon"), "cooldown: base must look like"),
        (Cooldown(max=float("nan")), "cooldown: max must be a finite"),
        (Cooldown(enabled="yes"), "enabled must be True or False"),  # type: ignore[arg-type]
        (60, "cooldown must be a Cooldown, as in Cooldown"),
    ],
)
def test_a_wrong_rule_is_rejected_by_name(rule: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        cooldown_rule(rule)
