"""Which faults strike when: a pure function of the seed, so that a run can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Kind(StrEnum):
    """What the rack does to the system from outside; poison, time limits and large payloads are in the workload."""

    KILL_WORKER = "kill a worker"
    KILL_CHILD = "kill an isolated child"
    KILL_PRODUCER = "kill a producer"
    PAUSE_WORKER = "pause a worker beyond its lease"
    STOP_WORKER = "stop a worker by SIGTERM"
    RELOAD_WORKER = "reload workers by SIGHUP"
    STORE_AWAY = "store away"
    OUTAGE = "store away beyond the deadline of a call"
    CUT = "cut all connections"
    DELAY = "delay each request"
    BLACK_HOLE = "swallow all traffic"
    FULL_DISK = "full disk"
    CLOCK_STEP = "step the store's clock"
    EMFILE = "no more files for a worker"
    OPEN_TRANSACTION = "caller's open transaction"
    CANCEL = "cancel running jobs"
    CANCEL_PAUSED = "cancel the jobs of a worker that is paused for a moment"
    CANCEL_LOST = "cancel the jobs of a worker and kill it"
    CLEAN = "clean finished jobs"
    VACUUM = "vacuum"


MOMENTARY = {
    Kind.KILL_WORKER,
    Kind.KILL_CHILD,
    Kind.KILL_PRODUCER,
    Kind.STOP_WORKER,
    Kind.RELOAD_WORKER,
    Kind.CUT,
    Kind.CLOCK_STEP,
    Kind.CANCEL,
    Kind.CANCEL_LOST,
    Kind.CLEAN,
    Kind.VACUUM,
}
"""Kinds that are over as soon as they have struck."""

OF_STORE = {
    Kind.STORE_AWAY,
    Kind.OUTAGE,
    Kind.DELAY,
    Kind.BLACK_HOLE,
    Kind.FULL_DISK,
    Kind.CUT,
    Kind.CLOCK_STEP,
}
"""Kinds that all processes feel."""

_SERVERS = frozenset(Kind)
KINDS: dict[str, frozenset[Kind]] = {
    # A file has no connections, and a caller's transaction cannot join one that apsw has open.
    "sqlite": frozenset(Kind) - {Kind.CUT, Kind.DELAY, Kind.BLACK_HOLE, Kind.OPEN_TRANSACTION},
    "postgres": _SERVERS,
    "redis": _SERVERS - {Kind.OPEN_TRANSACTION, Kind.VACUUM},
}
"""What can be done to each store."""

BETWEEN = (0.3, 1.5)
"""Seconds from one fault to the next, before the rounds are stretched over the time that there is."""
CALM_AT_START = 3.0
"""Seconds in which the workers come up and the first jobs end."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of the plan."""

    at: float
    """Seconds after the start."""
    kind: Kind
    length: float
    """Seconds until it is taken back; 0 for what is over at once."""
    target: float
    """From 0 to 1: which of those that are there is struck."""
    amount: float
    """From 0 to 1: how hard."""


def plan(seed: int, *, seconds: float, kinds: Sequence[Kind], lease: float) -> list[Fault]:
    """Faults of all kinds in turn, each round in another order, until the time is over."""
    draw = Random(seed)
    at = CALM_AT_START
    faults: list[Fault] = []
    round: list[Kind] = []
    while at < seconds:
        if not round:
            round = draw.sample(sorted(kinds), len(kinds))
        kind = round.pop()
        fault = Fault(at, kind, _length(kind, draw.random(), lease), draw.random(), draw.random())
        faults.append(fault)
        # Two faults of the store at once are one fault; those of single processes may meet it.
        at += draw.uniform(*BETWEEN) + (fault.length if kind in OF_STORE else 0.0)
    return faults


def _length(kind: Kind, roll: float, lease: float) -> float:
    if kind in MOMENTARY:
        return 0.0
    match kind:
        case Kind.PAUSE_WORKER:
            return lease * (1.3 + roll)
        case Kind.CANCEL_PAUSED:
            return 0.2 + 0.6 * roll  # its lease lives on
        case Kind.OPEN_TRANSACTION:
            return 6.0 + 4.0 * roll  # longer than a call's deadline
        case Kind.OUTAGE:
            return 5.8 + roll  # calls fail, and the longest lease is kept
        case Kind.STORE_AWAY | Kind.BLACK_HOLE:
            return lease * (0.3 + roll)
        case _:
            return 1.0 + 3.0 * roll
