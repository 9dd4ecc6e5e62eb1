"""Which numbers JSON can carry to every reader."""

from __future__ import annotations

from math import isfinite

from windlass.core.codec.refusal import Refusal

WORD = 2**63
"""Integers from -WORD to below WORD are plain; not every language's JSON reader can hold more."""


def require_finite(value: float) -> float:
    """``value`` itself; Refusal for NaN and infinity, which JSON has no form for."""
    if not isfinite(value):
        raise Refusal("NaN and infinity cannot be stored")
    return value
