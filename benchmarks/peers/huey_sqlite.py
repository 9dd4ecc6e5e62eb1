"""Huey on SQLite: a consumer with 8 threads in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.channel import Child, serve
from benchmarks.figures import Figures
from benchmarks.peers.peer import PeerRound
from benchmarks.peers.tally import Tally
from benchmarks.timing import jobs_per_second, probe

_THREADS = 8
_WARM_UP = 100
_PROBES_FIRST = 20


def queue(folder: Path, ran: Callable[[int], None]) -> tuple[Any, Any]:
    """A Huey on a file in this folder, and its task."""
    from huey import SqliteHuey  # type: ignore[import-not-found]  # in the peers' environment only

    def noop(sent: int) -> None:
        ran(sent)

    noop.__module__ = "bench"  # a task is found by module and name, and this module has two
    huey = SqliteHuey(filename=str(folder / "huey.db"), fsync=True)
    return huey, huey.task()(noop)


def measure_drain(round: PeerRound) -> Figures:
    _, noop = queue(round.folder, print)
    for _ in range(_WARM_UP + round.scale.peer_jobs):
        noop(0)
    with _worker(round, warm_up=_WARM_UP, timed=round.scale.peer_jobs) as worker:
        worker.ask("start")
        figures: Figures = worker.ask("figures")
    return figures


def measure_enqueue(round: PeerRound) -> Figures:
    _, noop = queue(round.folder, print)

    def enqueue(index: int) -> int:
        noop(index)
        return 1

    for index in range(_WARM_UP):
        enqueue(index)
    return {"jobs_per_second": jobs_per_second(enqueue, seconds=round.scale.enqueue_seconds)}


def measure_pick_up(round: PeerRound) -> Figures:
    _, noop = queue(round.folder, print)
    with _worker(round, warm_up=_PROBES_FIRST, timed=round.scale.probes) as worker:
        worker.ask("start")
        probe(noop, _PROBES_FIRST + round.scale.probes)
        figures: Figures = worker.ask("figures")
    return figures


MEASURES = {"drain": measure_drain, "enqueue-one": measure_enqueue, "pick-up-idle": measure_pick_up}


def _worker(round: PeerRound, *, warm_up: int, timed: int) -> Child:
    return Child("benchmarks.peers.huey_sqlite", str(round.folder), str(warm_up), str(timed))


def main(folder: str, warm_up: str, timed: str) -> None:
    tally = Tally(warm_up=int(warm_up), timed=int(timed))
    huey, _ = queue(Path(folder), tally.ran)
    consumer = huey.create_consumer(workers=_THREADS)

    def start() -> dict[str, float]:
        consumer.start()
        return {}

    serve({"start": start, "figures": tally.figures})
    consumer.stop(graceful=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
