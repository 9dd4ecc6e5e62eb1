"""Prometheus: the text of ``/metrics``, for the store as a whole and for one worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING

from windlass import clock
from windlass.core.figures.histogram import Histogram
from windlass.core.figures.point import OTHER, RUN, WAIT, Point
from windlass.core.state import State
from windlass.errors import WindlassError
from windlass.store.operations.figures.store_state import store_state
from windlass.version import VERSION

if TYPE_CHECKING:
    from windlass.app import Windlass
    from windlass.insight.overview import Overview
    from windlass.worker.worker import Worker

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
QUEUES_AT_MOST = 1_000
"""How many queues have lines of their own; the others are summed up as ``other``."""
_KEPT = 5.0
"""Seconds for which what was read of the store is given again."""
_PATIENCE = 50.0
"""What takes long to read is read so seldom that it takes a fiftieth of the time."""
_BOUNDS = (5, 25, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 1_800_000)
"""Upper bounds of buckets, in milliseconds."""
_OUTCOMES = ("completed", "failed", "retried", "cancelled", "released", "snoozed")

Labels = Mapping[str, str]
Sample = tuple[str, Labels, float]
"""What follows the name of the metric, labels, value."""


class StoreMetrics:
    """The metrics of an app's store. Scrapes that follow each other closely share what was read.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> print(StoreMetrics(app).render().splitlines()[0])
    # HELP windlass_build_info The version that answers.
    >>> app.close()
    """

    def __init__(self, app: Windlass, *, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._app = app
        self._monotonic = monotonic
        self._lock = Lock()
        self._text = ""
        self._until = float("-inf")

    def render(self) -> str:
        """The text. While the store is away ``windlass_store_up`` is 0, and the metrics of its jobs are left out."""
        with self._lock:
            began = self._monotonic()
            if began >= self._until:
                self._text = render(self._app)
                took = self._monotonic() - began
                self._until = began + max(_KEPT, took * _PATIENCE)
            return self._text


def render(app: Windlass) -> str:
    """The metrics of the store: depths for autoscaling, states, workers, and the server itself."""
    began = clock.monotonic()
    build = _metric("windlass_build_info", "gauge", "The version that answers.", [("", {"version": VERSION}, 1)])
    try:
        state = app.client.session.run(store_state())
        took = clock.monotonic() - began
        overview = app.overview()
    except WindlassError:
        return build + _metric("windlass_store_up", "gauge", "Whether the store answers.", [("", {}, 0)])
    parts = [
        build,
        _metric("windlass_store_up", "gauge", "Whether the store answers.", [("", {}, 1)]),
        _metric("windlass_store_call_seconds", "gauge", "How long the store took to answer.", [("", {}, took)]),
        *_server(state),
        *_queues(overview),
        *_workers(overview),
    ]
    return "".join(parts)


def render_worker(store: StoreMetrics, worker: Worker) -> str:
    """The metrics of one worker process, and those of its store."""
    from windlass.worker.process.resources import cpu_seconds, resident_memory

    totals = worker.totals()
    status = worker.status()
    runs = [
        ("", {"queue": queue, "task": task, "outcome": outcome}, point.counts[outcome])
        for (queue, task), point in totals.items()
        for outcome in _OUTCOMES
        if outcome in point.counts
    ]
    parts = [
        _metric("windlass_worker_runs_total", "counter", "Runs that ended, by how they ended.", runs),
        _histogram("windlass_worker_run_seconds", "How long runs took.", totals, RUN),
        _histogram("windlass_worker_wait_seconds", "How long jobs waited until they were claimed.", totals, WAIT),
        _metric("windlass_worker_running_jobs", "gauge", "Jobs that run now.", [("", {}, status.running)]),
        _metric("windlass_worker_slots", "gauge", "Jobs that it runs at once.", [("", {}, worker.concurrency)]),
        _metric(
            "windlass_worker_stale_writes_total",
            "counter",
            "Endings that the store refused, because another worker had the job.",
            [("", {}, status.refused)],
        ),
        _metric("process_cpu_seconds_total", "counter", "Processor time.", [("", {}, cpu_seconds())]),
        _metric("process_resident_memory_bytes", "gauge", "Memory.", [("", {}, resident_memory())]),
    ]
    return "".join(parts) + store.render()


def _server(state: Mapping[str, float]) -> Iterator[str]:
    known = (
        ("size", "windlass_store_size_bytes", "gauge", "Bytes of the database, or of its tables."),
        ("memory", "windlass_store_memory_bytes", "gauge", "Bytes of memory that the server uses."),
        ("max_memory", "windlass_store_max_memory_bytes", "gauge", "Bytes that the server may use; 0 for no limit."),
        ("connections", "windlass_store_connections", "gauge", "Connections to the server."),
        ("evictions", "windlass_store_evicted_keys_total", "counter", "Keys that the server has thrown away."),
    )
    for name, metric, kind, text in known:
        if name in state:
            yield _metric(metric, kind, text, [("", {}, state[name])])


def _queues(overview: Overview) -> Iterator[str]:
    jobs: dict[tuple[str, str], float] = {}
    ready: dict[str, float] = {}
    oldest: dict[str, float] = {}
    paused: list[Sample] = []
    for place, view in enumerate(sorted(overview.queues, key=lambda view: view.name)):
        name = view.name if place < QUEUES_AT_MOST else OTHER
        for state, count in view.counts.items():
            jobs[name, str(state)] = jobs.get((name, str(state)), 0) + count
        ready[name] = ready.get(name, 0) + view.counts.get(State.PENDING, 0)
        age = 0.0 if view.oldest is None else view.oldest.total_seconds()
        oldest[name] = max(oldest.get(name, 0.0), age)
        if place < QUEUES_AT_MOST:
            paused.append(("", {"queue": name}, float(view.settings.paused_at is not None)))
    yield _metric(
        "windlass_queue_jobs",
        "gauge",
        "Jobs by queue and state.",
        [("", {"queue": queue, "state": state}, count) for (queue, state), count in jobs.items()],
    )
    yield _metric("windlass_queue_ready_jobs", "gauge", "Jobs that wait to be claimed.", _by_queue(ready))
    yield _metric(
        "windlass_queue_oldest_ready_seconds", "gauge", "How long the oldest of them has waited.", _by_queue(oldest)
    )
    yield _metric("windlass_queue_paused", "gauge", "Whether the queue is paused.", paused)


def _by_queue(values: Mapping[str, float]) -> list[Sample]:
    return [("", {"queue": queue}, value) for queue, value in values.items()]


def _workers(overview: Overview) -> Iterator[str]:
    states: dict[str, int] = {}
    running = slots = 0
    for worker in overview.workers:
        states[worker.state] = states.get(worker.state, 0) + 1
        if worker.is_alive:
            running += int(worker.info.get("running_count", 0))
            slots += int(worker.info.get("concurrency", 0))
    yield _metric(
        "windlass_workers",
        "gauge",
        "Workers by state; lost ones for a day.",
        [("", {"state": state}, count) for state, count in states.items()],
    )
    yield _metric("windlass_running_jobs", "gauge", "Jobs that run, in all live workers.", [("", {}, running)])
    yield _metric("windlass_slots", "gauge", "Jobs that all live workers run at once.", [("", {}, slots)])


def _histogram(name: str, text: str, totals: Mapping[tuple[str, str], Point], times: str) -> str:
    samples: list[Sample] = []
    for (queue, task), point in totals.items():
        if times in point.times:
            samples += _buckets({"queue": queue, "task": task}, point.times[times])
    return _metric(name, "histogram", text, samples)


def _buckets(labels: Labels, times: Histogram) -> Iterator[Sample]:
    for bound in _BOUNDS:
        yield "_bucket", {**labels, "le": _number(bound / 1000)}, times.at_most(bound)
    yield "_bucket", {**labels, "le": "+Inf"}, times.count
    yield "_sum", labels, times.total / 1000
    yield "_count", labels, times.count


def _metric(name: str, kind: str, text: str, samples: Iterable[Sample]) -> str:
    """A metric with its samples; nothing where it has none."""
    lines = [f"{name}{suffix}{_labels(labels)} {_number(value)}\n" for suffix, labels, value in samples]
    return "".join([f"# HELP {name} {text}\n# TYPE {name} {kind}\n", *lines]) if lines else ""


def _labels(labels: Labels) -> str:
    """
    >>> _labels({"queue": 'a"b', "state": "x"})
    '{queue="a\\\\"b",state="x"}'
    """
    if not labels:
        return ""
    escaped = (f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{','.join(escaped)}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    """
    >>> _number(3.0), _number(0.25)
    ('3', '0.25')
    """
    return str(int(value)) if float(value).is_integer() else repr(float(value))
