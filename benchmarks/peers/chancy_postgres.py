"""Chancy: a worker with 50 async jobs at once in a process of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.peers.chancy_job import TOLD
from benchmarks.peers.measuring import Measuring, Spot, work
from benchmarks.peers.own_loop import own_loop, wait_for
from benchmarks.peers.tally import Tally

_AT_ONCE = 50


class _Sender:
    def __init__(self, chancy: Any, runner: asyncio.Runner) -> None:
        self._chancy = chancy
        self._runner = runner

    def send(self, sent: int) -> object:
        return self._runner.run(self._chancy.push(_job(sent)))

    def send_many(self, count: int) -> None:
        self._runner.run(self._push_many(count))

    async def _push_many(self, count: int) -> None:
        async for _ in self._chancy.push_many([_job(0)] * count):
            pass


def _job(sent: int) -> Any:
    from chancy import Job  # type: ignore[import-not-found]  # in the peers' environment only

    return Job(func="benchmarks.peers.chancy_job.noop", kwargs={"sent": sent})


async def _opened(spot: Spot) -> Any:
    """Tables and a queue, if they are not there yet."""
    from chancy import Chancy, Queue

    chancy = await Chancy(spot.place.url).__aenter__()
    await chancy.migrate()
    queue = Queue(
        "default",
        concurrency=_AT_ONCE,
        executor="chancy.executors.asyncex.AsyncExecutor",
        eager_polling=True,
    )
    await chancy.declare(queue, upsert=True)
    return chancy


@contextmanager
def sender(spot: Spot) -> Iterator[_Sender]:
    with asyncio.Runner() as runner:
        chancy = runner.run(_opened(spot))
        yield _Sender(chancy, runner)
        runner.run(chancy.__aexit__(None, None, None))


@contextmanager
def worker(spot: Spot, tally: Tally) -> Iterator[None]:
    from chancy import Worker

    TOLD.append(tally)

    async def started() -> tuple[Any, Any]:
        chancy = await _opened(spot)
        running = Worker(chancy, register_signal_handlers=False)
        await running.start()
        return chancy, running

    async def stopped() -> None:
        await running.stop()
        await chancy.__aexit__(None, None, None)

    with own_loop() as loop:
        chancy, running = wait_for(loop, started())
        yield
        wait_for(loop, stopped())


MEASURES = Measuring("benchmarks.peers.chancy_postgres", sender, drained=lambda scale: scale.peer_jobs).measures()


if __name__ == "__main__":
    work(worker, sys.argv[1:])
