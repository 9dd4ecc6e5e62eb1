"""All series of one bucket, as a text."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import MsgspecError, Raw
from msgspec.json import Decoder

from windlass.core.figures.point import Point
from windlass.core.figures.row import SERIES_AT_MOST, pack, unpack
from windlass.core.figures.series import other_of, turn_of

Bucket = dict[str, Point]
"""Points by the names of their series."""

_POINT = Decoder(Point)


def read_bucket(text: str | None, wants: Callable[[str], bool] | None = None) -> Bucket:
    """A stored bucket; an empty one where there is none, or where it cannot be read.

    Without the series that are not wanted: to read them takes nearly all of the time.
    """
    if text is None:
        return {}
    if wants is None:
        return unpack(text, dict[str, Point]) or {}
    try:
        return {name: _POINT.decode(raw) for name, raw in (unpack(text, dict[str, Raw]) or {}).items() if wants(name)}
    except MsgspecError:
        return {}


def write_bucket(bucket: Bucket) -> str:
    return pack(bucket)


def add_to(bucket: Bucket, points: Bucket, *, most: int = SERIES_AT_MOST) -> None:
    """Add points to a bucket. A series for which there is no room goes into the one for others of its kind."""
    for name in sorted(points, key=turn_of):
        has_room = name in bucket or len(bucket) < most
        kept = name if has_room else other_of(name)
        if kept not in bucket:
            bucket[kept] = Point()
        bucket[kept].merge(points[name])
