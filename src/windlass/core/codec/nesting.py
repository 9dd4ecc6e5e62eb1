"""The bound on containers inside containers."""

from __future__ import annotations

from windlass.core.codec.refusal import Refusal


def inside(room: int) -> int:
    """The room that is left inside one more container; Refusal if there is none."""
    if room <= 0:
        raise Refusal("nested deeper than the limit of levels, or contains itself")
    return room - 1
