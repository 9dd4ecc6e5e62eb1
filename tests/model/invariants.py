"""What must hold of every history, whatever the operations answered (RELIABILITY.md, section 1.1)."""

from __future__ import annotations

from collections import Counter

from tests.model.model import Model
from windlass.core.decide import RESCUES_ALLOWED
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State
from windlass.core.suspect import CRASHES_ALLOWED

MOST_HOLDERS = 2
"""The largest limit that histories set for a concurrency key."""


class Invariants:
    """Checks a model after every step, and remembers what may only grow or must stay as it is."""

    def __init__(self) -> None:
        self._fences: dict[int, int] = {}
        self._ended: dict[int, JobRecord] = {}
        self._fired: dict[tuple[str, int, int], str | None] = {}
        """The job of each slot that a schedule had since it was made."""

    def check(self, model: Model) -> None:
        ids = [job.id for job in model.jobs.values()]
        assert len(ids) == len(set(ids)), f"two jobs have one id: {ids}"
        for job in model.jobs.values():
            self._check_budget(job)
            self._check_ownership(job)
            self._check_history(job)
        for name in model.keys:
            _check_key(model, name)
        for name in model.schedules:
            self._check_ledger(model, name)
        _check_concurrency(model)
        _check_rates(model)

    def _check_ledger(self, model: Model, name: str) -> None:
        """No slot has two jobs, and none that has one loses it."""
        for row in model.ledger(name):
            was = self._fired.setdefault((name, model.schedules[name].created_at, row.planned_at), row.job)
            assert was is None or was == row.job, f"slot {row.planned_at} of {name} has two jobs: {was} and {row.job}"
            self._fired[name, model.schedules[name].created_at, row.planned_at] = row.job

    def _check_budget(self, job: JobRecord) -> None:
        assert 0 <= job.attempt <= job.max_attempts, f"attempts overdrawn: {job}"
        # A manual claim is charged beforehand; whoever else may still run needs a run left to charge.
        may_run = job.state not in FINISHED and not (job.lease and ":" in job.lease)
        assert job.attempt < job.max_attempts or not may_run, f"waits without an attempt left: {job}"
        assert job.crashes <= CRASHES_ALLOWED, f"crashed too often: {job}"
        assert job.crashes < CRASHES_ALLOWED or job.state in FINISHED, f"crashed too often to go on: {job}"
        # Losing a manual claim counts as a rescue too, but uses up an attempt each time.
        rescues = job.rescues - job.attempt
        assert rescues < RESCUES_ALLOWED or job.state in FINISHED, f"rescued too often to go on: {job}"

    def _check_ownership(self, job: JobRecord) -> None:
        assert (job.lease is not None) == (job.state is State.RUNNING), (
            f"a lease without a run, or a run without: {job}"
        )
        assert (job.finished_at is not None) == (job.state in FINISHED), f"finished without a time: {job}"
        assert job.fence >= self._fences.get(job.seq, 0), f"the fence shrank: {job}"
        self._fences[job.seq] = job.fence

    def _check_history(self, job: JobRecord) -> None:
        assert self._ended.get(job.seq, job) == job, f"a completed job changed: {job}"
        if job.state is State.COMPLETED:
            self._ended[job.seq] = job


def _check_concurrency(model: Model) -> None:
    held = Counter(job.concurrency_key for job in model.jobs.values() if job.state is State.RUNNING)
    for key in {job.concurrency_key for job in model.jobs.values()} - {None}:
        assert held[key] <= MOST_HOLDERS, f"too many jobs of {key!r} run"
    for job in model.blocked():
        assert model.key_room(job.concurrency_key or "") <= 0, f"waits for a key that is free: {job}"
    assert all(model.jobs[seq].state is State.PENDING for seq in model.promised), "what was to run next does not wait"


def _check_rates(model: Model) -> None:
    """In any span of time never more than rate x time + burst."""
    rates = {name: bucket.rate for name, bucket in model.buckets.items()}
    rates |= {f"limit {name}": limit.bucket.rate for name, limit in model.limits.items()}
    rates |= {key: bucket.rate for key, bucket in model.key_buckets.items()}
    for name, rate in rates.items():
        taken = model.taken_at[name]
        for first, begin in enumerate(taken):
            beyond = (len(taken) - first - rate.burst) * rate.period
            assert beyond <= rate.amount * (taken[-1] - begin), f"{name}: too many tokens since {begin}: {taken}"


def _check_key(model: Model, name: str) -> None:
    key = model.keys[name]
    holder = model.jobs[key.seq]
    assert holder.unique_key == name, f"{name} is held by a job that never named it: {holder}"
    if key.until != "window":
        assert holder.state not in FINISHED, f"{name} is held by a finished job: {holder}"
    if key.until == "started" and holder.state is not State.RUNNING:
        assert (holder.attempt, holder.started_at) == (0, None), f"{name} is held by a job that has started: {holder}"
