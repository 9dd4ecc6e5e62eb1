"""litequeue: a bare loop of pop and done in a process of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from benchmarks.peers.measuring import Measuring, Spot, work
from benchmarks.peers.tally import Tally

_POLL = 0.01
_MOST = 1_000
"""Jobs. It slows down with the length of its queue, so a longer one would make it look worse."""


class _Sender:
    def __init__(self, waiting: Any) -> None:
        self._waiting = waiting

    def send(self, sent: int) -> object:
        return self._waiting.put(str(sent))

    def send_many(self, count: int) -> None:
        with self._waiting.transaction():
            for _ in range(count):
                self._waiting.put("0")


def queue(spot: Spot) -> Any:
    """A queue on a file in the round's folder."""
    from litequeue import LiteQueue  # type: ignore[import-not-found]  # in the peers' environment only

    waiting = LiteQueue(spot.folder / "litequeue.db")
    if spot.variant == "full":
        waiting.conn.execute("PRAGMA synchronous = FULL")
    return waiting


@contextmanager
def sender(spot: Spot) -> Iterator[_Sender]:
    yield _Sender(queue(spot))


@contextmanager
def worker(spot: Spot, tally: Tally) -> Iterator[None]:
    waiting, stopped = queue(spot), Event()

    def loop() -> None:
        while not stopped.is_set():
            message = waiting.pop()
            if message is None:
                time.sleep(_POLL)
                continue
            sent = int(message.data)
            if sent:
                tally.ran(sent)  # picked up now; done() comes after
                waiting.done(message.message_id)
            else:
                waiting.done(message.message_id)
                tally.ran(0)

    thread = Thread(target=loop, daemon=True)
    thread.start()
    yield
    stopped.set()
    thread.join()


MEASURES = Measuring(
    "benchmarks.peers.litequeue_sqlite", sender, drained=lambda scale: min(scale.peer_jobs, _MOST)
).measures()


if __name__ == "__main__":
    work(worker, sys.argv[1:])
