"""Plants bugs and tells how many steps the model test takes to find each: ``python -m tests.model.mutants [name ...]``.

No part of the tests. Run it after changes to the model test, or to the statements whose words it replaces.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from statistics import median
from typing import Any, NamedTuple
from unittest import mock

from hypothesis import Phase
from msgspec.structs import replace

from tests.model.flow_mutants import FLOWS
from tests.model.histories import Opener, fresh_stores, run_histories
from tests.model.machine import FlowMachine, ScheduleMachine, StoreMachine, TrafficMachine
from tests.model.side_by_side import SideBySide
from tests.model.statement_edits import Edit
from tests.model.tally import Tally
from tests.model.traffic_mutants import TRAFFIC
from windlass import clock
from windlass.core.decide import decide
from windlass.store.driver import Driver
from windlass.store.sqlite import schema
from windlass.testing import ManualClock

STEPS = 20_000
"""What CI takes in two runs, each with seeds of its own: a bug that so many steps do not find is not found."""

SEEDS = (1, 10_001, 20_001)

DECIDERS = ("tests.model.rules.actors.decide", "tests.model.model.decide", "windlass.store.operations.rescue.decide")
IN_TIME = (
    "windlass_lease.renewed_at - windlass_lease.ttl <= :now\n"
    "    AND :now < windlass_lease.renewed_at + windlass_lease.ttl"
)
FORGET_NO_KEY = ("DELETE FROM windlass_key WHERE", "DELETE FROM windlass_key WHERE false AND")

SIX: dict[str, list[Edit]] = {
    "fence missing in finish": [
        Edit("cycle", "AND windlass_job.fence = ending.fence"),
        Edit("cycle", "AND windlass_job.fence = run.value ->> 1"),
    ],
    "attempt off by one": [],
    "rescue too early": [Edit("expired", IN_TIME, f"{IN_TIME} - 1"), Edit("rescue", IN_TIME, f"{IN_TIME} - 1")],
    "unique released too soon": [Edit("cycle", "windlass_job.state IN ('failed', 'cancelled') OR", "true OR")],
    "priority order reversed": [Edit("cycle", "rescues = 0 ORDER BY priority DESC", "rescues = 0 ORDER BY priority")],
    "seq reused": [],
}
"""The bugs that the engine's issue names; those without edits lie outside the statements."""

