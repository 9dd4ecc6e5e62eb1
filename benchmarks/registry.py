"""All measurements, in the order in which they run; one that needs another stands behind it."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.measurement import Measurement
from benchmarks.measurements import (
    claim_backlog,
    concurrency_keys,
    drain_async,
    drain_features,
    drain_limited,
    drain_processes,
    drain_threads,
    drain_two,
    enqueue_bulk,
    enqueue_busy,
    enqueue_one,
    flows,
    import_time,
    log_lines,
    many_queues,
    many_workers,
    move,
    pick_up_half_load,
    pick_up_idle,
    poison,
    rest,
    schedules,
    sustained,
    under_fire,
    web_pages,
)

MEASUREMENTS: dict[str, Measurement] = {
    module.MEASUREMENT.name: module.MEASUREMENT
    for module in (
        drain_async,
        drain_threads,
        drain_processes,
        drain_two,
        drain_features,
        drain_limited,
        log_lines,
        under_fire,
        enqueue_one,
        enqueue_bulk,
        pick_up_idle,
        pick_up_half_load,
        enqueue_busy,
        sustained,
        claim_backlog,
        many_queues,
        concurrency_keys,
        flows,
        schedules,
        many_workers,
        poison,
        move,
        web_pages,
        rest,
        import_time,
    )
}


def selected(names: Sequence[str]) -> list[Measurement]:
    """The named measurements and what they need, or all of them."""
    wanted = set(names or MEASUREMENTS)
    for measurement in reversed(MEASUREMENTS.values()):
        if measurement.name in wanted:
            wanted.update(measurement.needs)
    return [measurement for measurement in MEASUREMENTS.values() if measurement.name in wanted]
