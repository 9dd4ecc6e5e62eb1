"""What changed lately, so that a cause can be found beside its effect: deploys, lost workers, pauses, notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.insight.figures.deploys import Deploy
from windlass.insight.overview import Overview

_LATELY = timedelta(days=1)
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened once: what it is about comes first."""

    at: datetime
    about: str
    text: str
    path: str = ""
    """Where more of it is shown; empty where nothing is."""
    place: str = ""


def what_changed(seen: Overview, deploys: Sequence[Deploy], *, now: datetime) -> list[Change]:
    """The newest changes of a day, the newest first."""
    found = [change for change in _changes(seen, deploys) if change.at > now - _LATELY]
    return sorted(found, key=lambda change: change.at, reverse=True)[:_SHOWN]


def _changes(seen: Overview, deploys: Sequence[Deploy]) -> Iterator[Change]:
    for notice in seen.notices:
        yield Change(notice.at, "", notice.text, "/system", "system")
    for deploy in deploys:
        workers = f"{deploy.workers} worker{'' if deploy.workers == 1 else 's'}"
        yield Change(deploy.at, f"deploy {deploy.release}", f"on {workers} at first", "/workers", "workers")
    for worker in seen.workers:
        if not worker.is_alive:
            taken = len(worker.taken)
            jobs = f", {taken} job{'' if taken == 1 else 's'} taken from it" if taken else ""
            yield Change(worker.seen_at, worker.name, f"was lost{jobs}", f"/workers/{worker.id}", "worker")
    for queue in seen.queues:
        settings = queue.settings
        if settings.paused_at is not None:
            by = f" by {settings.paused_by}" if settings.paused_by else ""
            why = f": “{settings.paused_reason}”" if settings.paused_reason else ""
            yield Change(settings.paused_at, queue.name, f"was paused{by}{why}", f"/queues/{queue.name}", "queue")
