"""What callers ask for: an endless mix of requests, drawn from a seed."""

from __future__ import annotations

import signal
from collections.abc import Collection, Iterator
from enum import StrEnum
from random import Random
from typing import Any

from tests.torture.flows import setting as flows
from tests.torture.leases.setting import REMOTE, arguments
from tests.torture.traffic.setting import CONCURRENCY_KEYS, KEY_LIMITS, METERED, NARROW, RATED
from tests.torture.witness import now
from windlass import Unique, Windlass
from windlass.task import Request


class Spice(StrEnum):
    """Kinds of jobs that are hard to digest; a run may do without some of them."""

    POISON = "poison"
    CHILD_POISON = "poison in children"
    LIMITS = "time limits"
    LARGE = "large payloads"
    UNIQUE = "unique keys"
    ONCE = "one attempt"
    ALARMS = "callers interrupted by signals"
    FAMILIES = "jobs that enqueue and wait"
    GATES = "limits on what runs"
    KEYS = "concurrency keys"
    RATES = "rates"
    SCHEDULES = "schedules"
    FLOWS = "chains, graphs and groups"
    STEPS = "durable steps and events"
    LEASES = "claims over HTTP"


QUEUES = ("default", *(f"q{number}" for number in range(40)))
OWN = "own"
"""The last part of the names of queues that only one slot of the fleet serves."""
BRIEF = "brief"
"""The queue whose finished jobs are cleaned away."""

KEYED = {"unique": Unique(), "started": Unique(until="started")}
"""Tasks whose jobs have a unique key, their argument, and how long that is held."""
KEYS = 4
"""How many keys each of them has."""
OF_CALLERS = (8, 9)
"""Keys of ``started`` that no producer asks for: only the callers of open transactions do, and their runs are long."""
LONGEST_DELAY = 2.0
"""Seconds until a job is due, at the most."""

LONG = ("long", "along")
"""Tasks that are still at work when a worker is resumed that lost them, and end there at once. Their jobs come before
others, so that they have begun anew by then.
"""
SOON = 10
"""The priority of jobs that are to begin before others."""
RESTLESS = ("failing", "snoozing", "limited", "alimited", "ilimited", "metered", "ametered")
"""Tasks whose runs end in another way than by returning, mostly, and are followed by another."""

FREE = ("quick-", "aquick-", "brief-")
"""How the ids of jobs begin that may run as soon as they are due."""

_QUICK = {"quick": 30, "aquick": 20, "iquick": 8, "brief": 20}
_SLOW = {"slow": 6, "aslow": 6, "islow": 2, "long": 4, "along": 4, "failing": 8}
_ALWAYS: dict[str, float] = {**_QUICK, **_SLOW}
_SPICED: dict[Spice, dict[str, float]] = {
    Spice.POISON: {"poison": 1},
    Spice.CHILD_POISON: {"ipoison": 1},
    Spice.LIMITS: {"limited": 3, "ilimited": 1, "alimited": 2},
    Spice.LARGE: {"large": 3},
    Spice.UNIQUE: {"unique": 4, "started": 4},
    Spice.ALARMS: {},
    Spice.ONCE: {"once": 3},
    Spice.FAMILIES: {"parent": 3, "iparent": 1, "snoozing": 2},
    Spice.GATES: {},
    Spice.KEYS: {"keyed": 1, "apaired": 1},
    Spice.RATES: {"metered": 1},
    Spice.SCHEDULES: {},
    Spice.FLOWS: {},
    Spice.STEPS: {},
    Spice.LEASES: {REMOTE: 12},
}
_HERDS: dict[Spice, tuple[str, ...]] = {
    Spice.GATES: (NARROW,),
    Spice.KEYS: tuple(KEY_LIMITS),
    Spice.RATES: (RATED, *METERED),
    Spice.FLOWS: (flows.CHAIN, flows.DIAMOND, flows.GROUP),
    Spice.STEPS: (flows.STEPS, flows.RACE, flows.RACE),
}
"""What many jobs at once press against: a queue, a key of a task, or a limit of which a task takes tokens; or what they
are together.
"""
HERD = 10
"""Jobs that come at once."""
_HERD_SHARE = 0.35
"""Of all batches."""


