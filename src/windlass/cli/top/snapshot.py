"""What is shown, read in a few bounded calls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from windlass.app import Windlass
from windlass.cli.output import View
from windlass.cli.times import now
from windlass.clock import iso
from windlass.errors import WindlassError
from windlass.insight import json_forms
from windlass.insight.diagnostics.failures import FailureGroups, failure_groups
from windlass.insight.overview import Overview
from windlass.store.operations.diagnostics.failures import WINDOW
from windlass.store.operations.diagnostics.runs import LongRun, long_runs

RUNS_SHOWN = 200
GROUPS_SHOWN = 50
_RECENTLY = "1m"
_SECONDS = 60


class Section(Enum):
    """What the view lists."""

    QUEUES = "queues"
    WORKERS = "workers"
    RUNNING = "running"
    FAILURES = "failures"


@dataclass(frozen=True, slots=True)
class Rates:
    """Jobs a second, over the last minute."""

    completed: float
    failed: float
    retried: float


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The store at one moment. Runs and failures are read only while they are looked at."""

    at: datetime
    store: str
    overview: Overview
    rates: Rates | None
    """None where no worker has told figures lately."""
    runs: list[LongRun] | None = None
    """The longest first."""
    failures: FailureGroups | None = None

    def data(self) -> dict[str, object]:
        """For programs; the keys are in docs/cli.md."""
        rates = self.rates
        return {
            "at": iso(self.at),
            **json_forms.overview(self.store, self.overview),
            "rates": None
            if rates is None
            else {"completed": rates.completed, "failed": rates.failed, "retried": rates.retried},
            "runs": [
                {
                    "id": run.id,
                    "task": run.task,
                    "queue": run.queue,
                    "worker": run.worker,
                    "ran_for": run.ran_for / 1000,
                }
                for run in self.runs or ()
            ],
            "failures": json_forms.dead_groups(self.failures or FailureGroups([], examined=0, is_whole=True)),
        }


def look(app: Windlass, *sections: Section) -> Snapshot:
    """Read what the sections show; what it costs depends on queues and workers, not on jobs."""
    session = app.client.session
    overview = app.overview()
    runs = session.run(long_runs(0, limit=RUNS_SHOWN)) if Section.RUNNING in sections else None
    failures = (
        session.run(failure_groups(GROUPS_SHOWN, app.client.encryption, most=WINDOW))
        if Section.FAILURES in sections
        else None
    )
    return Snapshot(now(), app.store, overview, _rates(app), runs, failures)


def _rates(app: Windlass) -> Rates | None:
    figures = app.figures(range=_RECENTLY)
    if not any(point.is_known for point in figures.points):
        return None
    total = figures.total
    return Rates(*(round(count / _SECONDS, 2) for count in (total.completed, total.failed, total.retried)))


def details(app: Windlass, section: Section, key: str) -> View:
    """One row in full; ``WindlassError`` when it is gone."""
    from windlass.cli.commands.jobs import job_detail
    from windlass.cli.views.queues import QueueDetail
    from windlass.cli.views.workers import WorkerDetail

    match section:
        case Section.QUEUES:
            found = {queue.name: queue for queue in app.overview().queues}
            if key in found:
                return QueueDetail(found[key])
        case Section.WORKERS:
            workers = {worker.id: worker for worker in app.workers()}
            if key in workers:
                return WorkerDetail(workers[key])
        case Section.RUNNING | Section.FAILURES:
            return job_detail(app, key)
    raise WindlassError(f"{key} is gone")
