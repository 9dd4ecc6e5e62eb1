"""The part of the model that is about rates of tasks: of the jobs with one rate key only so many begin in a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from tests.model.parts.keys import in_order_of_age
from tests.model.parts.part import Part
from windlass.core.rates.bucket import Bucket, full_bucket
from windlass.core.rates.rate import Rate
from windlass.core.records import JobRecord
from windlass.core.state import State, Verb


class TaskRateModel(Part):
    """A job without a token lines up; promote lets as many go as there are tokens, and their claims take them."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.task_rates: dict[str, Rate] = {}
        self.key_buckets: dict[str, Bucket] = {}
        self.let_go_by_rate: set[int] = set()

    @abstractmethod
    def _move(self, job: JobRecord, verb: Verb, state: State, **changes: Any) -> None: ...
    @abstractmethod
    def note_taken(self, name: str) -> None: ...

    def declare_rates(self, rates: Mapping[str, Rate]) -> None:
        """For tasks whose buckets are all full."""
        self.task_rates |= rates

    def block_if_out(self, job: JobRecord) -> bool:
        """Block a job that is about to be claimed if there is no token for it; whether it was."""
        if job.rate_key is None:
            return False
        has_turn = job.seq in self.let_go_by_rate or not self._line(job.rate_key)
        if has_turn and self.key_bucket(job.rate_key).tokens > 0:
            return False
        self._move(job, Verb.BLOCK, State.BLOCKED, reason="rate")
        return True

    def spend_by_key(self, job: JobRecord) -> None:
        if job.rate_key is not None:
            left = self.key_bucket(job.rate_key).taken()
            assert left is not None, f"{job.rate_key!r} has no token"
            self.key_buckets[job.rate_key] = left
            self.note_taken(job.rate_key)
        self.let_go_by_rate.discard(job.seq)

    def open_rates(self) -> int:
        """Let go what waits for tokens that are there now; how many."""
        opened = 0
        for key in sorted(self.key_buckets):
            pending = [seq for seq in self.let_go_by_rate if seq in self.jobs and self.jobs[seq].rate_key == key]
            bucket = self.key_bucket(key)
            # Those that were let go and are not claimed may be of a queue that is paused: one more goes if it is full.
            number = max(bucket.tokens - len(pending), bucket.tokens == bucket.rate.burst)
            for job in self._line(key)[:number]:
                self._move(job, Verb.UNBLOCK, State.PENDING, reason=None)
                self.let_go_by_rate.add(job.seq)
                opened += 1
        return opened

    def key_bucket(self, key: str) -> Bucket:
        full = full_bucket(self.task_rates[key.partition("\t")[0]], self._now())
        return self.key_buckets.get(key, full).filled(self._now())

    def _line(self, key: str) -> list[JobRecord]:
        waiting = [job for job in self.jobs.values() if (job.state, job.reason) == (State.BLOCKED, "rate")]
        return in_order_of_age(job for job in waiting if job.rate_key == key)
