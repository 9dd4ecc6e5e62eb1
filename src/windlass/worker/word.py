"""Leaving word with jobs, where somebody will look for it one day."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from windlass.core.record import Claimed
from windlass.errors import WindlassError
from windlass.session import Session
from windlass.store.jobs import note

log = logging.getLogger("windlass.worker")


def leave_word(session: Session, kind: str, details: Mapping[Claimed, Mapping[str, object]], *, worker: str) -> None:
    """Write an event of this kind with each job; a store that is away is no reason to stop what we do."""
    try:
        session.run(note([(job.seq, job.fence, kind, detail) for job, detail in details.items()], worker=worker))
    except WindlassError as error:
        log.warning("could not note that %s: %s", ", ".join(f"job {job.id} was {kind}" for job in details), error)
