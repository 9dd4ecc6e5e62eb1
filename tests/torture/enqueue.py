"""Enqueue jobs and witness what the call said about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.torture.witness import Acked, Asked, Duplicate, KeyHeld, Refused, Saw, Unsure, Witness, now
from windlass import Job, JobCancelled, JobFailed, JobNotFound, JobTimeout, OutcomeUnknown, StoreUnavailable, Windlass
from windlass.task import Request


class Asking:
    """A caller's view of the store. Every job it asks for has an id of its own choice."""

    def __init__(self, app: Windlass, witness: Witness) -> None:
        self._app = app
        self._witness = witness

    def enqueue(self, requests: Sequence[Request]) -> list[Job[Any]] | None:
        """The jobs; None if the store refused them or did not say. An exception of any other kind goes through."""
        ids = [str(request.options.id) for request in requests]
        self._witness.write(Asked(ids, now()))
        try:
            jobs = self._app.enqueue_many(requests)
        except OutcomeUnknown:
            self._witness.write(Unsure(ids, now()))
            return None
        except StoreUnavailable as error:
            self._witness.write(Refused(ids, now(), str(error)[:200]))
            return None
        except BaseException:  # a run that is interrupted in the middle of the call
            self._witness.write(Unsure(ids, now()))
            raise
        self._acknowledge(ids, jobs)
        return jobs

    def _acknowledge(self, ids: Sequence[str], jobs: Sequence[Job[Any]]) -> None:
        stored = [id for id, job in zip(ids, jobs, strict=True) if job.id == id]
        if stored:
            self._witness.write(Acked(stored, now()))
        for id, job in zip(ids, jobs, strict=True):
            if job.id != id:
                self._witness.write(Duplicate(id, job.id, now()))

    def key_is_held_by_finished(self, request: Request, holder: Job[Any]) -> None:
        """Look whether the holder of a key is finished, and if so, ask once more: the key must be free then."""
        try:
            if not holder.refresh().done:
                return
        except (JobNotFound, StoreUnavailable):
            return
        jobs = self.enqueue([request])
        if jobs is not None and jobs[0].id == holder.id:
            self._witness.write(KeyHeld(str(request.options.id), holder.id, now()))

    def wait(self, job: Job[Any], *, seconds: float) -> None:
        """Wait for a job, and witness what was said about it."""
        try:
            answer = job.result(timeout=seconds)
        except JobFailed:
            self._witness.write(Saw(job.id, "failed", None, now()))
        except JobCancelled:
            self._witness.write(Saw(job.id, "cancelled", None, now()))
        except (JobTimeout, JobNotFound, StoreUnavailable):
            return
        else:
            self._witness.write(Saw(job.id, "completed", int(answer["fence"]), now()))
