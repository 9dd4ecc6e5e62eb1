"""Concurrency keys: how many jobs of a task may hold the same key, and the jobs that wait for one.

Claims hold keys and block jobs, and whatever ends a run or takes a job away gives its key back: those calls do that
themselves. Here is what is declared, what is shown, and the walk that lets go what was left waiting.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from windlass.core.state import State
from windlass.store.operation import Call, Lane, Operation

GATES_AT_ONCE = 200
"""How many keys one call looks at."""
HOLDERS_SHOWN = 5


class KeyLine(Struct, frozen=True):
    """What a blocked job waits for."""

    holders: list[tuple[str, State]]
    """The first of the jobs that hold its key, by id: they run, or are to run next."""
    ahead: int
    """How many blocked jobs of the key come first, counted up to 1,000."""


NOTHING_KNOWN = KeyLine([], 0)


def declare(limits: Mapping[str, int]) -> Operation[None]:
    """Say how many jobs of each task may hold the same key, as the code has it; what an operator said goes before it.

    Repeating it changes nothing. Where a limit has grown, jobs that wait are let go.
    """
    answer = yield Call("key_limits_declare", {"limits": sorted(limits.items())})
    if answer["changed"]:
        yield from unblock_all()


def unblock_all() -> Operation[int]:
    """Let go all jobs that wait for a key that is free; how many."""
    let_go, after = 0, ""
    while True:
        number, next = yield from unblock_page(after)
        let_go += number
        if next is None:
            return let_go
        after = next


def unblock_page(after: str = "") -> Operation[tuple[int, str | None]]:
    """Let go the jobs that wait for a key that is free, of the next keys behind ``after``; how many, and where to go
    on, None at the end.

    None is left waiting as long as every process that ends runs knows of keys. Repeating it changes nothing.
    """
    found = yield Call("gates_behind", {"after": after, "limit": GATES_AT_ONCE}, Lane.READ)
    gates = [tuple(row) for row in found["gates"]]
    if not gates:
        return 0, None
    answer = yield Call("unblock", {"gates": gates})
    return sum(number for (number,) in answer["let_go"]), gates[-1][0] if len(gates) == GATES_AT_ONCE else None


def key_line(seq: int) -> Operation[KeyLine]:
    """Who holds the key that a blocked job waits for, and how many wait before it."""
    answer = yield Call("key_line", {"seq": seq, "limit": HOLDERS_SHOWN}, Lane.READ)
    [(ahead,)] = answer["ahead"]
    return KeyLine([(id, State(state)) for id, state in answer["holders"]], ahead)
