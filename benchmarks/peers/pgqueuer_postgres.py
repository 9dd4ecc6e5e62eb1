"""pgqueuer: one process that runs async jobs on a connection of asyncpg, in batches of 10 or of 100."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.peers.measuring import Measuring, Spot, work
from benchmarks.peers.own_loop import own_loop, wait_for
from benchmarks.peers.tally import Tally

_BULK = 10_000


class _Sender:
    def __init__(self, queries: Any, runner: asyncio.Runner) -> None:
        self._queries = queries
        self._runner = runner

    def send(self, sent: int) -> object:
        return self._runner.run(self._queries.enqueue("noop", str(sent).encode()))

    def send_many(self, count: int) -> None:
        for first in range(0, count, _BULK):
            batch = min(_BULK, count - first)
            self._runner.run(self._queries.enqueue(["noop"] * batch, [b"0"] * batch, [0] * batch))


@contextmanager
def sender(spot: Spot) -> Iterator[_Sender]:
    """Queries on a connection, in a database that has just been given the tables."""
    import asyncpg  # type: ignore[import-not-found, import-untyped, unused-ignore]  # in the peers' environment only
    import uvloop  # type: ignore[import-not-found]
    from pgqueuer.db import AsyncpgDriver  # type: ignore[import-not-found]
    from pgqueuer.queries import Queries  # type: ignore[import-not-found]

    async def opened() -> tuple[Any, Any]:
        connection = await asyncpg.connect(spot.place.url)
        queries = Queries(AsyncpgDriver(connection))
        await queries.install()
        return connection, queries

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        connection, queries = runner.run(opened())
        yield _Sender(queries, runner)
        runner.run(connection.close())


@contextmanager
def worker(spot: Spot, tally: Tally) -> Iterator[None]:
    """A manager that runs jobs, with the event loop that its own command uses."""
    import asyncpg
    import uvloop
    from pgqueuer import PgQueuer  # type: ignore[import-not-found]
    from pgqueuer.db import AsyncpgDriver

    async def started() -> tuple[Any, asyncio.Task[None]]:
        manager = PgQueuer(AsyncpgDriver(await asyncpg.connect(spot.place.url)))

        @manager.entrypoint("noop")  # type: ignore[untyped-decorator]
        async def noop(job: Any) -> None:
            tally.ran(int(job.payload))

        return manager, asyncio.create_task(manager.run(batch_size=int(spot.variant)))

    async def stopped() -> None:
        manager.shutdown.set()
        await running

    with own_loop(uvloop.new_event_loop) as loop:
        manager, running = wait_for(loop, started())
        yield
        wait_for(loop, stopped())


MEASURES = Measuring("benchmarks.peers.pgqueuer_postgres", sender, drained=lambda scale: scale.drain_jobs).measures()


if __name__ == "__main__":
    work(worker, sys.argv[1:])
