"""The words under the large figures of the overview: how they change, and how they compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.core.state import State
from windlass.insight.figures.figures import Figures
from windlass.insight.figures.view import FigurePoint
from windlass.insight.overview import Overview

_LATELY = timedelta(minutes=5)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Tiles:
    """What figures over time add to the counts of now; None or empty where nothing is known."""

    grown: int | None
    """By how many the jobs that are ready have become more in the last minutes; fewer where it is below zero."""
    completed: int | None
    failed: int | None
    failed_share: str
    """Of the jobs that ended."""
    rate: str
    """Of the last minutes, beside the usual one of the whole range."""
    next_scheduled: datetime | None
    next_retry: datetime | None

    @classmethod
    def of(cls, figures: Figures, seen: Overview, *, now: datetime) -> Tiles:
        is_known = any(point.is_known for point in figures.points)
        total = figures.total
        ended = total.completed + total.failed
        due = None if seen.next_due is None else _whole_second(now + seen.next_due)
        # The store tells the next of both states together.
        scheduled, retrying = (seen.counts[state] for state in (State.SCHEDULED, State.RETRYING))
        return cls(
            grown=_grown(figures, seen.counts[State.PENDING]) if figures.until > now - _LATELY else None,
            completed=total.completed if is_known else None,
            failed=total.failed if is_known else None,
            failed_share=f"{100 * total.failed / ended:.2g}% of what ended" if ended else "none ended",
            rate=_rate(figures),
            next_scheduled=due if not retrying else None,
            next_retry=due if not scheduled else None,
        )


def _whole_second(moment: datetime) -> datetime:
    """Two readings of the same job are the same instant."""
    return moment.replace(microsecond=0) + (_SECOND if moment.microsecond >= 500_000 else timedelta())


def _grown(figures: Figures, pending: int) -> int | None:
    before = [
        point.depth for point in figures.points if point.at <= figures.until - _LATELY and point.depth is not None
    ]
    return pending - before[-1] if before and figures.step <= _LATELY else None


def _rate(figures: Figures) -> str:
    known = [point for point in figures.points if point.is_known]
    if not known:
        return ""
    usual = _completed_rate(known, figures)
    if figures.step > _LATELY:
        return f"{usual:.2g}/s on average"
    lately = [point for point in known if point.at + figures.step > figures.until - _LATELY]
    return f"{_completed_rate(lately, figures):.2g}/s, usual {usual:.2g}/s" if lately else f"usual {usual:.2g}/s"


def _completed_rate(points: Sequence[FigurePoint], figures: Figures) -> float:
    span = sum(min(figures.step, figures.until - point.at).total_seconds() for point in points)
    return sum(point.completed for point in points) / max(span, 1.0)
