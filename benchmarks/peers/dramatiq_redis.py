"""Dramatiq: one worker with 8 threads in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.peers.measuring import Measuring, Spot, work
from benchmarks.peers.tally import Tally

_THREADS = 8


class _Sender:
    def __init__(self, actor: Any) -> None:
        self.send = actor.send

    def send_many(self, count: int) -> None:
        for _ in range(count):
            self.send(0)


def broker_and_actor(spot: Spot, ran: Callable[[int], None]) -> tuple[Any, Any]:
    """A broker with its usual middleware, and an actor."""
    import dramatiq  # type: ignore[import-not-found]  # in the peers' environment only
    from dramatiq.brokers.redis import RedisBroker  # type: ignore[import-not-found]

    broker = RedisBroker(url=spot.place.url, namespace=spot.place.namespace)

    def noop(sent: int) -> None:
        ran(sent)

    return broker, dramatiq.actor(noop, broker=broker)


@contextmanager
def sender(spot: Spot) -> Iterator[_Sender]:
    broker, actor = broker_and_actor(spot, print)
    yield _Sender(actor)
    broker.close()


@contextmanager
def worker(spot: Spot, tally: Tally) -> Iterator[None]:
    import dramatiq

    broker, _ = broker_and_actor(spot, tally.ran)
    running = dramatiq.Worker(broker, worker_threads=_THREADS)
    running.start()
    yield
    running.stop()
    broker.close()


MEASURES = Measuring("benchmarks.peers.dramatiq_redis", sender, drained=lambda scale: scale.peer_jobs).measures()


if __name__ == "__main__":
    work(worker, sys.argv[1:])
