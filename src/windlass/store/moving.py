"""Operations that take jobs out of one store and put them into another."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windlass.core.record import JobRecord
from windlass.store.operation import Call, Lane, Operation
from windlass.store.queues import QueueRecord
from windlass.store.reading import find
from windlass.store.rows import records

_AT_A_TIME = 500


class Stop(Struct, frozen=True, array_like=True):
    """One job on the way through a store, and about how many bytes it holds."""

    seq: int
    id: str
    size: int


class HeldKey(Struct, frozen=True, array_like=True):
    """A unique key that a job holds."""

    key: str
    id: str
    until: str
    expires_at: int | None


class MovedEvent(Struct, frozen=True, array_like=True):
    """Something unusual in the life of a job, which is given by its id: another store has other seqs."""

    id: str
    at: int
    kind: str
    worker: str | None
    fence: int | None
    detail: str | None


class Load(Struct, frozen=True):
    """Jobs with everything that belongs to them."""

    jobs: list[JobRecord]
    keys: list[HeldKey]
    events: list[MovedEvent]


class Walked(Struct, frozen=True):
    """The next jobs in the order in which they were made, and where the walk goes on, if it does."""

    stops: list[Stop]
    next: int | None


def walk(*, after: int, queue: str | None) -> Operation[Walked]:
    """Go through all jobs, or those of one queue, oldest first; begins after 0."""
    answer = yield Call("walk", {"after": after, "queue": queue, "limit": _AT_A_TIME}, Lane.READ)
    [(looked, last)] = answer["looked"]
    return Walked(records(answer["stops"], Stop), last if looked == _AT_A_TIME else None)


def export(ids: Sequence[str]) -> Operation[Load]:
    """Jobs by id, oldest first, with their keys and events."""
    found = yield from find(ids)
    answer = yield Call("belongings", {"ids": list(ids)}, Lane.READ)
    return Load(
        sorted(found.values(), key=lambda job: job.seq),
        records(answer["keys"], HeldKey),
        records(answer["events"], MovedEvent),
    )


def store_load(load: Load) -> Operation[int]:
    """Store jobs as they are, with their keys and events; what is there already stays as it is. How many are new."""
    params = {"jobs": load.jobs, "keys": load.keys, "events": load.events}
    answer = yield Call("import", params)
    return int(answer["stored"][0][0])


def store_queues(queues: Sequence[QueueRecord]) -> Operation[None]:
    """Take over the settings of queues, unless somebody has changed them here since."""
    yield Call("import_queues", {"queues": list(queues)})
