"""What concurrency keys cost: a drain of jobs with a thousand keys, and claims beside a key for which very many wait.

The drain is set against one of the same jobs without keys. For the claims, one job holds a key for which 100,000 others
are blocked; claims of 50 jobs with keys of their own take turns with the same on a store where no job is blocked.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from benchmarks.measurements.drain import elapsed
from benchmarks.place import Place
from benchmarks.processes.worker import worker_process
from benchmarks.subject import Subject
from windlass.core.codec import Codec
from windlass.core.decide import decide
from windlass.core.limits.concurrency import stored_key
from windlass.core.outcome import Returned
from windlass.core.records import Claimed
from windlass.core.retry import Retry
from windlass.store.driver import Driver
from windlass.store.open import open_driver
from windlass.store.operation import drive
from windlass.store.operations.cycle import Claimant, CycleResult, cycle, finish
from windlass.store.operations.enqueue import NewJob, enqueue
from windlass.store.operations.leases import WorkerReport, open_lease

_KEYS = 1_000
_CLAIMED = 50
_WARM_UP = 10
_BULK = 10_000
_AT_ONCE = 200
_TTL = 24 * 3600 * 1000
_TASK = "bench.async"
_PAYLOAD = Codec().encode_call(None, (1,), {})


def measure(round: Round) -> Figures:
    without, keyed = _rate(round, "without", keys=0), _rate(round, "keyed", keys=_KEYS)
    with _line(round, "free", blocked=0) as free, _line(round, "busy", blocked=round.scale.moved_jobs) as busy:
        for _ in range(_WARM_UP + round.scale.claims):
            free.claim()
            busy.claim()
        beside_none, beside_many = (statistics.median(line.samples[_WARM_UP:]) for line in (free, busy))
    return {"keyed": keyed, "share": keyed / without, "ratio": beside_many / beside_none}


def _rate(round: Round, name: str, *, keys: int) -> float:
    place = round.beside(name)
    subject = Subject(place)
    jobs = subject.preload_keys(round.scale.drain_jobs, keys=keys)
    with worker_process(place) as worker:
        worker.ask("start")
        subject.wait_for_completed(len(jobs))
    seconds = elapsed(subject.app, jobs)
    subject.app.close()
    return len(jobs) / seconds


class KeyLine:
    """A store in which so many jobs wait for one key, and one lease to claim others under."""

    def __init__(self, driver: Driver, blocked: int) -> None:
        self._driver = driver
        self._numbers = count()
        self.samples: list[float] = []
        """Seconds of each claim."""
        drive(open_lease(WorkerReport("w", "w", "idle", "{}"), lease="l", ttl=_TTL), driver.execute)
        for first in range(0, blocked, _BULK):
            self._add(["busy"] * min(_BULK, blocked - first))
        while blocked and (self._cycle(_AT_ONCE).blocked or not self._is_held):
            pass

    def claim(self) -> None:
        """Time one claim, then put the store back as it was."""
        self._add([f"key-{number}" for number in range(_CLAIMED)])
        began = time.perf_counter()
        claimed = self._cycle(_CLAIMED).claimed
        self.samples.append(time.perf_counter() - began)
        if len(claimed) != _CLAIMED:
            raise RuntimeError(f"a claim of {_CLAIMED} jobs gave {len(claimed)}")
        self._end(claimed)

    _is_held = False

    def _cycle(self, number: int) -> CycleResult:
        claimant = Claimant("w", "l", f"token-{next(self._numbers)}")
        result = drive(cycle(claimant, requests=[("default", number)]), self._driver.execute)
        self._is_held = self._is_held or bool(result.claimed)
        return result

    def _end(self, claimed: list[Claimed]) -> None:
        endings = [decide(job, Returned(None), retry=Retry(), ran_for=0) for job in claimed]
        drive(finish(endings, worker="w"), self._driver.execute)

    def _add(self, keys: list[str]) -> None:
        drive(enqueue([self._new_job(key) for key in keys], {}), self._driver.execute)

    def _new_job(self, key: str) -> NewJob:
        id = f"bench-{next(self._numbers):020}"
        gate = stored_key(_TASK, key)
        return NewJob(id, _TASK, "default", 0, _PAYLOAD, None, 4, 0, None, None, None, None, concurrency_key=gate)


@contextmanager
def _line(round: Round, name: str, *, blocked: int) -> Iterator[KeyLine]:
    place: Place = round.beside(name)
    with closing(open_driver(place.url, namespace=place.namespace)) as driver:
        yield KeyLine(driver, blocked)


MEASUREMENT = Measurement(
    name="concurrency-keys",
    measure=measure,
    lines=(
        Line(
            key="concurrency-keys", title=f"drain of {_KEYS:,} concurrency keys, against none", figure="share", unit="×"
        ),
        Line(
            key="concurrency-keys-claim",
            title="claim of 50 keys, 100 k blocked at another / none",
            figure="ratio",
            unit="×",
            better="less",
        ),
    ),
    by_variant=False,
)