def is_isolated(id: str) -> bool:
    """Whether the job runs in a child process; its id begins with the name of its task."""
    return id.startswith("i")


class Workload:
    """The requests of one caller."""

    def __init__(self, app: Windlass, *, seed: int, caller: str, spices: Collection[Spice]) -> None:
        self._app = app
        self._draw = Random(f"{seed}-{caller}")
        self._caller = caller
        self._shares: dict[str, float] = {
            **_ALWAYS,
            **{k: v for spice in sorted(spices) for k, v in _SPICED[spice].items()},
        }
        self._herds = [of for spice in sorted(spices) for of in _HERDS.get(spice, ())]
        self._number = 0

    def __iter__(self) -> Iterator[list[Request]]:
        """Batches: mostly one request, at times many, and at times a herd."""
        while True:
            if self._herds and self._draw.random() < _HERD_SHARE:
                yield self._herd()
            else:
                yield [self._request() for _ in range(self._draw.choice((1, 1, 1, 1, 2, 5, 20)))]

    def _herd(self) -> list[Request]:
        """Many jobs that all wait for the same thing."""
        of, seconds = self._draw.choice(self._herds), self._draw.choice((0.05, 0.1, 0.2))
        if of in flows.KINDS:
            self._number += 1
            name = f"{self._caller}-{self._number}"
            return flows.requests(self._app, of, name, self._draw, queue=lambda: self._draw.choice(QUEUES))
        if of in KEY_LIMITS:
            key = self._draw.randrange(CONCURRENCY_KEYS)
            return [self._of_herd(of, (key, seconds), self._draw.choice(QUEUES)) for _ in range(HERD)]
        if of in METERED:
            return [self._of_herd(of, (number,), self._draw.choice(QUEUES)) for number in range(HERD)]
        return [self._of_herd(self._draw.choice(("slow", "aslow")), (seconds,), of) for _ in range(HERD)]

    def _of_herd(self, task: str, arguments: tuple[object, ...], queue: str) -> Request:
        self._number += 1
        return self._app.request(task, arguments, id=f"{task}-{self._caller}-{self._number}", queue=queue)

    def _request(self) -> Request:
        self._number += 1
        [task] = self._draw.choices(list(self._shares), weights=list(self._shares.values()))
        options: dict[str, Any] = {
            "id": f"{task}-{self._caller}-{self._number}",
            "priority": self._draw.choice((0, 0, 0, 5, -5)),
        }
        if task in LONG:
            options["priority"] = SOON
        if task not in (BRIEF, REMOTE):
            options["queue"] = self._draw.choice(QUEUES)
        if self._draw.random() < 0.15 and task not in KEYED:
            options["delay"] = self._draw.uniform(0.1, LONGEST_DELAY)
        return self._app.request(task, self._arguments(task), **options)

    def _arguments(self, task: str) -> tuple[object, ...]:
        draw = self._draw
        match task:
            case "limited" | "ilimited" | "alimited":
                return ()
            case "remote":
                return arguments(draw)
            case "slow" | "islow" | "aslow" | "once":
                return (draw.choice((0.1, 0.3, 1.0, 2.0)),)
            case "long" | "along":
                return (draw.choice((4.0, 6.0)),)
            case "large":
                return ("x" * draw.choice((20_000, 100_000, 400_000)),)
            case "failing":
                return (draw.choice((1, 2, 9)), draw.choice((0.0, 0.3, 1.0)))
            case "snoozing":
                return (now() + draw.uniform(0.2, 2.0),)
            case "unique" | "started":
                return (draw.randrange(KEYS),)
            case "keyed" | "apaired":
                return (draw.randrange(CONCURRENCY_KEYS), draw.choice((0.0, 0.3, 1.0)))
            case "poison" | "ipoison":
                return (draw.choice((0.0, 0.03, 0.7)), int(draw.choice((0, signal.SIGKILL, signal.SIGABRT))))
            case _:
                return (self._number,)
