"""What is limited in a run of the rack, and how: shared by those who press against the limits and those who judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from windlass.core.rates.rate import read_rate

NARROW = "narrow"
"""A queue of which only so many jobs run at once."""
MOST_NARROW = 2
MOST_OF_APP = 16
"""Jobs of all queues that run at once; the workers have 20 slots."""

RATED = "rated"
"""A queue of which only so many jobs are claimed in a time. Rates are slow: a herd meets them on a busy machine too."""
QUEUE_RATE = read_rate("3/s", burst=2)
UPSTREAM = "upstream"
"""A named limit, of which tasks and callers take tokens."""
UPSTREAM_RATE = read_rate("4/s", burst=2)

KEY_LIMITS = {"keyed": 1, "apaired": 2, "ikeyed": 1}
"""Tasks whose jobs have a concurrency key, and how many of the same key run at once."""
CONCURRENCY_KEYS = 3
"""How many keys each of them has."""

METERED = ("metered", "ametered")
"""Tasks that take a token, and come back later where the store does not answer."""


@dataclass(frozen=True, slots=True)
class Timetable:
    """A schedule of the rack. Its slots are the multiples of ``seconds`` since 1970."""

    name: str
    seconds: int
    takes: float
    """Seconds that a run of it takes."""
    cron: str | None = None
    is_exclusive: bool = False
    """Whether its jobs never run side by side."""
    options: dict[str, Any] = field(default_factory=dict)


TIMETABLES = (
    Timetable("each-second", 1, 0.0, options={"catch_up": "all", "catch_up_limit": 5}),
    Timetable("one-at-a-time", 1, 1.3, is_exclusive=True, options={"catch_up": "latest", "overlap": "skip"}),
    Timetable("held-back", 2, 0.9, is_exclusive=True, options={"overlap": "buffer", "jitter": "300ms"}),
    Timetable(
        "each-minute",
        60,
        0.0,
        cron="* * * * *",
        options={"tz": "Australia/Lord_Howe", "catch_up": "all", "catch_up_limit": 5},
    ),
)
