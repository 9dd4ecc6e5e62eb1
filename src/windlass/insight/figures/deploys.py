"""When the code of the workers changed: the first moments of releases, as the leader has sampled them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass.core.figures.releases import release_level, releases_in
from windlass.insight.figures.view import FigurePoint

_STEPS = 3
"""A release that has not run for so many steps is a deploy when it runs again."""


@dataclass(frozen=True, slots=True)
class Deploy:
    """A release that workers began to run, or came back to."""

    at: datetime
    release: str
    workers: int
    """How many ran it in the first step of time."""


def deploys(points: Sequence[FigurePoint]) -> Iterator[Deploy]:
    """Those that figures of the store tell of.

    A release that runs in a step, and did not in the last steps of which something is known, is a deploy; a restart of
    the same code is none, even if it takes a while. The first step has no earlier one to be compared with.
    """
    before: deque[set[str]] = deque(maxlen=_STEPS)
    for point in points:
        running = releases_in(point.levels)
        if not running:
            continue
        for release in sorted(running.difference(*before)) if before else ():
            yield Deploy(point.at, release, round(point.levels[release_level(release)].max))
        before.append(running)
