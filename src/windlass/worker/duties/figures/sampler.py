"""Reads depths, workers and the state of the store, for charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
from msgspec import Struct

from windlass.client.session import Session
from windlass.core.figures.bucket import Bucket
from windlass.core.figures.point import Gauge, Point
from windlass.core.figures.releases import RELEASES_AT_MOST, release_level
from windlass.core.figures.series import ALL, QUEUE, STORE, WORKER, series
from windlass.store.operations.figures.store_state import store_state
from windlass.store.operations.leases import WorkerRecord, workers
from windlass.store.operations.queries import depth

EVERY = 10.0
_HELD = ("paused", "draining")
"""The states in which a worker takes no more jobs; charts tell them from having nothing to do."""
_LATELY = 300_000
"""Milliseconds for which a worker that was lost counts as missing."""
_PATIENCE = 100.0
"""Depths are counted so that this takes at most a hundredth of the time, however many jobs wait."""


class _Info(Struct):
    """What a worker reports that charts show."""

    concurrency: int = 0
    running_count: int = 0
    memory: int = 0
    cpu: float = 0.0
    skew: float = 0.0
    release: str = ""


class Sampler:
    """Reads every ten seconds at the most."""

    def __init__(self, *, session: Session, monotonic: Callable[[], float]) -> None:
        self._session = session
        self._monotonic = monotonic
        self._due = self._depth_due = monotonic()

    def sample(self) -> Bucket | None:
        """Depths, workers and the state of the store now; None if they were read just before."""
        began = self._monotonic()
        if began < self._due:
            return None
        found = self._session.run(workers())
        latency = self._monotonic() - began
        sampled: Bucket = {STORE: Point(), ALL: Point()}
        self._add_workers(sampled, [worker for worker in found if worker.is_alive])
        sampled[STORE].gauges["missing"] = Gauge.of(_missing(found))
        store = sampled[STORE].gauges
        store["latency"] = Gauge.of(latency)
        for name, value in self._session.run(store_state()).items():
            store[name] = Gauge.of(value)
        if began >= self._depth_due:
            self._add_depths(sampled)
        self._due = began + EVERY
        return sampled

    def _add_workers(self, sampled: Bucket, alive: list[WorkerRecord]) -> None:
        working = busy = running = slots = 0
        releases: Counter[str] = Counter()
        skew = 0.0
        for worker in alive:
            info = _info(worker)
            if not info.concurrency:
                continue  # a process that does duties only
            working += 1
            skew = max(skew, info.skew)
            busy += info.running_count > 0
            running += info.running_count
            slots += info.concurrency
            releases.update([info.release] if info.release else ())
            gauges = {"memory": info.memory, "cpu": info.cpu, "running": info.running_count}
            if worker.state in _HELD:
                gauges[worker.state] = 1
            sampled[series(WORKER, worker.name)] = Point(
                gauges={name: Gauge.of(value) for name, value in gauges.items()}
            )
        counts = {
            "workers": len(alive),
            "busy": busy,
            "running": running,
            "slots": slots,
            "working": working,
            "skew": skew,
        }
        sampled[STORE].gauges.update((name, Gauge.of(value)) for name, value in counts.items())
        sampled[STORE].gauges["skew"] = Gauge.of(skew)
        for release, number in releases.most_common(RELEASES_AT_MOST):
            sampled[STORE].gauges[release_level(release)] = Gauge.of(number)

    def _add_depths(self, sampled: Bucket) -> None:
        began = self._monotonic()
        depths = self._session.run(depth())
        took = self._monotonic() - began
        self._depth_due = began + max(EVERY, took * _PATIENCE)
        for queue, found in depths.items():
            sampled[series(QUEUE, queue)] = Point(gauges=_waiting(found.ready, found.oldest))
        ready = sum(found.ready for found in depths.values())
        oldest = max((found.oldest for found in depths.values()), default=0)
        sampled[ALL].gauges.update(_waiting(ready, oldest))


def _missing(found: list[WorkerRecord]) -> int:
    """How many workers were lost within the last minutes before the newest heartbeat of any worker."""
    newest = max((worker.seen_at for worker in found), default=0)
    return sum(
        not worker.is_alive and worker.seen_at > newest - _LATELY and _info(worker).concurrency > 0 for worker in found
    )


def _waiting(ready: int, oldest: int) -> dict[str, Gauge]:
    return {"depth": Gauge.of(ready), "oldest": Gauge.of(max(0, oldest) / 1000)}


def _info(worker: WorkerRecord) -> _Info:
    try:
        return msgspec.json.decode(worker.info, type=_Info)
    except msgspec.MsgspecError:
        return _Info()
