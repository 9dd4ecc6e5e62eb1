"""Asks workers to stop, and waits until they have."""

from __future__ import annotations

import sys

import click

from windlass import clock
from windlass.app import Windlass
from windlass.cli.errors import Interrupted
from windlass.cli.per_id_results import PerIdResults
from windlass.cli.views.message import jobs_counted
from windlass.errors import IllegalTransition
from windlass.insight.workers import WorkerView

_ASKED = "asked_to_stop"
_STOPPED = "stopped"
_PAUSE = 0.2


def unknown_worker(name: str) -> str:
    """The error for a worker that does not exist."""
    return f"no worker has the name or id {name!r}; see: windlass workers list"


class StoppedWorkers:
    """The workers that one command asks to stop, and what became of them; by their ids, which are unique."""

    def __init__(self, app: Windlass, *, by: str) -> None:
        self._app = app
        self._by = by
        self._ids: dict[str, set[str]] = {}
        """The workers that were asked, by the name or id that was given."""
        self.tally = PerIdResults({_ASKED: [], _STOPPED: []}, of="worker")

    def ask(self, name: str) -> None:
        """Ask all live workers of this name or id to stop."""
        found = [worker for worker in self._app.workers() if name in (worker.id, worker.name)]
        live = [worker for worker in found if worker.is_alive]
        try:
            if not found:
                self.tally.errors[name] = unknown_worker(name)
            elif not live:
                self._app.stop_worker(name, by=self._by)  # raises the reason
            else:
                self._ask(name, live)
        except IllegalTransition as error:
            self.tally.errors[name] = str(error)

    def _ask(self, name: str, live: list[WorkerView]) -> None:
        for worker in live:
            self._app.stop_worker(worker.id, by=self._by)  # a worker that is gone meanwhile has stopped
        self._ids[name] = {worker.id for worker in live}
        self.tally.done[_ASKED].append(name)
        running = _running(live)
        self.tally.notes[name] = f"; it has the grace time to finish {jobs_counted(running)}" if running else ""

    def wait(self, seconds: float) -> None:
        """Wait until the workers are gone."""
        until = clock.monotonic() + seconds
        if self._ids and sys.stderr.isatty():
            click.echo(f"waiting for {', '.join(self._ids)} to stop; Ctrl-C ends the waiting, not the stop", err=True)
        try:
            while self._still_there() and clock.monotonic() < until:
                clock.sleep(min(_PAUSE, max(0.0, until - clock.monotonic())))
        except KeyboardInterrupt:
            raise Interrupted(f"not waiting any more; still stopping: {', '.join(self._ids)}") from None
        for name, left in self._still_there().items():
            self.tally.done[_ASKED].remove(name)
            self.tally.errors[name] = f"worker {name} has not stopped within {seconds:g} s{_what_runs(left)}"

    def _still_there(self) -> dict[str, list[WorkerView]]:
        """The workers that are still there, by the given name; the others are printed."""
        there = {worker.id: worker for worker in self._app.workers()}
        left: dict[str, list[WorkerView]] = {}
        for name, ids in tuple(self._ids.items()):
            left[name] = [there[id] for id in ids if id in there]
            if not all(worker.is_alive for worker in left[name]):
                self._settle(name)
                self.tally.errors[name] = f"worker {name} was lost while it stopped; its jobs are rescued"
            elif not left[name]:
                self._settle(name)
                self.tally.done[_STOPPED].append(name)
        return {name: left[name] for name in self._ids}

    def _settle(self, name: str) -> None:
        del self._ids[name]
        self.tally.done[_ASKED].remove(name)
        self.tally.notes.pop(name, None)


def _running(workers: list[WorkerView]) -> int:
    """How many runs they report; a report may be damaged."""
    counts = [worker.info.get("running_count") for worker in workers]
    return sum(count for count in counts if isinstance(count, int))


def _what_runs(workers: list[WorkerView]) -> str:
    running = _running(workers)
    return f", and still runs {jobs_counted(running)}" if running else "; it goes on stopping"
