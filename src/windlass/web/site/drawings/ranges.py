"""Which stretch of time charts show: the newest hour, day or week, or what was marked in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from windlass import clock
from windlass.app import Windlass
from windlass.core.figures.levels import LEVELS, level_for
from windlass.insight.figures.deploys import Deploy, deploys
from windlass.insight.figures.figures import Figures, figure_query, figures_of_several
from windlass.web.problems import bad_input
from windlass.web.site import formats

RANGES = {"1h": "1 h", "24h": "24 h", "7d": "7 d"}
"""The ranges up to now, and their labels."""
_NEWEST = {
    "1h": (timedelta(hours=1), timedelta(minutes=1)),
    "24h": (timedelta(hours=24), timedelta(minutes=15)),
    "7d": (timedelta(days=7), timedelta(hours=2)),
}
"""How long each is, and its step: few enough points to be drawn, and enough of them to show a bad minute."""
_STEPS = [timedelta(seconds=seconds) for seconds in (10, 30, 60, 300, 900, 3600, 7200, 86_400)]
_POINTS = 120
"""How many points a stretch has at the most."""
_SHORTEST = timedelta(minutes=1)
_FORM = "%Y-%m-%dT%H:%MZ"


@dataclass(frozen=True, slots=True)
class ChartRange:
    """A stretch of time as an address names it."""

    text: str
    length: timedelta
    step: timedelta
    until: datetime | None = None
    """When it ends; None: now."""

    @property
    def label(self) -> str:
        """How long it is."""
        return RANGES.get(self.text) or formats.length(self.length)

    @property
    def words(self) -> str:
        """The label in a sentence."""
        return f"in the last {self.label}" if self.until is None else f"in these {self.label}"

    @property
    def minutes(self) -> float:
        return self.length / timedelta(minutes=1)

    @property
    def since(self) -> datetime | None:
        """When it begins; None where it moves on."""
        return None if self.until is None else self.until - self.length


def chart_range(text: str, *, now: datetime) -> ChartRange:
    """What an address asks for; a ``Problem`` where that is no stretch of time.

    >>> now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    >>> chart_range("24h", now=now).step
    datetime.timedelta(seconds=900)
    >>> marked = chart_range("2026-11-18T11:10Z..2026-11-18T11:40Z", now=now)
    >>> marked.step.seconds, marked.label
    (30, '30m 00s')
    """
    if text in _NEWEST:
        length, step = _NEWEST[text]
        return ChartRange(text, length, step)
    since, until = _ends(text)
    if until - since < _SHORTEST or since >= now:
        raise bad_input(f"range must be a minute or longer, and begin before now, got {text!r}", field="range")
    return ChartRange(text, until - since, _step(until - since, now - since), until)


def _ends(text: str) -> tuple[datetime, datetime]:
    since, _, until = text.partition("..")
    try:
        return datetime.strptime(since, _FORM).replace(tzinfo=UTC), datetime.strptime(until, _FORM).replace(tzinfo=UTC)
    except ValueError:
        stretch = "2026-11-18T11:10Z..2026-11-18T11:40Z"
        message = f"range must be one of {', '.join(RANGES)}, or a stretch of time as in {stretch}, got {text!r}"
        raise bad_input(message, field="range") from None


def stretch(since: datetime, until: datetime) -> str:
    """The text of a stretch.

    >>> stretch(datetime(2026, 11, 18, 11, 10, tzinfo=UTC), datetime(2026, 11, 18, 11, 40, tzinfo=UTC))
    '2026-11-18T11:10Z..2026-11-18T11:40Z'
    """
    return f"{since.astimezone(UTC).strftime(_FORM)}..{until.astimezone(UTC).strftime(_FORM)}"


def _step(length: timedelta, reach: timedelta) -> timedelta:
    """The finest step that has few enough points, and whose figures are kept for as long as it reaches back."""
    for step in _STEPS:
        level = level_for(round(step.total_seconds() * 1000))
        if length / step <= _POINTS and level is not None and reach <= timedelta(milliseconds=level.kept):
            return step
    return max(_STEPS[-1], length / _POINTS // timedelta(days=1) * timedelta(days=1))


async def read_charts(app: Windlass, text: str, **whose: Any) -> tuple[Figures, Sequence[Deploy]]:
    """The figures of a range and the deploys within it: one look at what is stored."""
    asked = chart_range(text, now=clock.instant(app.client.now()))
    longest = timedelta(milliseconds=LEVELS[-1].kept)
    when: Any = {"range": min(asked.length, longest), "step": asked.step, "until": asked.until}
    queries = [figure_query(**when, **whose), figure_query(**when, store=True)]
    found, store = await app.client.session.arun(figures_of_several(queries))
    return found, list(deploys(store.points))
