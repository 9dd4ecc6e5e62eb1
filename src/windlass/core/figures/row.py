"""What one worker has gathered since its last row."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TypeVar
from zlib import compress, decompress, error

import msgspec
from msgspec import Struct, field

from windlass.core.figures.point import Point

SERIES_AT_MOST = 1_000
"""How many series a bucket has; a row has as many pairs of queue and task."""

R = TypeVar("R")


class Arrival(Struct, frozen=True, array_like=True):
    """Jobs that were enqueued at about the same time, and whose first attempt has ended since."""

    at: int
    """The beginning of their bucket of the finest level."""
    queue: str
    task: str
    number: int


class Row(Struct, array_like=True):
    """Counts and times of one process."""

    worker: str
    """Its name; empty for a process that runs no jobs."""
    jobs: list[tuple[str, str, Point]] = field(default_factory=list)
    """By queue and task."""
    arrivals: list[Arrival] = field(default_factory=list)
    schedules: dict[str, Point] = field(default_factory=dict)


def pack(value: object) -> str:
    """Any figures as a text that every store can hold.

    >>> unpack(pack(Row("shop-1")), Row)
    Row(worker='shop-1', jobs=[], arrivals=[], schedules={})
    """
    return b64encode(compress(msgspec.json.encode(value), 6)).decode()


def unpack(text: str, kind: type[R]) -> R | None:
    """What was packed; None where the text is damaged, or written by a later release in another form."""
    try:
        return msgspec.json.decode(decompress(b64decode(text)), type=kind)
    except (ValueError, error, msgspec.MsgspecError):
        return None
