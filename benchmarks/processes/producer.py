"""A producer that enqueues in batches as fast as it may, in a process of its own.

It holds back while enough of its jobs are waiting: a run in which the backlog only grows would measure producers, not a
system.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from threading import Event, Thread
from typing import Any

from benchmarks.channel import Child, serve
from benchmarks.place import Place
from benchmarks.subject import Subject
from windlass import Job

BATCH = 250
MOST_WAITING = 20
"""Batches."""


def producer_process(place: Place) -> Child:
    """A producer: ``start``, then ``stop``, which tells how many jobs it has ``enqueued``."""
    return Child("benchmarks.processes.producer", place.url, place.namespace)


class Producer:
    """Enqueues until it is stopped."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._stopped = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._waiting: deque[Job[Any]] = deque()
        """The last job of each batch that may not have run yet. Jobs run in order, so one row tells of a batch."""
        self._enqueued = 0
        self._error: BaseException | None = None

    def start(self) -> dict[str, int]:
        self._thread.start()
        return {}

    def stop(self) -> dict[str, int]:
        self._stopped.set()
        self._thread.join()
        if self._error is not None:
            raise self._error
        return {"enqueued": self._enqueued}

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                self._produce()
        except BaseException as error:  # handed over to whoever stops it
            self._error = error

    def _produce(self) -> None:
        if len(self._waiting) == MOST_WAITING:
            if not self._waiting[0].refresh().done:
                time.sleep(0.002)
                return
            self._waiting.popleft()
        stored = self._subject.noops["async"].enqueue_many([(index,) for index in range(BATCH)])
        self._waiting.append(stored[-1])
        self._enqueued += BATCH


def main(url: str, namespace: str) -> None:
    subject = Subject(Place(url, namespace))
    producer = Producer(subject)
    serve({"start": producer.start, "stop": producer.stop})
    subject.app.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
