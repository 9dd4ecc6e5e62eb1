"""Reads the windows of rules, and what is usual, from the store."""

from __future__ import annotations

from collections.abc import Iterable

from windlass.core.alerts.window import Baseline, BucketBaseline, Span, Window
from windlass.core.figures.levels import LEVELS, Level
from windlass.store.operation import Operation
from windlass.store.operations.figures.read import figures_between

_MINUTES, _HOURS = LEVELS[1], LEVELS[2]
_REACH = 24 * _HOURS.step
"""How far back a baseline goes."""
_APART = 10 * _MINUTES.step
"""How long before now it ends, so that what goes wrong now does not count as usual."""


def windows(lengths: Iterable[int], *, now: int, baseline: Baseline) -> Operation[dict[int, Window]]:
    """A window of each length that ends now. It reads some dozens of buckets for each, however many jobs there are."""
    found: dict[int, Window] = {}
    for length in lengths:
        span = Span.of(length, now)
        buckets = yield from figures_between(span.level, span.first, span.last)
        found[length] = Window(buckets, span=span, length=length, now=now, baseline=baseline)
    return found


def baseline(*, now: int) -> Operation[Baseline]:
    """What was usual in the day before: whole hours, and the minutes since."""
    end = now - _APART
    hour = _HOURS.start(end)
    hours = yield from _reduced(_HOURS, hour - _REACH, hour - _HOURS.step)
    minutes = yield from _reduced(_MINUTES, hour, _MINUTES.start(end) - _MINUTES.step)
    return Baseline(hours + minutes)


def _reduced(level: Level, first: int, last: int) -> Operation[list[BucketBaseline]]:
    if last < first:
        return []
    found = yield from figures_between(level, first, last)
    return [BucketBaseline.of(bucket, level.step) for bucket in found.values()]
