"""What peers measure, and the worker process that they measure it with; a peer's module only says how it does things.

A peer's ``Sender`` enqueues, and its ``Running`` worker, in a process of its own, tells a ``Tally`` of every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from benchmarks.channel import Child, serve
from benchmarks.figures import Figures
from benchmarks.peers.peer import PeerRound
from benchmarks.peers.tally import Tally
from benchmarks.place import Place
from benchmarks.scale import Scale
from benchmarks.server import Meter
from benchmarks.timing import jobs_per_second, probe

_WARM_UP = 100
_PROBES_FIRST = 20


class Sender(Protocol):
    """Enqueues jobs, each of which carries a number."""

    def send(self, sent: int) -> object:
        """Enqueue one job."""

    def send_many(self, count: int) -> object:
        """Enqueue jobs that carry 0, in the best way that the peer has."""


class Spot:
    """Where a peer works, and in which variant: what its sender and its worker need to find each other."""

    def __init__(self, folder: str, url: str, namespace: str, variant: str) -> None:
        self.folder = Path(folder)
        self.place = Place(url, namespace)
        self.variant = variant

    def arguments(self) -> tuple[str, str, str, str]:
        return str(self.folder), self.place.url, self.place.namespace, self.variant


Opened = Callable[[Spot], AbstractContextManager[Sender]]
Running = Callable[[Spot, Tally], AbstractContextManager[None]]
Measure = Callable[[PeerRound], Figures]


class Measuring:
    """The measurements of one peer. ``drained`` says how many jobs a drain is about."""

    def __init__(self, module: str, opened: Opened, *, drained: Callable[[Scale], int]) -> None:
        self._module = module
        self._opened = opened
        self._drained = drained

    def measures(self) -> Mapping[str, Measure]:
        return {
            "drain": self.drain,
            "enqueue-one": self.enqueue_one,
            "enqueue-bulk": self.enqueue_bulk,
            "pick-up-idle": self.pick_up_idle,
        }

    def drain(self, round: PeerRound) -> Figures:
        spot, timed = _spot(round), self._drained(round.scale)
        with self._opened(spot) as sender:
            sender.send_many(_WARM_UP + timed)
        with self._worker(spot, warm_up=_WARM_UP, timed=timed) as worker:
            meter = Meter(round.server)
            worker.ask("start")
            figures: Figures = worker.ask("figures")
            return {**figures, **meter.per_job(_WARM_UP + timed)}

    def enqueue_one(self, round: PeerRound) -> Figures:
        with self._opened(_spot(round)) as sender:

            def enqueue(index: int) -> int:
                sender.send(index)
                return 1

            for index in range(_WARM_UP):
                enqueue(index)
            return {"jobs_per_second": jobs_per_second(enqueue, seconds=round.scale.enqueue_seconds)}

    def enqueue_bulk(self, round: PeerRound) -> Figures:
        batch = round.scale.bulk_batch
        with self._opened(_spot(round)) as sender:

            def enqueue(index: int) -> int:
                sender.send_many(batch)
                return batch

            enqueue(0)
            return {"jobs_per_second": jobs_per_second(enqueue, seconds=round.scale.enqueue_seconds)}

    def pick_up_idle(self, round: PeerRound) -> Figures:
        spot, probes = _spot(round), round.scale.probes
        with self._opened(spot) as sender, self._worker(spot, warm_up=_PROBES_FIRST, timed=probes) as worker:
            worker.ask("start")
            probe(sender.send, _PROBES_FIRST + probes)
            figures: Figures = worker.ask("figures")
        return figures

    @contextmanager
    def _worker(self, spot: Spot, *, warm_up: int, timed: int) -> Iterator[Child]:
        with Child(self._module, *spot.arguments(), str(warm_up), str(timed)) as worker:
            yield worker


def _spot(round: PeerRound) -> Spot:
    return Spot(str(round.folder), round.place.url, round.place.namespace, round.variant)


def work(running: Running, arguments: list[str]) -> None:
    """The worker process of a peer: run it when asked, until the input ends."""
    *where, warm_up, timed = arguments
    tally = Tally(warm_up=int(warm_up), timed=int(timed))
    worker = running(Spot(*where), tally)

    def start() -> Mapping[str, float]:
        worker.__enter__()
        return {}

    serve({"start": start, "figures": tally.figures})
    worker.__exit__(None, None, None)
