"""Concurrency keys: how many jobs of a task may hold the same key, and the jobs that wait for one.

Claims hold keys and block jobs, and whatever ends a run or takes a job away gives its key back: those calls do that
themselves. Here is what is declared, what is shown, and the walk that lets go what was left waiting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from windlass.core.limits.concurrency import stored_key
from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

GATES_AT_ONCE = 200
"""How many keys one call looks at."""
HOLDERS_SHOWN = 5
WAITING_COUNTED = 1000
"""So far jobs that wait for a key are counted."""


class KeyLine(Struct, frozen=True):
    """What a job with a concurrency key waits for."""

    holders: list[tuple[str, State]]
    """The first of the jobs that hold its key, by id: they run, or are to run next."""
    ahead: int
    """How many blocked jobs of the key come first, counted up to 1,000."""


NOTHING_KNOWN = KeyLine([], 0)


class KeyLimitRecord(Struct, frozen=True, array_like=True):
    """How many jobs of a task may hold the same key: what code declares, unless an operator says otherwise."""

    task: str
    declared: int | None = None
    concurrency: int | None = None
    changed_at: int | None = None
    changed_by: str | None = None


class BusyKeyRecord(NamedTuple):
    """A key that jobs hold; ``name`` is as it is stored, with its task."""

    name: str
    most: int
    """How many may hold it."""
    held: int
    waiting: int
    """How many wait for it, counted up to 1,000."""
    holders: list[tuple[str, State]]
    """The first of those that hold it, by id: they run, or are to run next."""


class KeyDrift(Struct, frozen=True, array_like=True):
    """A key whose counter was wrong: how many jobs held it by the counter, and how many did."""

    name: str
    counted: int
    held: int


def declare(limits: Mapping[str, int]) -> Operation[None]:
    """Say how many jobs of each task may hold the same key, as the code has it; what an operator said goes before it.

    Repeating it changes nothing. Where a limit has grown, jobs that wait are let go.
    """
    answer = yield Call("key_limits_declare", {"limits": sorted(limits.items())})
    if answer["changed"]:
        yield from unblock_all()


def limits(task: str | None = None) -> Operation[list[KeyLimitRecord]]:
    """The limits of one task's keys, or of all tasks that have some, by name."""
    answer = yield Call("key_limits", {"task": task}, Lane.READ)
    return records(answer["limits"], KeyLimitRecord)


def change(task: str, limit: int | None, *, by: str) -> Operation[None]:
    """Set how many jobs of a task may hold the same key, whatever the code says; None lets the code decide again.

    Jobs that may hold their key then are let go. Repeating it changes nothing but the time.
    """
    yield Call("key_limit_change", {"task": task, "concurrency": limit, "by": by})
    yield from unblock_all(of=stored_key(task, ""))


def busy(*, of: str = "", after: str = "", limit: int) -> Operation[list[BusyKeyRecord]]:
    """The next keys behind ``after`` that jobs hold, by name; ``of`` is what their names begin with."""
    given = {"after": max(of, after), "before": _behind(of), "limit": limit}
    answer = yield Call("busy_keys", {**given, "most": WAITING_COUNTED, "shown": HOLDERS_SHOWN}, Lane.READ)
    holders: dict[str, list[tuple[str, State]]] = {}
    for name, id, state in answer["holders"]:
        holders.setdefault(name, []).append((id, State(state)))
    return [
        BusyKeyRecord(name, most, held, waiting, holders.get(name, [])) for name, most, held, waiting in answer["keys"]
    ]


def mend_keys() -> Operation[list[KeyDrift]]:
    """Compare what is counted of keys with the jobs that hold them, and count again where they differ: a defect.
    Idempotent.
    """
    answer = yield Call("drifted_keys", {"limit": GATES_AT_ONCE}, Lane.READ)
    drifted = records(answer["drifted"], KeyDrift)
    if not drifted:
        return []
    answer = yield Call("recount_keys", {"keys": [(drift.name,) for drift in drifted]})
    return records(answer["drifted"], KeyDrift)


def unblock_all(*, of: str = "") -> Operation[int]:
    """Let go all jobs that wait for a key that is free; how many. ``of`` is what the names of the keys begin with."""
    let_go, after = 0, of
    while True:
        page = yield from unblock_page(after, before=_behind(of))
        let_go += page.let_go
        if page.next is None:
            return let_go
        after = page.next


class Unblocked(NamedTuple):
    """What was found at some of the gates."""

    let_go: int
    """How many jobs go on."""
    drifted: Sequence[KeyDrift]
    """Keys that jobs were said to hold which do not: a defect, or jobs that vanished."""
    next: str | None
    """Where to go on; None at the end."""


def unblock_page(after: str = "", *, before: str | None = None) -> Operation[Unblocked]:
    """Let go the jobs that wait for a key that is free, of the next keys behind ``after``.

    None is left waiting as long as every process that ends runs knows of keys. Repeating it changes nothing.
    """
    found = yield Call("gates_behind", {"after": after, "limit": GATES_AT_ONCE}, Lane.READ)
    behind = [name for (name,) in found["gates"]]
    gates = [name for name in behind if before is None or name < before]
    if not gates:
        return Unblocked(0, (), None)
    answer = yield Call("unblock", {"gates": [(name,) for name in gates]})
    return Unblocked(
        sum(number for (number,) in answer["let_go"]),
        records(answer.get("drifted", ()), KeyDrift),
        gates[-1] if len(gates) == GATES_AT_ONCE else None,
    )


def _behind(beginning: str) -> str | None:
    """The first name behind all that begin so; None: there is none.

    >>> _behind("sync\\n")
    'sync\\x0b'
    """
    return beginning[:-1] + chr(ord(beginning[-1]) + 1) if beginning else None


def key_line(seq: int, *, holders: int = HOLDERS_SHOWN) -> Operation[KeyLine]:
    """Who holds the key of a job, up to so many of them, and how many wait before it, if it is blocked."""
    answer = yield Call("key_line", {"seq": seq, "limit": holders}, Lane.READ)
    [(ahead,)] = answer["ahead"]
    return KeyLine([(id, State(state)) for id, state in answer["holders"]], ahead)
