"""Keeping the tables small through which every job passes, where a store needs that."""

from __future__ import annotations

from windlass.store.operation import Call, Lane, Operation


def sweep() -> Operation[list[str]]:
    """Make room of what jobs have left behind on their way; the names of the tables that needed it."""
    answer = yield Call("swollen", {}, Lane.READ)
    swept = [str(table) for table, _, dead in answer["swollen"] if dead]
    for table in swept:
        yield Call(f"vacuum_{table}")
    return swept
