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
    KILL_WEB = "kill the web process"
    KILL_CLAIMER = "kill a client that claims over HTTP"


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
    Kind.KILL_WEB,
    Kind.KILL_CLAIMER,
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

OF_WEB = (Kind.KILL_CLAIMER, Kind.KILL_WEB)
"""Kinds that come in turn beside the others, which strike as they would without them."""

_SERVERS = frozenset(Kind)
KINDS: dict[str, frozenset[Kind]] = {
    # A file has no connections, and a caller's transaction cannot join one that apsw has open.
    "sqlite": frozenset(Kind) - {Kind.CUT, Kind.DELAY, Kind.BLACK_HOLE, Kind.OPEN_TRANSACTION},
    "postgres": _SERVERS,
    "redis": _SERVERS - {Kind.OPEN_TRANSACTION, Kind.VACUUM},
}
"""What can be done to each store."""

TIMES = {Kind.PAUSE_WORKER: 3}
"""How often kinds come in a round that come more than once. A pause is of use only where a run that was lost meanwhile
ends while the next one is still at work: then the store has to refuse a stale write.
"""
BETWEEN = (0.3, 1.5)
"""Seconds from one fault to the next, before the rounds are stretched over the time that there is."""
BETWEEN_OF_WEB = (5.0, 9.0)
LONGEST_PAUSE = 2.3
"""Leases."""
CALM_AT_START = 3.0
"""Seconds in which the workers come up and the first jobs end."""
READY_WITHIN = 4.0
"""Seconds that a caller's transaction waits for a job whose key it is to take, at the most."""


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
    """The faults of a run, in the order of their time."""
    mixed = _mixed(seed, seconds=seconds, kinds=[kind for kind in kinds if kind not in OF_WEB], lease=lease)
    of_web = _of_web(seed, seconds=seconds, kinds=[kind for kind in OF_WEB if kind in kinds], lease=lease)
    return sorted([*mixed, *of_web], key=lambda fault: fault.at)


def _of_web(seed: int, *, seconds: float, kinds: Sequence[Kind], lease: float) -> list[Fault]:
    """Kills of the web process and of its clients in turn, once the first pause is over."""
    draw = Random(f"web-{seed}")
    at = CALM_AT_START + LONGEST_PAUSE * lease + draw.uniform(*BETWEEN)
    faults: list[Fault] = []
    while kinds and at < seconds:
        faults.append(Fault(at, kinds[len(faults) % len(kinds)], 0.0, draw.random(), draw.random()))
        at += draw.uniform(*BETWEEN_OF_WEB)
    return faults


def _mixed(seed: int, *, seconds: float, kinds: Sequence[Kind], lease: float) -> list[Fault]:
    """A pause, then faults of all kinds in turn, each round in another order, until the time is over.

    The first pause has the time to itself: the store answers, and the jobs that are lost begin anew at once, because no
    other suspects wait for their turn. So each run has stale writes, however short it is.

    While a caller's transaction is open, the store is spared as far as the round has other faults: whoever stands still
    then has no other excuse.
    """
    draw = Random(seed)
    at = CALM_AT_START
    faults: list[Fault] = []
    each = [kind for kind in sorted(kinds) for _ in range(TIMES.get(kind, 1))]
    round: list[Kind] = []
    spared_until = 0.0
    while at < seconds:
        if not round:
            round = draw.sample(each, len(each))
        is_first = not faults and Kind.PAUSE_WORKER in each
        kind = Kind.PAUSE_WORKER if is_first else _drawn(round, spares_store=at < spared_until)
        roll = draw.random()
        fault = Fault(at, kind, _length(kind, 1.0 if is_first else roll, lease), draw.random(), draw.random())
        faults.append(fault)
        if kind is Kind.OPEN_TRANSACTION:
            spared_until = at + READY_WITHIN + fault.length
        # Two faults of the store at once are one fault; those of single processes may meet it.
        at += draw.uniform(*BETWEEN) + (fault.length if is_first or kind in OF_STORE else 0.0)
    return faults


def _drawn(round: list[Kind], *, spares_store: bool) -> Kind:
    """The next of a round, which is left without it."""
    spared = [index for index, kind in enumerate(round) if not (spares_store and kind in OF_STORE)]
    return round.pop(spared[-1] if spared else -1)


def _length(kind: Kind, roll: float, lease: float) -> float:
    if kind in MOMENTARY:
        return 0.0
    match kind:
        case Kind.PAUSE_WORKER:
            return lease * (1.6 + (LONGEST_PAUSE - 1.6) * roll)
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
