"""How much one call takes: a page ends at a number of jobs or of bytes.

Jobs may hold a mebibyte of payload, of result and of errors each, and a call has a deadline. So:

- Look-ups give the number and the size of each job (``Found``), never the jobs themselves. What deletes, cancels or
  retries needs no more; what needs whole jobs (lists, archives, moves) reads them by id, in portions.
- Writes go in portions too: SQLite rewrites a row, and PostgreSQL removes what it stored apart, by the byte.
- ``expired`` and ``awaited`` carry texts themselves, and end their own pages by their size. So do calls that read texts
  and give none of them: ``page`` with a text to look for, ``dead_groups``.
- A claim is bounded by the worker (``worker/fetch/claim_size.py``), one by hand by ``manual_claim.claim_many``: on the
  way that every job goes, no statement may read sizes before it takes.
- A page that fails while the store answers was too large: it is halved, and a single job that fails is passed by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from msgspec import Struct

from windlass.errors import StoreUnavailable
from windlass.store.operation import Call, Operation

PAGE = 500
"""How many jobs one call of a bulk operation touches at the most."""

PAGE_BYTES = 4 * 2**20
"""At how many bytes of users' texts a page ends; one job may hold more."""


_PASSED_BY = 3
"""How many jobs in a row are passed by because none of them gets through by itself."""


class Sized(Protocol):
    @property
    def size(self) -> int: ...


S = TypeVar("S", bound=Sized)


class Found(Struct, frozen=True, array_like=True):
    """A job that a look-up found, and about how many bytes it holds."""

    seq: int
    id: str
    size: int


def portions(found: Iterable[S], *, rows: int = PAGE, bytes: int = PAGE_BYTES) -> Iterator[list[S]]:
    """What was found, in order, in parts that one call can carry; each has at least one.

    >>> [len(part) for part in portions([Found(n, "", 3) for n in range(5)], bytes=6)]
    [2, 2, 1]
    """
    portion: list[S] = []
    size = 0
    for one in found:
        if portion and (size + one.size > bytes or len(portion) == rows):
            yield portion
            portion, size = [], 0
        portion.append(one)
        size += one.size
    if portion:
        yield portion


class PageSize:
    """How many jobs the next page takes: fewer after one that failed, more again after one that got through."""

    def __init__(self) -> None:
        self.rows = PAGE
        self._passed_by = 0

    def failed(self, page: int, error: Exception) -> bool:
        """A page of so many jobs failed: whether to go on behind it, because it cannot be smaller.

        Raises the error where one job after another fails: then it is not the jobs.
        """
        self.rows = max(1, page // 2)
        if page > 1:
            return False
        self._passed_by += 1
        if self._passed_by > _PASSED_BY:
            raise error
        return True

    def succeeded(self) -> None:
        self.rows = min(PAGE, self.rows * 2)
        self._passed_by = 0


def answers() -> Operation[bool]:
    """Whether the store carries out a write that changes nothing: then a call that failed was too much for it."""
    try:
        yield Call("resign", {"duty": "", "holder": "-", "term": 0})
    except StoreUnavailable:
        return False
    return True
