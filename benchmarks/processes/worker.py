"""A worker as a user would run it, with default settings, in a process of its own.

Its main thread waits for requests as it would wait for a signal: nothing is asked of it while something is timed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from benchmarks.channel import Child, serve, usage
from benchmarks.figures import delays
from benchmarks.place import Place
from benchmarks.subject import Subject


def worker_process(place: Place) -> Child:
    """A worker that is built but not started: ``start``, then ``usage``, ``forget`` and ``delays`` as needed."""
    return Child("benchmarks.processes.worker", place.url, place.namespace)


def main(url: str, namespace: str) -> None:
    subject = Subject(Place(url, namespace))
    worker = subject.app.worker()

    def start() -> Mapping[str, Any]:
        before = usage()
        worker.start()
        return before

    def use() -> Mapping[str, Any]:
        return {**usage(), "ended": worker.status().ended}

    def forget() -> Mapping[str, Any]:
        del subject.delays[:]
        return {}

    serve({"start": start, "usage": use, "forget": forget, "delays": lambda: delays(subject.delays)})
    worker.stop()
    subject.app.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
