"""What follows once the store has accepted endings: logs, figures, notifications."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence

from windlass.client.session import Session
from windlass.core.state import State
from windlass.store.driver import Topic
from windlass.worker.fetch.cycle_client import Ended
from windlass.worker.recent_jobs import RecentJobs
from windlass.worker.runs.logs.job_fields import about
from windlass.worker.runs.logs.run_log import RunLog
from windlass.worker.runs.reporting import record_job_event

log = logging.getLogger("windlass.worker")

CountEndings = Callable[[Sequence[Ended], Collection[int]], None]
"""Counts endings; of those whose seq is in the second argument the store refused the write."""


class WrittenEndings:
    """Logs and counts endings that the store has answered, and notifies those who wait for them."""

    def __init__(
        self,
        *,
        session: Session,
        recent: RecentJobs,
        run_log: RunLog,
        worker: str,
        count: Sequence[CountEndings] = (),
    ) -> None:
        self._session = session
        self._recent = recent
        self._run_log = run_log
        self._worker = worker
        self._count = count
        self.stale_write_count = 0

    def add(self, ended: list[Ended], refused: Collection[int]) -> None:
        """Take in endings that the store has answered; those in ``refused`` were stale writes."""
        if not ended:
            return
        self._note_refused(ended, refused)
        self._recent.add(ended)
        self._run_log.add(ended, refused)
        for count in self._count:
            count(ended, refused)
        self._session.notify(Topic.FINISHED)
        released = [(ending, job) for ending, job in ended if ending.state is State.PENDING]
        if released or _has_freed_keys(ended):
            self._session.notify(Topic.WORK)  # other workers may have free slots; this one hears it too
        if released:
            self._note_cut_off([(ending, job) for ending, job in released if job.seq not in refused])

    def _note_refused(self, ended: list[Ended], refused: Collection[int]) -> None:
        for _, job in ended if refused else ():
            if job.seq in refused:
                self.stale_write_count += 1
                text = "job %s: no longer ours; the ending under fence %s changed nothing"
                log.warning(text, job.id, job.fence, extra=about(job, "stale_write"))

    def _note_cut_off(self, released: list[Ended]) -> None:
        """Log runs that were stopped half-way and start again elsewhere, and record it with their jobs: no other trace
        of what they did is left.
        """
        cut_off = {
            job: {"after": f"{ending.ran_for / 1000:g} s"} for ending, job in released if ending.ran_for is not None
        }
        if cut_off:
            log.warning("released while they ran, to start again: %s", ", ".join(f"job {job.id}" for job in cut_off))
            record_job_event(self._session, "handed_back", cut_off, worker=self._worker)


def _has_freed_keys(ended: list[Ended]) -> bool:
    """Whether concurrency keys were given back: their next jobs are pending now, in whichever queue."""
    return any(ending.concurrency_key is not None for ending, _ in ended)
