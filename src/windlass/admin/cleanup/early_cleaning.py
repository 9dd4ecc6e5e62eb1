"""Removes finished jobs before their time where memory or disk run out: the oldest first, a bounded number at once."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from heapq import nsmallest
from pathlib import Path

import msgspec
from msgspec import Struct

from windlass.admin.cleanup.finished_line import FinishedLineCleaning, Step
from windlass.archive.writers import ArchiveWriter
from windlass.core.state import FINISHED
from windlass.store.operation import Operation
from windlass.store.operations import queues
from windlass.store.operations.events import record_store_events
from windlass.store.operations.figures.store_state import store_state
from windlass.store.operations.upkeep import prune
from windlass.store.operations.upkeep.prune import FinishedLine, Prunable

log = logging.getLogger("windlass.duties")

MOST = 5_000
"""Jobs that one round removes."""


class Fullness(Struct, frozen=True):
    """How full the store is."""

    of: str
    """``memory`` or ``disk``."""
    share: float
    """1.0 is full."""


def fullness(store: str) -> Operation[Fullness | None]:
    """Of Redis with a ``maxmemory``: its memory. Of a file: the disk on which it lies. Else None: it is not known.

    ``store`` is the name of the store, of a file its path.
    """
    if Path(store).is_file():
        return _disk(Path(store).parent)
    state = yield from store_state()
    most = state.get("max_memory", 0.0)
    return Fullness("memory", state.get("memory", 0.0) / most) if most else None


def _disk(folder: Path) -> Fullness:
    usage = shutil.disk_usage(folder)
    # What is kept back for the system is not free for the store.
    return Fullness("disk", usage.used / max(1, usage.used + usage.free))


class EarlyRound:
    """One round: finds the oldest finished jobs of all queues, then archives and deletes them.

    Jobs of flows, and those whose result is given to equal calls, stay as long as retention says.
    """

    def __init__(self, archive: ArchiveWriter | None, *, by: str, most: int = MOST) -> None:
        self._archive = archive
        self._by = by
        self._most = most
        self._lines: list[FinishedLineCleaning] = []
        self._oldest: list[tuple[Prunable, FinishedLine]] = []

    @property
    def deleted(self) -> int:
        return sum(line.deleted for line in self._lines)

    def steps(self) -> Iterator[Step]:
        """Short operations; each is run before the next is asked for."""
        lines: list[FinishedLine] = []
        yield self._begin(lines)
        for line in lines:
            yield self._look(line)
        chosen: dict[FinishedLine, list[Prunable]] = {}
        for job, line in self._oldest:
            chosen.setdefault(line, []).append(job)
        for line, jobs in chosen.items():
            cleaning = FinishedLineCleaning.of_known(line, jobs, self._archive, self._by)
            self._lines.append(cleaning)
            while not cleaning.is_done:
                yield cleaning.clean_page()

    def _begin(self, lines: list[FinishedLine]) -> Step:
        found = yield from queues.settings()
        lines += [FinishedLine(name, state) for name in found if name != queues.ALL for state in sorted(FINISHED)]

    def _look(self, line: FinishedLine) -> Step:
        jobs = yield from prune.prunable(line, age=0, beyond=None, limit=self._most, by=self._by)
        found = [*self._oldest, *((job, line) for job in jobs)]
        self._oldest = nsmallest(self._most, found, key=lambda one: one[0].position)


def record_early_cleaning(full: Fullness, deleted: int, *, by: str) -> Operation[None]:
    """A store event, which is shown as a notice, and a line in the log."""
    percent = round(full.share * 100)
    log.warning("%s is %d %% full: %s finished jobs were removed before their time", full.of, percent, deleted)
    detail = {"of": full.of, "percent": percent, "deleted": deleted}
    yield from record_store_events("cleaned_early", [(by, msgspec.json.encode(detail).decode())])


class EarlyCleaning(Struct):
    """When to clean early, and how full the store is."""

    above: Callable[[], float | None]
    """The share from which on it is done; None: never."""
    measure: Callable[[], Operation[Fullness | None]]

    def wanted(self) -> Operation[Fullness | None]:
        """How full it is, if that is too full; costs nothing where it is switched off."""
        above = self.above()
        if above is None:
            return None
        found = yield from self.measure()
        return found if found is not None and found.share > above else None
