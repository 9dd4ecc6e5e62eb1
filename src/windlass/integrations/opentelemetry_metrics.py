"""OpenTelemetry: metrics of enqueues and runs, and of what waits in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.active_job import ActiveJob
from windlass.core.figures.point import OTHER
from windlass.errors import ConfigError, WindlassError
from windlass.integrations.opentelemetry import EXPECTED, PROCESSES, SENDS, error_type
from windlass.integrations.prometheus import QUEUES_AT_MOST
from windlass.store.operations.queries import depth
from windlass.task import Request
from windlass.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Generator

    from opentelemetry.metrics import Counter, Histogram, Meter, MeterProvider, Observation

    from windlass.app import Windlass
    from windlass.job import Job

_SECONDS = (0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)
"""Upper bounds of buckets, the same as for Prometheus."""
_KEPT = 5.0
"""Seconds for which what was read of the store is given again."""


def measure_jobs(app: Windlass, *, meter_provider: MeterProvider | None = None) -> None:
    """Count and time every enqueue and every run, and tell how many jobs wait in each queue and for how long.

    Names, units and attributes follow the conventions for messaging. Needs the extra ``otel``, and only its interface:
    without an SDK nothing is recorded. A run in a process of its own (``isolation="process"``) is measured there.
    """
    meter, names = _meter(meter_provider), _Names()
    app.around_enqueue(_Enqueues(meter, names))
    app.around_run(_Runs(meter, names))
    _Waiting(app).register(meter)


class _Names:
    """Bounds how many queues and tasks have figures of their own: names may be minted without end."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()
        self._lock = RLock()  # a signal handler or a finaliser may enqueue, too

    def attributes(self, queue: str, task: str) -> dict[str, str]:
        with self._lock:
            if (queue, task) not in self._known:
                if len(self._known) >= QUEUES_AT_MOST:
                    queue = task = OTHER
                else:
                    self._known.add((queue, task))
        return {"messaging.destination.name": queue, "windlass.task": task}


class _Enqueues:
    """Jobs that were stored, and how long that took."""

    def __init__(self, meter: Meter, names: _Names) -> None:
        self._names = names
        self._sent = meter.create_counter(
            "messaging.client.sent.messages", unit="{message}", description="Jobs that were enqueued."
        )
        self._took = _histogram(meter, "messaging.client.operation.duration", "How long an enqueue took.")

    def __call__(self, request: Request) -> Generator[Request, Job[Any], None]:
        began = clock.monotonic()
        try:
            job = yield request
        except BaseException as error:
            # Which queue it would have been is not known before it is stored.
            failed = {**SENDS, "windlass.task": request.name, "error.type": error_type(error)}
            _record(self._sent, self._took, clock.monotonic() - began, failed)
            raise
        attributes = {**SENDS, **self._names.attributes(job.queue, request.name)}
        _record(self._sent, self._took, clock.monotonic() - began, attributes)


class _Runs:
    """Runs, and how long they took."""

    def __init__(self, meter: Meter, names: _Names) -> None:
        self._names = names
        self._consumed = meter.create_counter(
            "messaging.client.consumed.messages", unit="{message}", description="Runs of jobs that have ended."
        )
        self._took = _histogram(meter, "messaging.process.duration", "How long the code of a job ran.")

    def __call__(self, job: ActiveJob) -> Iterator[None]:
        began = clock.monotonic()
        attributes = {**PROCESSES, **self._names.attributes(job.queue, job.task)}
        try:
            yield
        except EXPECTED as ended:
            attributes["windlass.ended_by"] = type(ended).__name__
            raise
        except BaseException as error:
            attributes["error.type"] = error_type(error)
            raise
        finally:
            _record(self._consumed, self._took, clock.monotonic() - began, attributes)


class _Waiting:
    """What waits in the store, read when it is asked for. While the store is away there are no values."""

    def __init__(self, app: Windlass, *, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._app = app
        self._monotonic = monotonic
        self._lock = Lock()
        self._depths: dict[str, tuple[int, float]] = {}
        self._until = float("-inf")

    def register(self, meter: Meter) -> None:
        meter.create_observable_gauge(
            "windlass.queue.ready",
            [lambda options: self._observe(0)],
            unit="{job}",
            description="Jobs that wait to be claimed.",
        )
        meter.create_observable_gauge(
            "windlass.queue.oldest",
            [lambda options: self._observe(1)],
            unit="s",
            description="How long the oldest of them has waited.",
        )

    def _observe(self, place: int) -> Iterable[Observation]:
        from opentelemetry.metrics import Observation

        return [
            Observation(values[place], {"messaging.system": "windlass", "messaging.destination.name": queue})
            for queue, values in self._read().items()
        ]

    def _read(self) -> dict[str, tuple[int, float]]:
        with self._lock:
            began = self._monotonic()
            if began >= self._until:
                self._depths = self._found()
                self._until = began + max(_KEPT, (self._monotonic() - began) * 50)
            return self._depths

    def _found(self) -> dict[str, tuple[int, float]]:
        try:
            depths = self._app.client.session.run(depth())
        except WindlassError:
            return {}
        found: dict[str, tuple[int, float]] = {}
        for place, (queue, one) in enumerate(sorted(depths.items())):
            name = queue if place < QUEUES_AT_MOST else OTHER
            ready, oldest = found.get(name, (0, 0.0))
            found[name] = (ready + one.ready, max(oldest, one.oldest / 1000))
        return found


def _histogram(meter: Meter, name: str, text: str) -> Histogram:
    return meter.create_histogram(name, unit="s", description=text, explicit_bucket_boundaries_advisory=_SECONDS)


def _record(counter: Counter, times: Histogram, seconds: float, attributes: dict[str, str]) -> None:
    counter.add(1, attributes)
    times.record(seconds, attributes)


def _meter(provider: MeterProvider | None) -> Meter:
    try:
        from opentelemetry.metrics import get_meter
    except ImportError:
        raise ConfigError("measure_jobs needs the extra 'otel': pip install 'windlass-jobs[otel]'") from None
    return get_meter("windlass", VERSION, meter_provider=provider)
