"""JSON values to text and back, strictly; numbers that every reader can hold."""

from __future__ import annotations

import json
from math import isfinite
from typing import TypeVar

import msgspec

from windlass.core.codec.rejection import Rejection
from windlass.core.codec.stored_text.seal import bare, opened
from windlass.errors import PayloadError

T = TypeVar("T")

_ENCODER = msgspec.json.Encoder()


def to_json(value: object) -> bytes:
    """Compact UTF-8; equal values with their keys in the same order give equal bytes."""
    try:
        return _ENCODER.encode(value)
    except RecursionError:
        # Only where the depth is set far above the default.
        raise PayloadError("nested too deeply for Python's recursion limit") from None


def parse(text: str, decoder: msgspec.json.Decoder[T]) -> T:
    """Read ``text`` as the decoder's type; PayloadError for anything wrong, also a broken seal or repeated keys."""
    sealed = opened(text)
    stored = bare(text) if sealed is None else sealed
    try:
        value = decoder.decode(stored)
        # msgspec keeps the last of repeated keys. Text that has a seal is ours and has none, nor has text that msgspec
        # would write the same way: that check is cheaper than one of every key.
        if sealed is None and _ENCODER.encode(value) != stored:
            json.loads(stored, object_pairs_hook=_require_distinct)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise PayloadError(f"not valid stored JSON: {error}") from error
    return value


def _require_distinct(pairs: list[tuple[str, object]]) -> None:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("an object repeats a key")


WORD = 2**63
"""Integers from -WORD to below WORD are plain; not every language's JSON reader can hold more."""


def require_finite(value: float) -> float:
    """``value`` itself; Rejection for NaN and infinity, which JSON has no form for."""
    if not isfinite(value):
        raise Rejection("NaN and infinity cannot be stored")
    return value
