"""A caller's process: enqueues until SIGTERM. ``python -m tests.torture.producer '{"seed": 7, ...}'``."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from queue import Full, Queue
from random import Random
from threading import Event, Thread
from typing import Any

import tests.torture.flows.tasks  # requests are checked against their tasks
import tests.torture.leases.tasks  # noqa: F401
from tests.torture.fleet import STUCK
from tests.torture.tasks import app, asking
from tests.torture.traffic.tasks import take_token
from tests.torture.witness import now
from tests.torture.workload import Spice, Workload
from windlass import Job, State, StoreUnavailable, WindlassError
from windlass.task import Request

RECOVERY = 60.0
"""Seconds within which a caller can enqueue again once the store is back."""
MOST_WAITING = 120
"""Jobs that may wait in the store: a run ends soon after its last fault."""


class Alarm(Exception):
    """Raised by a signal wherever the caller is, also in the middle of our own code."""


class Producer:
    """Enqueues batch after batch, repeats what the store was not sure of, and waits for some of the results."""

    def __init__(self, *, seed: int, caller: str, spices: list[Spice], rate: float) -> None:
        self._workload = Workload(app, seed=seed, caller=caller, spices=spices)
        self._caller = caller
        self._takes_tokens = Spice.RATES in spices
        self._pause = 1 / rate
        self._stop = Event()
        self._awaited: Queue[Job[Any]] = Queue(maxsize=20)
        self._alarms = Random(f"alarms-{seed}-{caller}") if Spice.ALARMS in spices else None

    def stop(self, *_: object) -> None:
        self._stop.set()

    def run(self) -> bool:
        """Until it is told to stop; whether it can still enqueue then."""
        Thread(target=self._wait_for_results, daemon=True).start()
        while not self._stop.is_set():
            try:
                self._produce()
            except (WindlassError, Alarm) as error:  # such as a holder of a key that is gone meanwhile
                print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        until = now() + RECOVERY
        return any(asking.enqueue(requests) for requests in takewhile(lambda _: now() < until, self._workload))

    def _produce(self) -> None:
        for number, requests in enumerate(self._workload):
            if number % 10 == 0:
                self._await_room()
            if self._takes_tokens and number % 3 == 0:
                take_token(self._caller)
            if self._stop.is_set():
                return
            with self._alarmed():
                self._send(requests)
            self._stop.wait(self._pause)

    @contextmanager
    def _alarmed(self) -> Iterator[None]:
        """Now and then the block is interrupted, within a few milliseconds."""
        if self._alarms is not None and self._alarms.random() < 0.2:
            signal.setitimer(signal.ITIMER_REAL, self._alarms.uniform(0.0001, 0.005))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

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
                counts = app.counts()
                if counts[State.PENDING] + counts[State.BLOCKED] < MOST_WAITING:
                    return
            except StoreUnavailable:
                pass
            self._stop.wait(0.2)

    def _wait_for_results(self) -> None:
        while True:
            asking.wait(self._awaited.get(), seconds=20)


def ring(*_: object) -> None:
    raise Alarm


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    producer = Producer(
        seed=options["seed"],
        caller=options["caller"],
        spices=[Spice(spice) for spice in options["spices"]],
        rate=options["rate"],
    )
    signal.signal(signal.SIGTERM, producer.stop)
    signal.signal(signal.SIGALRM, ring)
    can_go_on = producer.run()
    app.close(wait=False)
    sys.exit(0 if can_go_on else STUCK)
