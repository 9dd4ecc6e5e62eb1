"""What a claim of 50 jobs costs beside a large backlog, against a small one.

The cycle is called directly, for 50 jobs and with nothing to hand in. Claims on the two stores take turns, so that what
else the machine does falls on both alike. After each claim the jobs are ended and replaced, untimed, on the same
connection, so that the backlog stays as it is.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count

from benchmarks.figures import Figures
from benchmarks.measurement import Line, Measurement, Round
from windlass.core.codec import Codec
from windlass.core.decide import decide
from windlass.core.outcome import Returned
from windlass.core.records import Claimed
from windlass.core.retry import Retry
from windlass.store.driver import Driver
from windlass.store.open import open_driver
from windlass.store.operation import drive
from windlass.store.operations.cycle import Claimant, cycle, finish
from windlass.store.operations.enqueue import NewJob, enqueue
from windlass.store.operations.leases import WorkerReport, open_lease

_CLAIMED = 50
_WARM_UP = 10
_BULK = 10_000
_LEASE = "bench-lease"
_WORKER = "bench-worker"
_TTL = 24 * 3600 * 1000
_PAYLOAD = Codec().encode_call(None, (1,), {})


class Backlog:
    """A store that holds a given number of pending jobs, and one lease to claim them under."""

    def __init__(self, driver: Driver, size: int) -> None:
        self._driver = driver
        self._numbers = count()
        self.samples: list[float] = []
        """Seconds of each claim."""
        for first in range(0, size, _BULK):
            self._add(min(_BULK, size - first))
        presence = WorkerReport(_WORKER, _WORKER, "idle", "{}")
        drive(open_lease(presence, lease=_LEASE, ttl=_TTL), driver.execute)

    def claim(self) -> None:
        """Time one claim, then put the store back as it was."""
        claimant = Claimant(_WORKER, _LEASE, f"token-{next(self._numbers)}")
        began = time.perf_counter()
        claimed = drive(cycle(claimant, requests=[("default", _CLAIMED)]), self._driver.execute).claimed
        self.samples.append(time.perf_counter() - began)
        if len(claimed) != _CLAIMED:
            raise RuntimeError(f"a claim of {_CLAIMED} jobs gave {len(claimed)}")
        self._end(claimed)
        self._add(_CLAIMED)

    def _end(self, claimed: list[Claimed]) -> None:
        endings = [decide(job, Returned(None), retry=Retry(), ran_for=0) for job in claimed]
        drive(finish(endings, worker=_WORKER), self._driver.execute)

    def _add(self, number: int) -> None:
        drive(enqueue([self._new_job() for _ in range(number)], {}), self._driver.execute)

    def _new_job(self) -> NewJob:
        id = f"bench-{next(self._numbers):020}"
        return NewJob(id, "bench.async", "default", 0, _PAYLOAD, None, 4, 0, None, None, None, None)


def measure(round: Round) -> Figures:
    with _backlog(round, "small", round.scale.small_backlog) as small:
        with _backlog(round, "large", round.scale.large_backlog) as large:
            for _ in range(_WARM_UP + round.scale.claims):
                small.claim()
                large.claim()
        beside_few = statistics.median(small.samples[_WARM_UP:])
        beside_many = statistics.median(large.samples[_WARM_UP:])
    return {"small_ms": beside_few * 1e3, "large_ms": beside_many * 1e3, "ratio": beside_many / beside_few}


@contextmanager
def _backlog(round: Round, name: str, size: int) -> Iterator[Backlog]:
    place = round.beside(name)
    with closing(open_driver(place.url, namespace=place.namespace)) as driver:
        yield Backlog(driver, size)


MEASUREMENT = Measurement(
    name="claim-backlog",
    measure=measure,
    lines=(
        Line(key="claim-backlog", title="claim of 50, large backlog / 1 k", figure="ratio", unit="×", better="less"),
        Line(
            key="claim-large", title="claim of 50 beside the large backlog", figure="large_ms", unit="ms", better="less"
        ),
    ),
)
