"""What runs say about how far they are."""

from __future__ import annotations

import logging

from windlass.errors import StoreUnavailable
from windlass.pull import progress_text
from windlass.session import Session
from windlass.store.jobs import progress
from windlass.worker.run import Run

log = logging.getLogger("windlass.worker")


def report_progress(session: Session, worker: str, run: Run, value: float | None, text: str | None) -> bool:
    """Write it down; false when the lease is lost. A store that is away must not fail a run that is well."""
    try:
        return session.run(progress(run.job.seq, run.job.fence, progress_text(value, text), worker=worker))
    except StoreUnavailable as error:
        log.warning("job %s: its progress could not be written: %s", run.job.id, error)
        return True
