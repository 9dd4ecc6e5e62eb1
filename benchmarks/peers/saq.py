"""SAQ: a worker with 10 jobs at once in a process of its own, on Redis or on PostgreSQL."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.peers.measuring import Measuring, Spot, work
from benchmarks.peers.own_loop import own_loop, wait_for
from benchmarks.peers.tally import Tally


class _Sender:
    def __init__(self, queue: Any, runner: asyncio.Runner) -> None:
        self._queue = queue
        self._runner = runner

    def send(self, sent: int) -> object:
        return self._runner.run(self._queue.enqueue("noop", sent=sent))

    def send_many(self, count: int) -> None:
        self._runner.run(self._send_all(count))

    async def _send_all(self, count: int) -> None:
        for _ in range(count):
            await self._queue.enqueue("noop", sent=0)


def _queue(spot: Spot) -> Any:
    from saq import Queue  # type: ignore[import-not-found]  # in the peers' environment only

    return Queue.from_url(spot.place.url, name=spot.place.namespace)


@contextmanager
def sender(spot: Spot) -> Iterator[_Sender]:
    with asyncio.Runner() as runner:
        queue = _queue(spot)
        runner.run(queue.connect())
        yield _Sender(queue, runner)
        runner.run(queue.disconnect())


@contextmanager
def worker(spot: Spot, tally: Tally) -> Iterator[None]:
    from saq import Worker

    async def noop(context: Any, *, sent: int) -> None:
        tally.ran(sent)

    async def started() -> tuple[Any, asyncio.Task[None]]:
        queue = _queue(spot)
        await queue.connect()
        running = Worker(queue, functions=[("noop", noop)])
        running.SIGNALS = []  # only a main thread may handle signals
        return running, asyncio.create_task(running.start())

    async def stopped() -> None:
        await running.stop()
        await task

    with own_loop() as loop:
        running, task = wait_for(loop, started())
        yield
        wait_for(loop, stopped())


MEASURES = Measuring("benchmarks.peers.saq", sender, drained=lambda scale: scale.peer_jobs).measures()


if __name__ == "__main__":
    work(worker, sys.argv[1:])
