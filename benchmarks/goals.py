"""The goals of DESIGN.md section 7, by store and line; they hold for the first variant of a store."""

from __future__ import annotations

GOALS: dict[str, dict[str, float]] = {
    "sqlite": {
        "drain-async": 30_000,
        "drain-threads": 30_000,
        "drain-processes": 10_000,
        "drain-two": 30_000,
        "enqueue-one": 4_000,
        "enqueue-bulk": 80_000,
        "pick-up-idle-p50": 2,
        "pick-up-idle-p99": 8,
        "pick-up-half-load-p99": 20,
        "enqueue-busy-p99": 10,
        "sustained": 60,
        "sustained-hold": 90,
        "claim-backlog": 1.5,
        "many-queues-1000": 0.5,
        "many-queues-10000": 0.2,
        "many-workers-ratio": 2,
        "many-workers-calls": 10,
        "poison": 80,
        "rest-rss": 40,
        "rest-cpu": 1,
        "import-time": 150,
    },
    "postgres": {
        "drain-async": 13_000,
        "drain-threads": 13_000,
        "drain-processes": 8_000,
        "drain-two": 20_000,
        "enqueue-one": 1_500,
        "enqueue-bulk": 45_000,
        "pick-up-idle-p50": 2,
        "pick-up-idle-p99": 5,
        "pick-up-half-load-p99": 20,
        "enqueue-busy-p99": 10,
        "sustained": 60,
        "sustained-hold": 90,
        "claim-backlog": 1.5,
        "many-queues-1000": 0.5,
        "many-queues-10000": 0.2,
        "many-workers-ratio": 2,
        "many-workers-calls": 10,
        "poison": 80,
        "rest-rss": 52,
        "rest-cpu": 1,
        "import-time": 150,
    },
    "redis": {
        "drain-async": 18_000,
        "drain-threads": 18_000,
        "drain-processes": 8_000,
        "drain-two": 23_000,
        "enqueue-one": 4_300,
        "enqueue-bulk": 40_000,
        "pick-up-idle-p50": 1,
        "pick-up-idle-p99": 2.3,
        "pick-up-half-load-p99": 20,
        "enqueue-busy-p99": 5,
        "sustained": 60,
        "sustained-hold": 90,
        "claim-backlog": 1.5,
        "many-queues-1000": 0.5,
        "many-queues-10000": 0.2,
        "many-workers-ratio": 2,
        "many-workers-calls": 10,
        "poison": 80,
        "rest-rss": 60,
        "rest-cpu": 1,
        "import-time": 150,
    },
}

NOT_YET: tuple[str, ...] = ()
"""Lines of the goals table that cannot be measured now."""


def goal(store: str, line: str) -> float | None:
    return GOALS.get(store, {}).get(line)
