"""Leaving word of what happened and belongs to no job."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.store.operation import Call, Lane, Operation


def notice(kind: str, rows: Sequence[tuple[str, str]], *, lane: Lane = Lane.WRITE) -> Operation[None]:
    """Write rows (worker, details as JSON text), all of one kind."""
    yield Call("notice", {"kind": kind, "notices": list(rows)}, lane)
