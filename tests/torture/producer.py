"""A caller's process: enqueues until SIGTERM. ``python -m tests.torture.producer '{"seed": 7, ...}'``."""

from __future__ import annotations

import json
import signal
import sys
from contextlib import suppress
from queue import Full, Queue
from threading import Event, Thread
from typing import Any

from tests.torture.tasks import app, asking
from tests.torture.workload import Spice, Workload
from windlass import Job, State, StoreUnavailable, WindlassError
from windlass.task import Request

MOST_WAITING = 120
"""Jobs that may wait in the store: a run ends soon after its last fault."""


class Producer:
    """Enqueues batch after batch, repeats what the store was not sure of, and waits for some of the results."""

    def __init__(self, *, seed: int, caller: str, spices: list[Spice], rate: float) -> None:
        self._workload = Workload(app, seed=seed, caller=caller, spices=spices)
        self._pause = 1 / rate
        self._stop = Event()
        self._awaited: Queue[Job[Any]] = Queue(maxsize=20)

    def stop(self, *_: object) -> None:
        self._stop.set()

    def run(self) -> None:
        Thread(target=self._wait_for_results, daemon=True).start()
        for number, requests in enumerate(self._workload):
            if number % 10 == 0:
                self._await_room()
            if self._stop.is_set():
                return
            self._send(requests)
            self._stop.wait(self._pause)

    def _send(self, requests: list[Request]) -> None:
        jobs = asking.enqueue(requests)
        if jobs is None:  # what may have been stored is repeated once, under the same ids
            jobs = asking.enqueue(requests)
        if jobs is None:
            return
        with suppress(Full):
            self._awaited.put_nowait(jobs[0])
        for request, job in zip(requests, jobs, strict=True):
            if job.id != request.options.id and job.record.task == "unique":
                asking.key_is_held_by_finished(request, job)

    def _await_room(self) -> None:
        while not self._stop.is_set():
            try:
                if app.counts()[State.PENDING] < MOST_WAITING:
                    return
            except StoreUnavailable:
                pass
            self._stop.wait(0.2)

    def _wait_for_results(self) -> None:
        while True:
            asking.wait(self._awaited.get(), seconds=20)


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    producer = Producer(
        seed=options["seed"],
        caller=options["caller"],
        spices=[Spice(spice) for spice in options["spices"]],
        rate=options["rate"],
    )
    signal.signal(signal.SIGTERM, producer.stop)
    while not producer._stop.is_set():
        try:
            producer.run()
        except WindlassError as error:  # such as a holder of a key that is gone, or a store that went away meanwhile
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    app.close(wait=False)
