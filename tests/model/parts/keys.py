"""The part of the model that is about concurrency keys: which jobs hold one, and which wait for it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.model.parts.part import Part
from windlass.core.records import JobRecord
from windlass.core.state import State, Verb


class KeyModel(Part):
    """A job that runs holds its key, and so does one that was unblocked and is to run next."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.key_limits: dict[str, int] = {}
        self.chosen_limits: dict[str, int] = {}
        """What operators say, which goes before what the code declares."""
        self.promised: set[int] = set()
        """The jobs that are to run next."""

    @abstractmethod
    def _move(self, job: JobRecord, verb: Verb, state: State, **changes: Any) -> None: ...

    def declare_key_limits(self, limits: Mapping[str, int]) -> None:
        """A limit that has grown lets jobs go; one that has shrunk takes nothing away."""
        self.key_limits |= limits
        self.unblock()

    def change_key_limit(self, task: str, limit: int | None) -> None:
        self.chosen_limits.pop(task, None)
        if limit is not None:
            self.chosen_limits[task] = limit
        self.unblock()

    def most_holders(self, key: str) -> int:
        task = key.partition("\n")[0]
        return self.chosen_limits.get(task, self.key_limits.get(task, 1))

    def key_room(self, key: str) -> int:
        """How many more jobs may hold the key."""
        own = [job for job in self.jobs.values() if job.concurrency_key == key]
        return self.most_holders(key) - sum(job.state is State.RUNNING or job.seq in self.promised for job in own)

    def block_if_full(self, job: JobRecord) -> bool:
        """Block a job that is about to be claimed if others hold its key; whether it was."""
        if job.concurrency_key is None or job.seq in self.promised or self.key_room(job.concurrency_key) > 0:
            return False
        self._move(job, Verb.BLOCK, State.BLOCKED, reason="key")
        return True

    def return_to_line(self, job: JobRecord) -> None:
        """Put a job whose run is over back among those that wait for its key, if there are any."""
        if job.state is State.PENDING and any(other.concurrency_key == job.concurrency_key for other in self.blocked()):
            self._move(job, Verb.BLOCK, State.BLOCKED, reason="key")

    def unblock(self) -> None:
        """Let go what waits for a key that is free, in the order of claims."""
        for key in {job.concurrency_key for job in self.blocked()}:
            waiting = [job for job in self.blocked() if job.concurrency_key == key]
            for job in in_order_of_age(waiting)[: max(0, self.key_room(key or ""))]:
                self._move(job, Verb.UNBLOCK, State.PENDING, reason=None)
                self.promised.add(job.seq)

    def blocked(self) -> list[JobRecord]:
        """Those that wait for a key."""
        return [job for job in self.jobs.values() if job.state is State.BLOCKED and job.reason == "key"]


def in_order_of_age(jobs: Iterable[JobRecord]) -> list[JobRecord]:
    """The order of claims, as long as none of them is a suspect."""
    return sorted(jobs, key=lambda job: (-job.priority, job.run_at, job.seq))
