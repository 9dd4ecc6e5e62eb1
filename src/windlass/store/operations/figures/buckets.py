"""Reads buckets, writes them with the rows that went into them, and removes old ones."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

BUCKETS_AT_ONCE = 400
"""How many buckets one call reads."""
PRUNED_AT_ONCE = 1_000


class FigureBucket(Struct, frozen=True, array_like=True):
    """A bucket as it is stored."""

    step: int
    """Its length in milliseconds: its level."""
    at: int
    """When it begins."""
    data: str


class BucketRange(Struct, frozen=True, array_like=True):
    """The buckets of a level that begin at these instants or between them."""

    step: int
    first: int
    last: int


class FoundBuckets(Struct, frozen=True):
    """Buckets by level and time, and the revision at which they were read."""

    buckets: list[FigureBucket]
    revision: int


def buckets(ranges: Sequence[BucketRange], *, limit: int = BUCKETS_AT_ONCE) -> Operation[FoundBuckets]:
    """The buckets in these ranges, the first of them if there are more than ``limit``."""
    answer = yield Call("figures", {"ranges": list(ranges), "limit": limit}, Lane.READ)
    return FoundBuckets(records(answer["buckets"], FigureBucket), answer["state"][0][0])


def merge(changed: Sequence[FigureBucket], *, rows: Sequence[int], revision: int, grown: int) -> Operation[bool]:
    """Write buckets and remove the rows that went into them; false, and nothing is changed, if the store has another
    revision than the one at which both were read.

    A merge raises the revision, so one that is repeated after no reply changes nothing, and of two processes that merge
    at once one does. ``grown`` is by how many bytes the buckets are larger than those they replace.
    """
    params = {"changed": list(changed), "merged": list(rows), "revision": revision, "grown": grown}
    answer = yield Call("merge_figures", params)
    return "stale" not in answer


def prune(bounds: Sequence[tuple[int, int]], *, sources_before: int, limit: int = PRUNED_AT_ONCE) -> Operation[int]:
    """Remove buckets of each level (its step) that begin before an instant, ``limit`` of each at the most, and what is
    known of workers whose last row has a number below ``sources_before``; how many buckets were removed.

    Repeated after no reply, it goes on with the next.
    """
    params = {"bounds": list(bounds), "sources_before": sources_before, "limit": limit}
    answer = yield Call("prune_figures", params)
    return len(answer["pruned"])
