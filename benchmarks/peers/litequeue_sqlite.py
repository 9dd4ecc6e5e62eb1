"""litequeue: a bare loop of pop and done in a process of its own."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from threading import Event, Thread
from typing import Any

from benchmarks.channel import Child, serve
from benchmarks.figures import Figures
from benchmarks.peers.peer import PeerRound
from benchmarks.peers.tally import Tally
from benchmarks.timing import jobs_per_second, probe

_WARM_UP = 100
_PROBES_FIRST = 20
_POLL = 0.01
_MOST = 1_000
"""Jobs. It slows down with the length of its queue, so a longer one would make it look worse."""


def queue(folder: Path, variant: str) -> Any:
    """A queue on a file in this folder."""
    from litequeue import LiteQueue  # type: ignore[import-not-found]  # in the peers' environment only

    waiting = LiteQueue(folder / "litequeue.db")
    if variant == "full":
        waiting.conn.execute("PRAGMA synchronous = FULL")
    return waiting


def measure_drain(round: PeerRound) -> Figures:
    waiting, timed = queue(round.folder, round.variant), min(round.scale.peer_jobs, _MOST)
    _put_many(waiting, _WARM_UP + timed)
    with _worker(round, warm_up=_WARM_UP, timed=timed) as worker:
        worker.ask("start")
        figures: Figures = worker.ask("figures")
    return figures


def measure_enqueue(round: PeerRound) -> Figures:
    waiting = queue(round.folder, round.variant)

    def enqueue(index: int) -> int:
        waiting.put(str(index))
        return 1

    for index in range(_WARM_UP):
        enqueue(index)
    return {"jobs_per_second": jobs_per_second(enqueue, seconds=round.scale.enqueue_seconds)}


def measure_bulk(round: PeerRound) -> Figures:
    waiting, batch = queue(round.folder, round.variant), round.scale.bulk_batch
    _put_many(waiting, batch)
    rate = jobs_per_second(lambda _: _put_many(waiting, batch), seconds=round.scale.enqueue_seconds)
    return {"jobs_per_second": rate}


def measure_pick_up(round: PeerRound) -> Figures:
    waiting = queue(round.folder, round.variant)
    with _worker(round, warm_up=_PROBES_FIRST, timed=round.scale.probes) as worker:
        worker.ask("start")
        probe(lambda now: waiting.put(str(now)), _PROBES_FIRST + round.scale.probes)
        figures: Figures = worker.ask("figures")
    return figures


MEASURES = {
    "drain": measure_drain,
    "enqueue-one": measure_enqueue,
    "enqueue-bulk": measure_bulk,
    "pick-up-idle": measure_pick_up,
}


def _put_many(waiting: Any, count: int) -> int:
    with waiting.transaction():
        for _ in range(count):
            waiting.put("0")
    return count


def _worker(round: PeerRound, *, warm_up: int, timed: int) -> Child:
    return Child("benchmarks.peers.litequeue_sqlite", str(round.folder), round.variant, str(warm_up), str(timed))


def main(folder: str, variant: str, warm_up: str, timed: str) -> None:
    tally = Tally(warm_up=int(warm_up), timed=int(timed))
    waiting, stopped = queue(Path(folder), variant), Event()

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

    def start() -> dict[str, float]:
        thread.start()
        return {}

    serve({"start": start, "figures": tally.figures})
    stopped.set()
    thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
