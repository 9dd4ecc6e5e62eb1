"""Bugs of flows and durable steps that the rack must find."""

from __future__ import annotations

from tests.torture.planting import Mutant, edit

_ALL_SETTLED = "AND NOT EXISTS (SELECT 1 FROM windlass_edge WHERE child = windlass_job.seq AND state < 2)"
_RUNS = "job.state = 'running' AND job.fence = step.fence"

OF_FLOWS: dict[str, Mutant] = {
    "child released before the last parent": Mutant(edit("cycle", (_ALL_SETTLED, "")), "sqlite", ("I15",)),
    "recorded step done again": Mutant(
        edit("steps", ("WHERE seq = :seq ORDER BY", "WHERE seq = :seq AND fence = :fence ORDER BY")), "sqlite", ("I16",)
    ),
    "event lost between look and sleep": Mutant(edit("wake_waiters", (_RUNS, "false")), "sqlite", ("I17", "I6")),
}
