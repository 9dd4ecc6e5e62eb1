"""Leases and workers: open, renew, control, close."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2s

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

PAUSE = "pause"
STOP = "stop"


class WorkerReport(Struct, frozen=True):
    """What a worker says of itself with every heartbeat; ``info`` is JSON text."""

    worker: str
    name: str
    state: str
    info: str


def lease_name(id: str, *, has_duties: bool, queues: Iterable[str]) -> str:
    """What the lease of a worker of these queues is called.

    The first of all leases by name is that of the keeper of the store. So those of workers without duties come after
    the others: ids begin with a digit. Names of workers of the same queues end alike, so that these can be counted.
    """
    return f"{'' if has_duties else 'z'}{id}{lease_ending(queues)}"


def lease_ending(queues: Iterable[str]) -> str:
    """How the names of the leases end whose workers serve just these queues; hardly any others do."""
    return f"~{blake2s(' '.join(sorted(queues)).encode(), digest_size=2).hexdigest()}"


def open_lease(presence: WorkerReport, *, lease: str, ttl: int) -> Operation[None]:
    """Register a worker and give it a lease of ``ttl`` milliseconds."""
    yield Call("open_lease", {**_params(presence), "lease": lease, "ttl": ttl}, Lane.HEARTBEAT)


class Renewed(Struct, frozen=True):
    """What a heartbeat learned."""

    is_open: bool
    """False once the lease was rescued; time alone never makes it false."""
    held: frozenset[tuple[int, int]]
    """(seq, fence) of every job the lease still holds."""


def renew(presence: WorkerReport, *, lease: str) -> Operation[Renewed]:
    """Prolong a lease and show the worker's state."""
    answer = yield Call("renew", {**_params(presence), "lease": lease}, Lane.HEARTBEAT)
    return Renewed(bool(answer["open"][0][0]), frozenset(map(tuple, answer["held"])))


def report_worker(presence: WorkerReport, *, lease: str) -> Operation[None]:
    """Show what a worker does, as ``renew`` does, without prolonging its lease."""
    params = {"worker": presence.worker, "state": presence.state, "info": presence.info, "lease": lease}
    yield Call("report_worker", params, Lane.HEARTBEAT)


class QueueControl(Struct, frozen=True, array_like=True):
    """The settings of a queue that a worker follows while it runs."""

    name: str
    weight: int | None
    is_paused: bool
    retry: str | None


class Control(Struct, frozen=True):
    """What others want of a worker."""

    now: int
    """The store's clock."""
    signal: str | None
    signalled_by: str | None
    is_open: bool
    cancels: frozenset[tuple[int, int]]
    queues: dict[str, QueueControl]
    cooling_tasks: dict[str, int]
    """For how many milliseconds tasks cool down."""
    stacks: str | None = None
    """The token of an operator who wants to see where its threads are."""
    muted: frozenset[str] = frozenset()
    """The causes of failures that are muted."""


def control(*, worker: str, lease: str) -> Operation[Control]:
    """Ask for cancels, signals and settings; asked once a second, so it only reads."""
    answer = yield Call("control", {"worker": worker, "lease": lease}, Lane.CONTROL)
    signal, signalled_by, is_open, now, stacks = answer["signal"][0]
    queues = {queue.name: queue for queue in records(answer["queues"], QueueControl)}
    cancels = frozenset(map(tuple, answer["cancels"]))
    muted = frozenset(cause for (cause,) in answer["muted"])
    return Control(now, signal, signalled_by, bool(is_open), cancels, queues, dict(answer["cooling"]), stacks, muted)


def close_lease(*, worker: str, lease: str) -> Operation[str | None]:
    """Close a lease in order: lease and worker disappear at once. Gives the last order to the worker, if any."""
    answer = yield Call("close_lease", {"worker": worker, "lease": lease}, Lane.HEARTBEAT)
    return next((signal for (signal,) in answer["signal"]), None)


class WorkerRecord(Struct, frozen=True, array_like=True):
    """A worker as the store knows it."""

    id: str
    name: str
    state: str
    started_at: int
    seen_at: int
    signal: str | None
    signalled_by: str | None
    info: str

    @property
    def is_alive(self) -> bool:
        """Whether its lease is in time."""
        return self.state != "lost"


def workers() -> Operation[list[WorkerRecord]]:
    """All workers that live, and those that were lost within a day."""
    answer = yield Call("workers", {}, Lane.READ)
    return records(answer["workers"], WorkerRecord)


class LeaseEnd(Struct, frozen=True, array_like=True):
    """When the lease of a running job is over, unless it is renewed."""

    seq: int
    fence: int
    expires_at: int


def lease_ends(seqs: Sequence[int]) -> Operation[dict[int, LeaseEnd]]:
    """When the leases of those of these jobs that run are over, by ``seq``."""
    if not seqs:
        return {}
    answer = yield Call("lease_ends", {"jobs": [(seq,) for seq in seqs]}, Lane.READ)
    return {end.seq: end for end in records(answer["ends"], LeaseEnd)}


def ask_stacks(worker: str, *, token: str) -> Operation[list[str]]:
    """Ask the workers of this id or name where their threads are; their ids. The answer comes with their next report,
    under the token. Repeating it changes nothing.
    """
    answer = yield Call("ask_stacks", {"worker": worker, "token": token})
    return [id for (id,) in answer["asked"]]


def signal(worker: str | None, *, signal: str | None, by: str) -> Operation[list[str]]:
    """Store an order for one worker, by id or name, or for all; the ids of the workers that it reaches.

    It is stored under the worker's id: another worker that has the name later does not get it. ``STOP`` reaches workers
    that live, and nothing else reaches a worker that was asked to stop.
    """
    answer = yield Call("signal", {"worker": worker, "signal": signal, "by": by})
    return [id for (id,) in answer["signalled"]]


def forget_workers(worker: str | None) -> Operation[list[str]]:
    """Remove one lost worker by id or name, or all lost ones, from the lists; the ids of those it removed.

    Their leases stay, and with them what is known of their jobs.
    """
    answer = yield Call("forget_workers", {"worker": worker})
    return [id for (id,) in answer["forgotten"]]


def _params(presence: WorkerReport) -> dict[str, object]:
    return {"worker": presence.worker, "name": presence.name, "state": presence.state, "info": presence.info}
