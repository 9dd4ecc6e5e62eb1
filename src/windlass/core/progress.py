"""How far a run is, as its job shows it and as it is stored."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from windlass.core.codec import storable


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run says it is: from 0 to 1, and a short text."""

    value: float | None = None
    text: str | None = None


def read_progress(stored: str | None) -> Progress:
    """Progress as it was stored; what cannot be read shows nothing."""
    if stored is None:
        return Progress()
    try:
        return msgspec.json.decode(stored, type=Progress)
    except (msgspec.MsgspecError, ValueError):
        return Progress()


def write_progress(value: float | None, text: str | None) -> str:
    """Progress as it is stored."""
    return msgspec.json.encode({"value": value, "text": None if text is None else storable(text, 1024)}).decode()
