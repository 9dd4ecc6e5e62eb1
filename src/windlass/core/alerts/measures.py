"""The measures that rules can name: what each says, and of what it is known."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct


class Unit(StrEnum):
    """In what a measure is counted."""

    NUMBER = "number"
    SHARE = "share"
    SECONDS = "seconds"
    BYTES = "bytes"
    PER_SECOND = "per second"


class Measure(Struct, frozen=True):
    """A word of the expressions of rules."""

    name: str
    meaning: str
    unit: Unit = Unit.NUMBER
    of_queues: bool = False
    """Whether each queue has its own; else there is one for the whole app, whatever the scope of a rule is."""
    of_tasks: bool = False


def _of_jobs(name: str, meaning: str, unit: Unit = Unit.NUMBER) -> Measure:
    return Measure(name, meaning, unit, of_queues=True, of_tasks=True)


_ALL = (
    Measure("queue_depth", "jobs that are ready and wait for a worker", of_queues=True),
    Measure("oldest_age", "how long the oldest of them has waited", Unit.SECONDS, of_queues=True),
    _of_jobs("runs", "attempts that ended"),
    _of_jobs("error_rate", "share of them that failed, without muted causes; fewer than 20 count as 20", Unit.SHARE),
    _of_jobs("dead_letters", "jobs that failed for good, without muted causes"),
    _of_jobs("throughput", "jobs completed per second", Unit.PER_SECOND),
    _of_jobs("throughput_baseline", "the same over the day before", Unit.PER_SECOND),
    _of_jobs("run_p99", "run time that 99 of 100 runs did not exceed; 0 for fewer than 20 runs", Unit.SECONDS),
    _of_jobs("run_p99_baseline", "the same over the day before, from 100 runs on", Unit.SECONDS),
    _of_jobs("wait_p99", "wait for a worker that 99 of 100 did not exceed; 0 for fewer than 20 runs", Unit.SECONDS),
    _of_jobs("refused_enqueues", "jobs that were refused because their queue was full"),
    Measure("workers", "live workers"),
    Measure("workers_in_time", "share of workers whose lease is in time, of those and the newly lost", Unit.SHARE),
    Measure("clock_skew", "by how much a worker's clock differs most from the store's", Unit.SECONDS),
    Measure("fires", "slots of schedules that were decided about"),
    Measure("missed_fires", "those of them that were missed"),
    Measure("missed_share", "share of them that were missed", Unit.SHARE),
    Measure("store_size", "bytes of the store's files or tables", Unit.BYTES),
    Measure("memory_share", "share of its maximum memory that Redis uses", Unit.SHARE),
    Measure("evictions", "keys that Redis has evicted"),
)

MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _ALL}


def shown(measure: str, value: float) -> str:
    """A value in the unit of its measure.

    >>> shown("error_rate", 0.0512), shown("queue_depth", 1204.0), shown("oldest_age", 90.0), shown("store_size", 3e9)
    ('5.1 %', '1,204', '90 s', '3.0 GB')
    """
    match MEASURES[measure].unit:
        case Unit.SHARE:
            return f"{_short(value * 100)} %"
        case Unit.SECONDS:
            return f"{_short(value)} s"
        case Unit.BYTES:
            return f"{value / 1e9:,.1f} GB" if value >= 1e9 else f"{value / 1e6:,.1f} MB"
        case Unit.PER_SECOND:
            return f"{_short(value)}/s"
        case Unit.NUMBER:
            return _short(value)


def _short(value: float) -> str:
    if value == int(value) or value >= 1_000:
        return f"{value:,.0f}"
    return f"{value:,.1f}" if value >= 1 else f"{value:.2g}"
