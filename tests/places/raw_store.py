"""What a store holds, seen and changed past the API."""

from __future__ import annotations

from contextlib import closing
from typing import Any, Protocol

from tests.places.place import Place, SqlitePlace
from tests.places.raw_postgres import RawPostgres
from tests.places.raw_redis import RawRedis
from tests.places.raw_sqlite import RawSqlite
from windlass import Job
from windlass.store.operation import Operation, drive
from windlass.store.operations.leases import WorkerReport, close_lease, open_lease

HOUR = 3_600_000

Value = str | int | bytes | None


class Raw(Protocol):
    """One store's data as it lies there."""

    def write(self, job: Job[Any], columns: dict[str, Value]) -> None:
        """Set parts of a job to what no operation would write."""

    def read(self, job: Job[Any], column: str) -> bytes:
        """What lies there as text, byte by byte."""

    def remove(self, id: str) -> None:
        """Delete what the store knows of a job, and nothing that points at it."""

    def give(self, job: Job[Any], lease: str) -> None:
        """Let a running job go over to another lease under the next fence, all at once."""

    def events(self) -> int:
        """How many events are kept."""

    def keys(self) -> list[str]:
        """The unique keys that are held."""

    def tags(self) -> int:
        """How many pairs of a tag and a job are kept."""

    def steps(self) -> int:
        """How many steps of jobs are kept."""

    def archived(self) -> list[tuple[str, dict[str, object]]]:
        """Each job in the store's own archive with its ISO week, as it is written there."""

    def miscount(self, limit: str, running: int) -> None:
        """Let a limit's counter say that so many jobs run."""

    def lose_counter(self, limit: str) -> None:
        """Delete a limit's counter."""

    def miscount_key(self, key: str, by: int) -> None:
        """Let a concurrency key count so many jobs too many, or too few."""

    def left_of_concurrency_keys(self) -> list[str]:
        """Whatever is kept of concurrency keys that jobs hold or wait for."""

    def leases(self) -> list[str]:
        """All leases, whoever has them."""

    def expire(self, lease: str) -> None:
        """Let a lease look as if it had not been renewed for ages."""

    def workers(self) -> list[str]:
        """The ids of all workers."""

    def commits(self) -> int:
        """How many transactions that wrote something, or scripts, the store has seen to their end."""

    def check(self) -> None:
        """Fail if the data contradict themselves."""


class RawStore:
    """One place's data, for what the API rightly does not show or allow."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._raw = _raw(place)

    def damage(self, job: Job[Any], **columns: Value) -> None:
        self._raw.write(job, columns)

    def take_away(self, job: Job[Any]) -> None:
        """Let a running job be another's from one moment to the next, while its owner keeps its lease."""
        self._run(open_lease(WorkerReport("thief", "thief", "busy", "{}"), lease="thief's", ttl=HOUR))
        self._raw.give(job, "thief's")

    def remove(self, id: str) -> None:
        """Let the body of a job be gone, as after an eviction or a careless hand."""
        self._raw.remove(id)

    def text(self, job: Job[Any], column: str) -> bytes:
        return self._raw.read(job, column)

    def events(self) -> int:
        return self._raw.events()

    def keys(self) -> list[str]:
        return self._raw.keys()

    def tags(self) -> int:
        return self._raw.tags()

    def steps(self) -> int:
        return self._raw.steps()

    def archived(self) -> list[tuple[str, dict[str, object]]]:
        return self._raw.archived()

    def miscount(self, limit: str, running: int) -> None:
        """As a defect, or a worker that knows no limits, would."""
        self._raw.miscount(limit, running)

    def lose_counter(self, limit: str) -> None:
        """As somebody who cleans up by hand would."""
        self._raw.lose_counter(limit)

    def miscount_key(self, key: str, by: int) -> None:
        """As a defect, or a worker that knows no keys, would."""
        self._raw.miscount_key(key, by)

    def left_of_concurrency_keys(self) -> list[str]:
        return self._raw.left_of_concurrency_keys()

    def leases(self) -> list[str]:
        return self._raw.leases()

    def commits(self) -> int:
        return self._raw.commits()

    def check(self) -> None:
        self._raw.check()

    def expire_leases(self) -> None:
        """Let the time of every lease be over, though it was long.

        A test that waits for a short one of a dead worker loses it before, too, when its machine stands still.
        """
        for lease in self._raw.leases():
            self._raw.expire(lease)

    def expire_lease_of(self, job: Job[Any]) -> None:
        """The same of the worker that runs this job, beside others that live on."""
        lease = job.refresh().record.lease
        assert lease is not None
        self._raw.expire(lease)

    def forget_leases(self) -> None:
        """Delete every lease, and leave its worker and its jobs as they are."""
        for lease in self._raw.leases():
            self._run(close_lease(worker="", lease=lease))

    def forget_workers(self) -> None:
        """Delete every worker, and leave its lease and its jobs as they are."""
        for worker in self._raw.workers():
            self._run(close_lease(worker=worker, lease=""))

    def _run(self, operation: Operation[object]) -> None:
        with closing(self._place.open(now=None)) as driver:
            drive(operation, driver.execute)


def _raw(place: Place) -> Raw:
    if isinstance(place, SqlitePlace):
        return RawSqlite(place.path, place.connect)
    if place.url.startswith("postgresql:"):
        return RawPostgres(place.url, place.namespace)
    return RawRedis(place.url, place.namespace)