MORE: dict[str, list[Edit]] = {
    "fence missing in mark": [Edit("cycle", "AND fence = mark.value ->> 1")],
    "fence missing in progress": [Edit("progress", "AND fence = :fence")],
    "fence missing in extend": [Edit("extend", "AND fence = :fence")],
    "fence not raised by claim": [Edit("cycle", "fence = fence + 1", "fence = fence")],
    "fence not raised by rescue": [Edit("rescue", "fence = windlass_job.fence + 1", "fence = windlass_job.fence")],
    "ended twice": [Edit("cycle", "AND windlass_job.state = 'running'")],
    "attempt charged at the claim": [Edit("cycle", "fence = fence + 1,", "fence = fence + 1, attempt = attempt + 1,")],
    "attempt kept by retry": [Edit("retry", "attempt = 0, ")],
    "cancel request forgotten": [Edit("cycle", "cancel_requested_at IS NULL OR", "true OR")],
    "cancel request forgotten by rescue": [Edit("rescue", "cancel_requested_at IS NULL", "true")],
    "cancelled job keeps its key": [Edit("cancel", *FORGET_NO_KEY)],
    "deleted job keeps its key": [Edit("delete", *FORGET_NO_KEY)],
    "rescued job keeps its key": [Edit("rescue", *FORGET_NO_KEY)],
    "window ends with the job": [Edit("cycle", "until <> 'window' AND")],
    "window too long by one": [Edit("enqueue", "expires_at <= :now", "expires_at < :now")],
    "key of a started job held on": [
        Edit("enqueue", "state <> 'running' AND attempt = 0 AND started_at IS NULL", "true")
    ],
    "retry in spite of the key": [Edit("retry", "holder.id <> windlass_job.id", "false")],
    "claim under a late lease": [Edit("cycle", f"AND {IN_TIME}")],
    "claim while paused": [Edit("cycle", "paused_at IS NOT NULL", "false")],
    "manual claim takes more when repeated": [Edit("manual_claim", "lease < :token || ';')))", "false)))")],
    "manual claim gets its old lease back": [Edit("manual_claim", " || ':' || (fence + 1)")],
    "rescue too late by one": [
        Edit("expired", ":now < windlass_lease.renewed_at", ":now <= windlass_lease.renewed_at"),
        Edit("rescue", ":now < windlass_lease.renewed_at", ":now <= windlass_lease.renewed_at"),
    ],
    "rescue never after a step back": [
        Edit("expired", " AND windlass_lease.renewed_at - windlass_lease.ttl <= :now"),
        Edit("rescue", " AND windlass_lease.renewed_at - windlass_lease.ttl <= :now"),
    ],
    "rescue of what was renewed since": [Edit("rescue", f"windlass_lease.state = 'open' AND {IN_TIME}", "false")],
    "rescue in spite of a mark": [
        Edit("rescue", "AND (windlass_job.started_at IS NOT NULL) = ending.was_started"),
        Edit("rescue", " AND (started_at IS NOT NULL) = ending.value ->> 14"),
    ],
    "several suspects at once": [
        Edit("cycle", "found.seq IS NOT NULL LIMIT 1)", "found.seq IS NOT NULL)"),
        Edit("cycle", "WHERE seq = (", "WHERE seq IN ("),
    ],
    "suspect before a higher priority": [Edit("cycle", "first.priority >= coalesce", "1000 >= coalesce")],
    "suspect beside the room": [Edit("cycle", "claim = :token AND queue = :queue", "false")],
    "culprit not known": [Edit("expired", "AND suspect.started_at IS NOT NULL", "AND false")],
    "lost lease renewed": [Edit("renew", "id = :lease AND state = 'open'", "id = :lease")],
    "promoted too early": [Edit("promote", "run_at <= :now", "run_at <= :now + 1")],
    "expired too early": [Edit("promote", "late.start_by <= :now", "late.start_by <= :now + 1")],
    "expires after a start": [Edit("cycle", "ending.ran_for) IS NULL OR cancel", "1) IS NOT NULL OR cancel")],
    "attempt forgotten": [Edit("cycle", "ending.state = 'completed' OR coalesce", "true OR coalesce")],
    "queue too long by one": [Edit("enqueue", "waiting + added > max_length", "waiting + added > max_length + 1")],
    "crashes off by one": [],
    "limit of a queue not held": [
        Edit("cycle", "WHERE name = :queue) - of_queue", "WHERE false) - of_queue"),
    ],
    "limit of the app not held": [Edit("cycle", "WHERE name = '*') - of_all", "WHERE false) - of_all")],
    "limit of the app forgets what this call took": [Edit("cycle", "WHERE name = '*') - of_all", "WHERE name = '*')")],
    "limit not held by a manual claim": [Edit("manual_claim", "max_running - running", "max_running")],
    "limit too large by one": [Edit("cycle", "max_running - running", "max_running + 1 - running")],
    "at its limit one too late": [Edit("next_due", "running >= max_running", "running > max_running")],
    "counter leaked by rescue": [Edit("rescue", "running = running - (", "running = running - 0 * (")],
    "counter leaked by completed runs": [
        Edit("cycle", "running = running - (SELECT", "running = running - 0 * (SELECT")
    ],
    "counter lowered by refused endings": [
        Edit("cycle", "AND windlass_job.fence = run.value ->> 1 AND windlass_job.state = 'running'\n)", ")"),
    ],
    "counter not raised by a manual claim": [
        Edit("manual_claim", "running = running + (", "running = running + 0 * (")
    ],
    "repeated manual claims counted again": [
        Edit("manual_claim", "AND NOT EXISTS (SELECT 1 FROM windlass_lease WHERE id = lease))", ")")
    ],
    "refusal leaves no event": [Edit("record_stale_writes", "AND fence <> refused.value ->> 1", "AND false")],
}

