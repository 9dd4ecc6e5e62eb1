"""Huey: a consumer with 8 threads in a process of its own, on a SQLite file or on Redis."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.peers.measuring import Measuring, Spot, work
from benchmarks.peers.tally import Tally

_THREADS = 8


class _Sender:
    def __init__(self, task: Any) -> None:
        self.send = task

    def send_many(self, count: int) -> None:
        for _ in range(count):
            self.send(0)


def queue(spot: Spot, ran: Callable[[int], None]) -> tuple[Any, Any]:
    """A Huey and its task."""
    from huey import RedisHuey, SqliteHuey  # type: ignore[import-not-found]  # in the peers' environment only

    def noop(sent: int) -> None:
        ran(sent)

    noop.__module__ = "bench"  # a task is found by module and name, and this module has two
    if spot.variant == "redis":
        huey = RedisHuey(spot.place.namespace, url=spot.place.url)
    else:
        huey = SqliteHuey(filename=str(spot.folder / "huey.db"), fsync=True)
    return huey, huey.task()(noop)


@contextmanager
def sender(spot: Spot) -> Iterator[_Sender]:
    _, task = queue(spot, print)
    yield _Sender(task)


@contextmanager
def worker(spot: Spot, tally: Tally) -> Iterator[None]:
    huey, _ = queue(spot, tally.ran)
    consumer = huey.create_consumer(workers=_THREADS)
    consumer.start()
    yield
    consumer.stop(graceful=True)


MEASURES = Measuring("benchmarks.peers.huey", sender, drained=lambda scale: scale.peer_jobs).measures()


if __name__ == "__main__":
    work(worker, sys.argv[1:])
