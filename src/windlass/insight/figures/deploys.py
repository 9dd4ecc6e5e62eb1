"""When the code of the workers changed: the first moments of releases, as the leader has sampled them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass.core.figures.releases import release_level, releases_in
from windlass.insight.figures.view import FigurePoint


@dataclass(frozen=True, slots=True)
class Deploy:
    """A release that workers began to run, or came back to."""

    at: datetime
    release: str
    workers: int
    """How many ran it in the first step of time."""


def deploys(points: Sequence[FigurePoint]) -> Iterator[Deploy]:
    """Those that figures of the store tell of.

    A release that runs in a step, and did not in the last step of which something is known, is a deploy; a restart of
    the same code is none. The first step has nothing to be held against.
    """
    before: set[str] | None = None
    for point in points:
        running = releases_in(point.levels)
        if not running:
            continue
        for release in sorted(running - before) if before is not None else ():
            yield Deploy(point.at, release, round(point.levels[release_level(release)].max))
        before = running
