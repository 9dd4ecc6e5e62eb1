"""Merges all rows into buckets, and removes what is no longer kept."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.figures.bucket import Bucket, add_to, read_bucket, write_bucket
from windlass.core.figures.fold import Place, fold, spread
from windlass.core.figures.levels import FINEST, LEVELS
from windlass.core.figures.row import Row
from windlass.store.operation import Operation
from windlass.store.operations.figures.buckets import BucketRange, FigureBucket, buckets, merge, prune
from windlass.store.operations.figures.rows import ROWS_AT_ONCE, FigureRow, Unmerged, unmerged

MOST_BYTES = 48 * 2**20
"""How many bytes all buckets have at the most. Stores need a third more for them."""
_SOURCES_KEPT = 7 * 24 * 3600 * 1000
_TRIES = 5
_SHORTEST = 1 / 64


class RolledUp(Struct, frozen=True):
    """What a roll-up did."""

    rows: int
    """How many rows of workers it merged."""
    buckets: int
    """How many buckets it wrote."""
    pruned: int = 0
    """How many buckets it removed because they were too old, or because there were too many."""
    has_more: bool = False
    """Whether rows may be left."""


def roll_up(sampled: Bucket | None = None, *, pages: int = 1_000) -> Operation[RolledUp]:
    """Merge rows, a page at a time, and add points that were sampled just now.

    Any process may do it at any time: each page is one call, which is refused if another process has changed buckets
    since they were read. Then the page is read again.
    """
    rows = written = refused = 0
    while pages:
        found = yield from unmerged()
        if not found.rows and not sampled:
            break
        changed, grown = yield from _merged(found, sampled or {})
        done = yield from merge(changed, rows=[row.number for row in found.rows], revision=found.revision, grown=grown)
        if not done:
            refused += 1
            if refused == _TRIES:
                break  # another process does it
            continue
        pages, refused, sampled = pages - 1, 0, None
        rows, written = rows + len(found.rows), written + len(changed)
        if len(found.rows) < ROWS_AT_ONCE:
            break
    return RolledUp(rows, written, has_more=not pages or refused > 0)


def roll_up_once() -> Operation[RolledUp]:
    """Merge all rows, and remove what is no longer kept."""
    done = yield from roll_up()
    removed, _ = yield from remove_old()
    return replace(done, pruned=removed)


def remove_old(share: float = 1.0, *, most_bytes: int = MOST_BYTES) -> Operation[tuple[int, float]]:
    """Remove buckets that are no longer kept; how many, and the share of its time for which each level is kept now.

    While there are too many bytes this share becomes smaller, the same for all levels.
    """
    found = yield from unmerged(limit=0)
    if found.bytes > most_bytes:
        share = max(share * 0.9, _SHORTEST)
    elif found.bytes < 0.8 * most_bytes:
        share = min(share / 0.9, 1.0)
    bounds = [(level.step, found.now - round(level.kept * share) - level.step) for level in LEVELS]
    removed = yield from prune(bounds, sources_before=found.now - _SOURCES_KEPT)
    return removed, share


def _merged(found: Unmerged, sampled: Bucket) -> Operation[tuple[list[FigureBucket], int]]:
    """The buckets as they are with the rows, and by how many bytes they have grown."""
    added = fold(readable(found.rows), now=found.now)
    if sampled:
        for place, bucket in spread({FINEST.start(found.now): sampled}, now=found.now).items():
            add_to(added.setdefault(place, {}), bucket)
    stored = yield from _stored(added)
    changed: list[FigureBucket] = []
    grown = 0
    for place, points in sorted(added.items()):
        before = stored.get(place)
        bucket = read_bucket(before)
        add_to(bucket, points)
        text = write_bucket(bucket)
        changed.append(FigureBucket(*place, text))
        grown += len(text) - len(before or "")
    return changed, grown


def _stored(places: Mapping[Place, Bucket]) -> Operation[dict[Place, str]]:
    wanted = [BucketRange(step, at, at) for step, at in sorted(places)]
    found: dict[Place, str] = {}
    for first in range(0, len(wanted), ROWS_AT_ONCE):
        read = yield from buckets(wanted[first : first + ROWS_AT_ONCE])
        found.update(((bucket.step, bucket.at), bucket.data) for bucket in read.buckets)
    return found


def readable(rows: list[FigureRow]) -> list[tuple[int, Row]]:
    """Rows with their instants, without those that cannot be read."""
    return [(row.at, read) for row in rows if (read := row.read()) is not None]
