"""How large stored values may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are bytes of UTF-8; a value of exactly the limit is stored. An error that is longer is cut.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:", limits=Limits(payload=64 * 1024))
    """

    payload: int = 1024 * 1024
    result: int = 1024 * 1024
    meta: int = 16 * 1024
    error: int = 64 * 1024
    depth: int = 64
    """Containers inside containers; checked on the way in and on the way out."""
    bulk: int = 10_000
    """How many jobs one call may enqueue."""
