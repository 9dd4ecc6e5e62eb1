"""Lengths of time as people write them."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.units import duration, milliseconds
from windlass.errors import ConfigError


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (timedelta(minutes=2), 120),
        (0, 0),
        (90, 90),
        (0.5, 0.5),
        ("250ms", 0.25),
        ("90s", 90),
        ("1.5s", 1.5),
        ("10m", 600),
        ("2h", 7200),
        ("7d", 604_800),
        ("1w", 604_800),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("1d12h", 129_600),
    ],
    ids=str,
)
def test_what_can_be_written(written: Any, seconds: float) -> None:
    assert duration(written) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "wrong",
    [
        -1,
        -0.001,
        timedelta(seconds=-1),
        "-5s",
        "",
        " ",
        "soon",
        "10",
        "10 minutes",
        "m",
        "5M",
        "1e3s",
        "٣s",  # an Arabic digit
        "1s;",
        True,
        None,
        [],
        b"5s",
        float("nan"),
        float("inf"),
        1e300,
        "9" * 400 + "s",
    ],
    ids=lambda wrong: repr(wrong)[:20],
)
def test_what_cannot_is_refused_by_name(wrong: Any) -> None:
    """Bad input: a clear answer that names the option."""
    with pytest.raises(ConfigError, match="grace"):
        duration(wrong, "grace")


def test_milliseconds_are_whole() -> None:
    assert milliseconds("1.0006s") == 1001


@given(st.integers(0, 10**9), st.sampled_from(["ms", "s", "m", "h", "d", "w"]))
def test_text_and_number_agree(number: int, unit: str) -> None:
    factor = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}[unit]
    try:
        expected = duration(number * factor)
    except ConfigError:
        with pytest.raises(ConfigError):
            duration(f"{number}{unit}")
    else:
        assert duration(f"{number}{unit}") == expected


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ConfigError):
        assert duration(text) >= timedelta(0)
