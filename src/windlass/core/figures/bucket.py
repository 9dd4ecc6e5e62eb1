"""All series of one bucket, as a text."""

from __future__ import annotations

from windlass.core.figures.point import Point
from windlass.core.figures.row import SERIES_AT_MOST, pack, unpack
from windlass.core.figures.series import other_of, turn_of

Bucket = dict[str, Point]
"""Points by the names of their series."""


def read_bucket(text: str | None) -> Bucket:
    """A stored bucket; an empty one where there is none, or where it cannot be read."""
    return {} if text is None else unpack(text, dict[str, Point]) or {}


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
