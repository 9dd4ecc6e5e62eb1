"""Decides what becomes of a claimed job: a run, or an ending where it cannot run now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windlass.client.tasks.registry import KnownTasks
from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import EncryptedJob, as_encrypted
from windlass.core.ending import Ending
from windlass.core.records import Claimed
from windlass.steps.run_steps import StepStore
from windlass.task import Task
from windlass.worker.fetch.cycle_client import Ended
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.run import ReportProgress, Run
from windlass.worker.runs.throttles import Throttles


class Intake:
    """Makes runs of claimed jobs."""

    def __init__(
        self,
        *,
        registry: KnownTasks,
        attempts: AttemptRules,
        throttles: Throttles,
        encryption: Encryption,
        report: ReportProgress,
        steps: StepStore,
    ) -> None:
        self._registry = registry
        self._attempts = attempts
        self._throttles = throttles
        self._encryption = encryption
        self._report = report
        self._steps = steps

    def take(self, claimed: Sequence[Claimed], *, now: float) -> tuple[list[Run], list[Ended]]:
        """The runs, and endings of the jobs that cannot run now: expired, or with a task that is unknown or rests."""
        runs: list[Run] = []
        ended: list[Ended] = []
        for job in claimed:
            decided = self._decide(job, now)
            if isinstance(decided, Run):
                runs.append(decided)
            else:
                ended.append((decided, job))
        return runs, ended

    def _decide(self, job: Claimed, now: float) -> Run | Ending:
        if job.expires_in is not None and job.expires_in <= 0:
            return self._attempts.of_expired(job)
        task = self._registry.find(job.task)
        if task is None:
            is_loading = self._registry.is_loading(job.task)
            return self._attempts.of_loading_task(job) if is_loading else self._attempts.of_unknown_task(job)
        if left := self._throttles.left_of(job.task):
            return self._attempts.of_cooling_task(job, left)
        if self._encryption.is_on:
            job = self._encrypted(job, task)
        return Run(job, task, claimed=now, report=self._report, steps=self._steps)

    def _encrypted(self, job: Claimed, task: Task[..., Any]) -> Claimed:
        """The job; what it gives is encrypted too, if its task says so, though it was enqueued without keys."""
        is_clear = not isinstance(job, EncryptedJob)
        return as_encrypted(job) if is_clear and self._encryption.encrypts(task.settings.encrypt, job.task) else job