SCHEDULES: dict[str, list[Edit]] = {
    "slot fired twice": [Edit("schedule_fire", "AND schedule.revision = step.value ->> 1")],
    "stale leader fires": [
        Edit("schedule_fire", "SELECT 1 WHERE NOT EXISTS (", "SELECT 1 WHERE false AND NOT EXISTS (")
    ],
    "leader of another term fires": [Edit("schedule_fire", "AND holder = :holder AND term = :term")],
    "slot skipped by the advance": [
        Edit("schedule_fire", "planned_at = step.planned_at", "planned_at = coalesce(step.next_at, step.planned_at)")
    ],
    "overlap not seen": [
        Edit(
            "schedule_fire",
            "AND state NOT IN ('completed', 'failed', 'cancelled')) AS is_alive",
            "AND false) AS is_alive",
        )
    ],
    "slot that is kept back forgotten": [
        Edit("schedule_fire", "= 'stays' THEN schedule.held_at", "= 'stays' THEN NULL")
    ],
    "key not taken by a fire": [
        Edit("schedule_fire", "WHERE keyed.value ->> 0 IN", "WHERE false AND keyed.value ->> 0 IN")
    ],
    "fired into a full queue": [Edit("schedule_fire", "<= max_length\n", "<= max_length + 1\n")],
    "missed slots not noted": [Edit("schedule_fire", "AS step WHERE step.value ->> 14 > 0", "AS step WHERE false")],
    "edit overwrites a fire": [
        Edit("schedule_save", "WHERE given.value ->> 5 = coalesce", "WHERE true OR given.value ->> 5 = coalesce")
    ],
}
"""Those of schedules, which have histories of their own."""

ALL = {**SIX, **MORE, **SCHEDULES, **TRAFFIC, **FLOWS}


class Found(NamedTuple):
    """When a bug was found, and by what; no error means that it was not."""

    steps: int
    seconds: float
    error: Exception | None

    @property
    def is_disagreement(self) -> bool:
        """Statements that do not even run are a mistake in the edit, not a bug that was found."""
        return isinstance(self.error, AssertionError | KeyError)


def main(names: Sequence[str]) -> int:
    """Print a line for each mutant; the number of those that some seed did not find."""
    missed = 0
    for name, edits in ALL.items():
        if not names or name in names:
            found = [hunt(name, edits, seed=seed) for seed in SEEDS]
            missed += not all(one.is_disagreement for one in found)
            print(_line(name, found), flush=True)
    return missed


def _line(name: str, found: list[Found]) -> str:
    steps = ", ".join(f"{one.steps}" if one.is_disagreement else f"MISSED {one.error!r:.200}" for one in found)
    return f"{name:40} after {steps} steps; {median(one.seconds for one in found):.1f} s"


def hunt(name: str, edits: list[Edit], *, seed: int) -> Found:
    """Run histories on a store with the bug until it shows."""
    tally, began, error = Tally(), clock.monotonic(), None
    machine = _machine(name)
    with planted(name), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            # Only finding it counts, not making it small.
            run_histories(edited(edits), seed=seed, steps=STEPS, tally=tally, phases=(Phase.generate,), machine=machine)
        except Exception as raised:  # whatever it is, it is the answer
            error = raised
    return Found(tally.steps, clock.monotonic() - began, error)


def _machine(name: str) -> type[SideBySide]:
    """Whose histories the bug is hunted with."""
    for names, machine in ((SCHEDULES, ScheduleMachine), (TRAFFIC, TrafficMachine), (FLOWS, FlowMachine)):
        if name in names:
            return machine
    return StoreMachine


def edited(edits: list[Edit]) -> Opener:
    """Opens stores whose statements have the bug."""
    open_store = fresh_stores("sqlite:///:memory:")

    @contextmanager
    def open_edited(clock: ManualClock) -> Iterator[Driver]:
        with open_store(clock) as driver:
            store: Any = driver
            for edit in edits:
                store._calls.statements = edit.made_in(store._calls.statements)  # noqa: SLF001
            yield driver

    return open_edited


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Plant those bugs that lie outside the statements."""
    patches: dict[str, dict[str, Any]] = {
        "attempt off by one": dict.fromkeys(DECIDERS, _generous),
        "seq reused": {"windlass.store.sqlite.schema.migrations": _without_autoincrement(schema.migrations)},
        "crashes off by one": {"windlass.core.decide.CRASHES_ALLOWED": 4},
    }
    with ExitStack() as stack:
        for target, bug in patches.get(name, {}).items():
            stack.enter_context(mock.patch(target, bug))
        yield


def _generous(job: Any, outcome: Any, **options: Any) -> Any:
    """A ``decide`` that lets a job run once too often. The model decides by it too, so only the invariants can tell."""
    return decide(replace(job, max_attempts=job.max_attempts + 1), outcome, **options)


def _without_autoincrement(migrations: Callable[[str], list[tuple[int, str, str]]]) -> Any:
    def without(prefix: str) -> list[tuple[int, str, str]]:
        return [(number, name, text.replace("AUTOINCREMENT", "")) for number, name, text in migrations(prefix)]

    return without


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
