"""Everything at a glance."""

from __future__ import annotations

from dataclasses import dataclass

from windlass.cli.screen import Cell, Screen, Styled
from windlass.cli.views.queue import draw_queues, pause_data, paused, queue_data
from windlass.cli.views.style import STATE_STYLES
from windlass.cli.views.worker import draw_workers, worker_data
from windlass.overview import Overview
from windlass.version import VERSION


@dataclass(frozen=True, slots=True)
class Status:
    """The store, jobs by state, queues, workers, and what needs a hand."""

    store: str
    overview: Overview

    def data(self) -> object:
        return {
            "version": VERSION,
            "store": self.store,
            "counts": {str(state): count for state, count in self.overview.counts.items()},
            "queues": [queue_data(queue) for queue in self.overview.queues],
            "workers": [worker_data(worker) for worker in self.overview.workers],
            "all_paused": pause_data(self.overview.everywhere),
            "unserved": self._unserved(),
        }

    def draw(self, screen: Screen) -> None:
        screen.line(Styled("Windlass", "bold"), f" {VERSION}  ", Styled(self.store, "dim"))
        screen.line(*self._counts())
        if self.overview.queues:
            screen.line("")
            draw_queues(screen, self.overview.queues)
        screen.line("")
        if self.overview.workers:
            draw_workers(screen, self.overview.workers)
        else:
            screen.line(Styled("no workers", "yellow"))
        for warning in self._warnings():
            screen.line(Styled(warning, "bold red"))

    def _counts(self) -> list[Cell]:
        counted = [(state, count) for state, count in self.overview.counts.items() if count]
        if not counted:
            return ["no jobs yet"]
        cells: list[Cell] = []
        for state, count in counted:
            cells += [Styled(f"{count:,} {state}", STATE_STYLES[state]), "   "]
        return cells[:-1]

    def _warnings(self) -> list[str]:
        warnings = [f"queue {name} has jobs that are ready, but no worker serves it" for name in self._unserved()]
        if self.overview.everywhere.paused:
            warnings.append(f"all queues are {paused(self.overview.everywhere)}")
        return warnings

    def _unserved(self) -> list[str]:
        return [queue.name for queue in self.overview.queues if queue.is_unserved]
