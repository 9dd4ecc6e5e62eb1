"""Writes the progress that runs report, and events on the timelines of jobs."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from windlass.client.session import Session
from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import shown_progress
from windlass.core.records import Claimed
from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.operations.events import record_job_events
from windlass.store.operations.jobs import progress
from windlass.worker.runs.run import Run

log = logging.getLogger("windlass.worker")


def record_job_event(
    session: Session, kind: str, details: Mapping[Claimed, Mapping[str, object]], *, worker: str
) -> None:
    """Write an event of this kind for each job; a store that is away is logged, not raised."""
    try:
        session.run(
            record_job_events([(job.seq, job.fence, kind, detail) for job, detail in details.items()], worker=worker)
        )
    except WindlassError as error:
        log.warning("could not record that %s: %s", ", ".join(f"job {job.id} was {kind}" for job in details), error)


def report_progress(
    session: Session, worker: str, run: Run, value: float | None, text: str | None, *, encryption: Encryption
) -> bool:
    """Write the progress of a run; false when the lease is lost. A store that is away must not fail the run."""
    shown = shown_progress(encryption, run.job, value, text)
    try:
        return session.run(progress(run.job.seq, run.job.fence, shown, worker=worker))
    except StoreUnavailable as error:
        log.warning("job %s: its progress could not be written: %s", run.job.id, error)
        return True
