"""The goals of DESIGN.md section 7, by store and line; on SQLite they hold for durability full."""

from __future__ import annotations

GOALS: dict[str, dict[str, float]] = {
    "sqlite": {
        "drain-async": 30_000,
        "drain-threads": 30_000,
        "drain-two": 30_000,
        "enqueue-one": 4_000,
        "enqueue-bulk": 80_000,
        "pick-up-idle-p50": 2,
        "pick-up-idle-p99": 8,
        "pick-up-half-load-p99": 20,
        "enqueue-busy-p99": 10,
        "sustained": 60,
        "claim-backlog": 1.5,
        "rest-rss": 40,
        "rest-cpu": 1,
        "import-time": 150,
    },
}

PEER_RATIOS: dict[str, dict[str, float]] = {"sqlite": {"drain-async": 4, "drain-threads": 4}}
"""How many times better than the best peer; 1 where nothing is said: no line may be below the best peer."""

NOT_YET = ("process-isolated tasks (their executor is not built yet)",)
"""Lines of the goals table that cannot be measured now."""


def goal(store: str, line: str) -> float | None:
    return GOALS.get(store, {}).get(line)


def wanted_ratio(store: str, line: str) -> float:
    return PEER_RATIOS.get(store, {}).get(line, 1.0)
