"""Endings that the store has not accepted yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from windlass.core.records import Claimed
from windlass.worker.fetch.claim_size import first_page
from windlass.worker.fetch.cycle_client import Ended


class UnsentEndings:
    """Keeps endings, in the order in which their runs ended, until the store has accepted them.

    Other threads read what it holds: its list is replaced, never changed.
    """

    def __init__(self) -> None:
        self._endings: list[Ended] = []
        self._asked_again: list[Ended] = []
        """Those that are sent once more, only to learn whether they were stale writes."""

    def __len__(self) -> int:
        return len(self._endings)

    def jobs(self) -> list[Claimed]:
        """The jobs whose endings wait."""
        return [job for _, job in self._endings]

    def add(self, ended: list[Ended]) -> None:
        """Take in the endings of runs that have ended since."""
        self._endings = self._endings + ended

    def page(self) -> list[Ended]:
        """As many of them, the oldest first, as one cycle can carry."""
        return first_page(self._endings)

    def accept(self, page: list[Ended], *, has_all_refusals: bool) -> list[Ended]:
        """Forget a page that the store has accepted; returns those of it about which nothing more can be learned.

        Where the store could not say which of them were stale writes, the others are sent again, once.
        """
        self._endings = self._endings[len(page) :]
        if has_all_refusals:
            return page
        asked = {id(ending) for ending, _ in self._asked_again}
        self._asked_again = [each for each in page if id(each[0]) not in asked]
        self._endings = self._asked_again + self._endings
        return [each for each in page if id(each[0]) in asked]

    def write_alone(self, write: Callable[[Ended], Collection[int] | None]) -> Iterator[tuple[Ended, Collection[int]]]:
        """Have ``write`` write them one by one, until it answers None; yields each with the answer."""
        while self._endings and (refused := write(self._endings[0])) is not None:
            written, self._endings = self._endings[0], self._endings[1:]
            yield written, refused
