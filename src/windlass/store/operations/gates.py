"""The gates before a pending job: what keeps it from being claimed."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum, unique

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

HOLDERS = 4
"""So many of the jobs that run under a limit are looked up."""


@unique
class Gate(StrEnum):
    """Every gate there is, in the order in which ``why`` looks at them.

    A store has each of its gates in one place, ``shared/``, from where its claims ask whether the gate is shut and the
    call ``gates`` asks which gates are. A gate is added here, there and to the sentences of
    ``insight/why/shut_gates.py``.
    """

    EVERYTHING_PAUSED = "everything_paused"
    QUEUE_PAUSED = "queue_paused"
    QUEUE_COOLING = "queue_cooling"
    """A run of the queue was throttled a while ago."""
    NO_WORKER = "no_worker"
    """No worker with a live lease serves the queue; a manual claim brings a lease of its own."""
    NO_WILLING_WORKER = "no_willing_worker"
    """All workers that serve the queue are paused or about to leave. They check this gate themselves: they ask for no
    jobs."""
    APP_AT_LIMIT = "app_at_limit"
    """As many jobs of all queues run as the app allows."""
    QUEUE_AT_LIMIT = "queue_at_limit"
    QUEUE_OUT_OF_TOKENS = "queue_out_of_tokens"
    """As many jobs of the queue were claimed as its rate allows."""
    RATE_COOLING = "rate_cooling"
    """A run of the task with the same rate key was throttled a while ago."""
    RATE_OUT_OF_TOKENS = "rate_out_of_tokens"
    """As many jobs of the task with the same rate key were claimed as its rate allows, or others of the key wait."""
    SUSPECT_WAITS = "suspect_waits"
    """Jobs of a higher priority come before a suspect. For a manual claim suspects are jobs like all others."""


class ShutGate(Struct, frozen=True, array_like=True):
    """A gate that is shut; where it is known, since when, by which operator, why and until when."""

    gate: Gate
    since: int | None = None
    by: str | None = None
    reason: str | None = None
    ends_at: int | None = None
    most: int | None = None
    """Of a limit: how many jobs may run at once."""


class ClaimSituation(Struct, frozen=True, array_like=True):
    """What ``why`` has to know of a job: the gates, jobs ahead, workers of its queue, its owner if it runs."""

    state: State
    ahead: int
    """How many jobs of its queue come first, counted up to 1,000; suspects, which wait apart, are not among them."""
    serving: int
    """How many workers with a live lease serve its queue."""
    willing: int
    """How many of those are neither paused nor about to leave."""
    due_in: int
    reason: str | None
    worker: str | None
    suspects_ahead: int
    """Of a suspect: how many other suspects of its queue come first, counted up to 1,000."""
    silent: int | None = None
    """Of a running job: for how many milliseconds its owner has not been heard of; None when its lease is gone."""
    is_over: bool = False
    """Whether the lease under which it runs has expired, so that it waits for a rescue."""
    is_tended: bool = False
    """Whether any process does upkeep: promotes what is due, rescues what was lost."""
    shut: tuple[ShutGate, ...] = ()
    """In the order of ``Gate``."""
    holders: tuple[str, ...] = ()
    """Of a job that waits for a limit: ids of some of those that run under it, up to ``HOLDERS``."""

    def names(self) -> list[Gate]:
        """The gates that are shut."""
        return [shut.gate for shut in self.shut]


def gates(seq: int) -> Operation[ClaimSituation | None]:
    """The gates before one job, or None when it is gone."""
    answer = yield Call("gates", {"seq": seq, "holders": HOLDERS}, Lane.READ)
    found = records(answer["gates"], ClaimSituation)
    if not found:
        return None
    shut = [*records(answer["shut"], ShutGate), *_shut_by_workers(found[0])]
    holders = tuple(id for (id,) in answer.get("holders") or ())
    return replace(found[0], shut=tuple(sorted(shut, key=_place)), holders=holders)


def _shut_by_workers(found: ClaimSituation) -> Iterator[ShutGate]:
    if found.serving == 0:
        yield ShutGate(Gate.NO_WORKER)
    elif found.willing == 0:
        yield ShutGate(Gate.NO_WILLING_WORKER)


def _place(shut: ShutGate) -> int:
    return list(Gate).index(shut.gate)
