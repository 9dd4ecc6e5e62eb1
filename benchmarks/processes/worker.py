"""A worker as a user would run it, with default settings, in a process of its own.

Its main thread waits for requests as it would wait for a signal: nothing is asked of it while something is timed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.channel import Child, serve, usage
from benchmarks.figures import delays
from benchmarks.place import Place
from benchmarks.server import cpu_seconds
from benchmarks.subject import Subject, queue_names
from windlass import Windlass
from windlass.store.operation import Answer, Call

_HOOKED = "--hooked"
_QUEUES = "--queues="
_SERVES = "--serves="
_CONCURRENCY = "--concurrency="


def worker_process(
    place: Place, *, hooked: bool = False, queues: int = 0, serves: Sequence[str] = (), concurrency: int | None = None
) -> Child:
    """A worker that is built but not started: ``start``, then ``usage``, ``forget`` and ``delays`` as needed.

    It serves the default queue, or those of these names, or so many that ``Subject.preload_queues`` fills.
    """
    wishes = ([_HOOKED] if hooked else []) + ([f"{_QUEUES}{queues}"] if queues else [])
    wishes += [f"{_SERVES}{','.join(serves)}"] if serves else []
    wishes += [f"{_CONCURRENCY}{concurrency}"] if concurrency is not None else []
    return Child("benchmarks.processes.worker", place.url, place.namespace, *wishes)


def main(url: str, namespace: str, *wishes: str) -> None:
    subject = Subject(Place(url, namespace), hooked=_HOOKED in wishes)
    served = [queue_names(int(wish.removeprefix(_QUEUES))) for wish in wishes if wish.startswith(_QUEUES)]
    served += [wish.removeprefix(_SERVES).split(",") for wish in wishes if wish.startswith(_SERVES)]
    slots = [int(wish.removeprefix(_CONCURRENCY)) for wish in wishes if wish.startswith(_CONCURRENCY)]
    calls = count_calls(subject.app)
    worker = subject.app.worker(*served, children=2, concurrency=slots[0] if slots else 10)

    def start() -> Mapping[str, Any]:
        before = family_usage()
        worker.start()
        return before

    def use() -> Mapping[str, Any]:
        return {**family_usage(), "ended": worker.status().ended}

    def forget() -> Mapping[str, Any]:
        del subject.delays[:]
        calls.clear()
        return {}

    def every() -> Mapping[str, Any]:
        return {"ns": list(subject.delays)}

    serve(
        {
            "start": start,
            "usage": use,
            "forget": forget,
            "delays": lambda: delays(subject.delays),
            "all_delays": every,
            "calls": lambda: dict(calls),
        }
    )
    worker.stop()
    subject.app.close()


def count_calls(app: Windlass) -> Counter[str]:
    """Count what the app asks of its store from now on, by the name of the call."""
    driver: Any = app.client.driver
    calls = Counter[str]()

    def counted(carry_out: Callable[[Call], Answer]) -> Callable[[Call], Answer]:
        def count(call: Call) -> Answer:
            calls[call.name] += 1
            return carry_out(call)

        return count

    driver.execute, driver.store = counted(driver.execute), counted(driver.store)
    return calls


def family_usage() -> Mapping[str, float]:
    """What this process has used, with the CPU seconds of its children where the machine tells them."""
    own = usage()
    return {**own, "cpu": max(own["cpu"], cpu_seconds(os.getpid()))}


if __name__ == "__main__":
    main(*sys.argv[1:])
