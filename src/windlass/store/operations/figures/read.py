"""Reads a range of buckets together with the rows that are not merged yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from windlass.core.figures.bucket import Bucket, add_to, read_bucket
from windlass.core.figures.fold import fold
from windlass.core.figures.levels import Level
from windlass.core.figures.row import Row
from windlass.store.operation import Operation
from windlass.store.operations.figures.buckets import BUCKETS_AT_ONCE, BucketRange, FigureBucket, buckets
from windlass.store.operations.figures.roll_up import readable
from windlass.store.operations.figures.rows import ROWS_AT_ONCE, Unmerged, unmerged

_ROWS_READ = 2_000
"""How many rows that are not merged yet a reader takes in: those of a minute of sixty workers."""
_TRIES = 3


def figures_between(
    level: Level, first: int, last: int, *, wants: Callable[[str], bool] | None = None
) -> Operation[dict[int, Bucket]]:
    """The buckets of a level that begin at these instants or between them, by when they begin.

    What has no bucket was not watched: no process that does duties ran then, or its figures are no longer kept. Rows
    that no leader has merged yet are counted too. Where a leader merges meanwhile it is read again, a few times.
    ``wants`` says of which series stored figures are read.
    """
    for attempt in range(_TRIES):
        waiting = yield from _waiting()
        stored, revision = yield from _stored(level, first, last)
        if revision == waiting[0].revision or attempt == _TRIES - 1:
            break
    found = {bucket.at: read_bucket(bucket.data, wants) for bucket in stored}
    rows = [row for page in waiting for row in readable(page.rows)]
    for (_, at), points in fold(rows, now=waiting[0].now, levels=(level,)).items():
        if first <= at <= last:
            add_to(found.setdefault(at, {}), points)
    return found


def raw_rows(limit: int = ROWS_AT_ONCE) -> Operation[list[tuple[int, Row]]]:
    """What workers have gathered and no leader has merged yet, the oldest first."""
    found = yield from unmerged(limit=limit)
    return readable(found.rows)


def _waiting() -> Operation[list[Unmerged]]:
    pages = [(yield from unmerged())]
    while len(pages[-1].rows) == ROWS_AT_ONCE and len(pages) * ROWS_AT_ONCE < _ROWS_READ:
        pages.append((yield from unmerged(skip=len(pages) * ROWS_AT_ONCE)))
    return pages


def _stored(level: Level, first: int, last: int) -> Operation[tuple[list[FigureBucket], int]]:
    stored: list[FigureBucket] = []
    revision = 0
    for part in _parts(level, first, last):
        found = yield from buckets([part])
        stored += found.buckets
        revision = found.revision
    return stored, revision


def _parts(level: Level, first: int, last: int) -> Iterator[BucketRange]:
    """The range in parts of as many buckets as one call reads."""
    length = level.step * BUCKETS_AT_ONCE
    for begin in range(first, last + 1, length):
        yield BucketRange(level.step, begin, min(begin + length - level.step, last))
