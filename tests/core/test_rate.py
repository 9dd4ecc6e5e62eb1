"""Rates as people write them."""

from __future__ import annotations

import pytest

from windlass import ConfigError
from windlass.core.rates.rate import MOST, Rate, read_rate


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("30/min", Rate(30, 60_000, 1)),
        ("10/s", Rate(10, 1000, 10)),
        ("5000/h", Rate(5000, 3_600_000, 2)),
        ("1/d", Rate(1, 86_400_000, 1)),
        ("30 / minute", Rate(30, 60_000, 1)),
        ("30/m", Rate(30, 60_000, 1)),
        ("7/second", Rate(7, 1000, 7)),
        ("100/15m", Rate(100, 900_000, 1)),
        ("100/15min", Rate(100, 900_000, 1)),
        ("1/500ms", Rate(1, 500, 2)),
        ("1/week", Rate(1, 604_800_000, 1)),
        ("10000000/s", Rate(MOST, 1000, MOST)),
    ],
)
def test_a_rate_is_read(text: str, rate: Rate) -> None:
    assert read_rate(text) == rate
    assert read_rate(str(rate), rate.burst) == rate


def test_a_burst_may_be_given() -> None:
    assert read_rate("5000/h", burst=100).burst == 100


@pytest.mark.parametrize(
    "wrong",
    ["", "30", "30/", "/min", "30/fortnight", "30/0s", "30/8d", "0/s", "-1/s", "1.5/s", "30/min/h", "٣/s",
     "99999999/s", "9" * 5000, 30, None, ("30", "min"), "30/1x"],
)  # fmt: skip
def test_what_is_no_rate_is_rejected_by_name(wrong: object) -> None:
    with pytest.raises(ConfigError, match=r"^queue 'mail': rate "):
        read_rate(wrong, name="queue 'mail': rate")


@pytest.mark.parametrize("burst", [0, -1, 1.5, "10", True, MOST + 1])
def test_a_burst_is_a_whole_number(burst: int) -> None:
    with pytest.raises(ConfigError, match="burst must be a whole number from 1 to 10000000"):
        read_rate("1/s", burst=burst)
