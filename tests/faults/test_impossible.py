"""Jobs whose columns hold what no operation writes, met by real workers: each harms nobody but itself (P6)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.faults.job_outcomes import await_all_done, notes
from tests.faults.names import HOLD, NOTE
from tests.faults.process import Process, Processes
from tests.ledger.apps import raises
from tests.leeway import leeway
from tests.places.raw_store import RawStore, Value
from tests.waiting import PATIENCE, eventually
from windlass import Job, Retention, State, Windlass
from windlass.core.records import JobRecord

UP = 5.0
"""Seconds from the start of a worker's process until it is ready."""

Damages = dict[str, dict[str, Value]]

PAST, FUTURE = -(2**62), 2**62
STRANGE = "\u202e" * 300

OF_A_JOB_THAT_WAITS: Damages = {
    "attempts spent": {"attempt": 9, "max_attempts": 3},
    "no attempts": {"max_attempts": 0},
    "attempts below zero": {"attempt": -5},
    "many crashes": {"crashes": 1_000_000},
    "many rescues": {"rescues": -1},
    "a fence below zero": {"fence": -7},
    "times of another age": {"created_at": FUTURE, "run_at": PAST},
    "ready since another age": {"promoted_at": PAST},
    "ready in another age": {"promoted_at": FUTURE},
    "begun before it was claimed": {"started_at": 1},
    "claimed and waiting": {"claimed_at": FUTURE},
    "unknown since another age": {"unknown_at": PAST},
    "no time at all": {"timeout": -1},
    "for ever": {"timeout": FUTURE},
    "a task without a name": {"task": ""},
    "a task with a strange name": {"task": STRANGE},
    "a queue without a name": {"queue": ""},
    "a queue with a strange name": {"queue": STRANGE},
    "before all others": {"priority": 2**31 - 1},
    "after all others": {"priority": -(2**31)},
    "another's key": {"unique_key": "nobody's"},
    "a concurrency key of no task": {"concurrency_key": "nobody's"},
    "a rate of no task": {"rate_key": "nobody's"},
    "a rate of a task without one": {"rate_key": "nobody\tnothing"},
    "waiting and at work": {"worker": "nobody", "lease": "nobody's", "claim": "nobody's"},
    "to be cancelled before it was born": {"cancel_requested_at": PAST},
    "finished and waiting": {"finished_at": FUTURE, "result": b"[1"},
    "a reason of its own": {"reason": "because"},
    "progress that is none": {"progress": b"[1"},
    "rules that are none": {"retry": b"[1"},
    "rules of another type": {"retry": b'{"attempts": [], "delay": "soon"}'},
    "to be started in another age": {"start_by": PAST, "expires": -1},
    "tags that are none": {"tags": b"[1"},
    "attempts that are none": {"attempts": b"{}"},
    "ready and scheduled": {"state": "scheduled"},
    "ready and retrying": {"state": "retrying"},
    "ready and blocked": {"state": "blocked"},
}

OF_A_JOB_THAT_RUNS: Damages = {
    "held by nobody": {"lease": "nobody's"},
    "claimed by nobody": {"claim": "nobody's"},
    "run by nobody": {"worker": "nobody"},
    "under another fence": {"fence": -7},
    "begun in another age": {"claimed_at": FUTURE, "started_at": FUTURE},
    "cancelled in another age": {"cancel_requested_at": PAST},
    "attempts spent": {"attempt": 9, "max_attempts": 3},
    "attempts below zero": {"attempt": -5},
    "many crashes": {"crashes": 1_000_000},
    "rescues below zero": {"rescues": -1},
    "finished and running": {"finished_at": FUTURE},
    "from a queue without a name": {"queue": ""},
    "of another task": {"task": STRANGE},
    "another's key": {"unique_key": "nobody's"},
    "a concurrency key that it does not hold": {"concurrency_key": "nobody's"},
    "a rate of no task": {"rate_key": "nobody's"},
    "progress that is none": {"progress": b"[1"},
    "attempts that are none": {"attempts": b"7"},
    "to be started long ago": {"start_by": PAST},
    "running and retrying": {"state": "retrying"},
    "running and blocked": {"state": "blocked"},
}

OF_A_JOB_THAT_IS_DONE: Damages = {
    "finished in another age": {"finished_at": FUTURE},
    "finished before all ages": {"finished_at": PAST},
    "ended by nobody": {"worker": "nobody", "lease": "nobody's", "claim": "nobody's"},
    "to be cancelled": {"cancel_requested_at": FUTURE},
    "never claimed": {"fence": 0, "claimed_at": 0, "started_at": 0},
    "never run": {"attempt": 0},
    "a reason of its own": {"reason": "because"},
    "due in another age": {"run_at": FUTURE},
    "no queue": {"queue": ""},
    "no task": {"task": ""},
    "no progress": {"progress": b"[1"},
    "no result": {"result": b"[1"},
    "a cause of no failure": {"cause": STRANGE},
}

ROOM = 2 * len(OF_A_JOB_THAT_RUNS) + 2
"""For all of them, for those that are started once more beside, and for two that are sound."""

APART = {"seq", "id", "payload", "meta", "errors"}
"""The key, which nobody can change without making another job; an id (below); texts that cannot be read (P3)."""


def test_every_column_of_a_job_is_damaged() -> None:
    """P6: a new one, too."""
    damages = [*OF_A_JOB_THAT_WAITS.values(), *OF_A_JOB_THAT_RUNS.values(), *OF_A_JOB_THAT_IS_DONE.values()]
    assert {column for damage in damages for column in damage} | APART == {*JobRecord.__struct_fields__, "claim"}


def damaged(raw_store: RawStore, jobs: list[Job[Any]], damages: Damages) -> dict[str, Job[Any]]:
    named = dict(zip(damages, jobs, strict=True))
    for name, job in named.items():
        raw_store.damage(job, **damages[name])
    return named


def worker_that_is_up(processes: Processes, **options: object) -> Process:
    """A worker beside whatever is there, ready in time."""
    worker = processes.start("worker", json.dumps(options))
    worker.await_line("ready", within=leeway(UP))
    return worker


def assert_shown(app: Windlass, jobs: dict[str, Job[Any]]) -> None:
    assert {job.id for job in jobs.values()} <= {job.id for job in app.jobs(limit=100)}
    for name, job in jobs.items():
        assert job.refresh().why(), name
        assert job.timeline(), name


def assert_works(app: Windlass, processes: Processes, **options: object) -> None:
    """A new worker is up in time, and runs a job."""
    worker_that_is_up(processes, **options)
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7


def was_rescued(app: Windlass, job: Job[Any]) -> bool:
    app.rescue()
    return job.refresh().state != State.RUNNING


def test_jobs_in_impossible_states_keep_nobody_from_working(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """P6: a worker is up beside them in time, runs everybody else's jobs, and what shows jobs shows these."""
    odd = damaged(raw_store, notes(app, len(OF_A_JOB_THAT_WAITS)), OF_A_JOB_THAT_WAITS)
    sound = notes(app, 20)
    worker = worker_that_is_up(processes, lease="1h")
    assert [job.result(timeout=PATIENCE) for job in sound] == list(range(20))
    assert_shown(app, odd)
    worker.kill()
    raw_store.expire_leases()
    app.rescue()
    assert_works(app, processes)


def damaged_runs(app: Windlass, raw_store: RawStore, worker: Process) -> tuple[dict[str, Job[Any]], Job[Any]]:
    """Runs of the worker that are damaged under its hands, and one that is sound."""
    # The sound one comes first: when all of them have lost their worker they are run one after the other.
    sound, *jobs = app.enqueue_many([app.request(HOLD) for _ in range(len(OF_A_JOB_THAT_RUNS) + 1)])
    for _ in [*jobs, sound]:
        worker.await_line("began")
    eventually(lambda: all(job.refresh().started_at for job in [*jobs, sound]), "the runs are marked as started")
    return damaged(raw_store, jobs, OF_A_JOB_THAT_RUNS), sound


def test_runs_in_impossible_states_keep_nobody_from_working(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """P6: the others go on in the same worker and end as ever, and so do jobs that come later."""
    worker = worker_that_is_up(processes, lease="1h", heartbeat="300ms", concurrency=ROOM)
    odd, sound = damaged_runs(app, raw_store, worker)
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7
    for job in [*odd.values(), sound]:
        processes.open_gate(job.id, 1)
    assert sound.result(timeout=PATIENCE) == 1
    assert sound.refresh().attempt == 1
    assert_shown(app, odd)
    worker.kill()
    raw_store.expire_leases()
    assert_works(app, processes, concurrency=ROOM)


def test_runs_in_impossible_states_can_be_taken_over(app: Windlass, raw_store: RawStore, processes: Processes) -> None:
    """P6: when their worker dies, nobody stumbles over them, and the others are rescued from it."""
    worker = worker_that_is_up(processes, lease="1h", heartbeat="300ms", concurrency=ROOM)
    odd, sound = damaged_runs(app, raw_store, worker)
    worker.kill()
    raw_store.expire_leases()
    eventually(lambda: was_rescued(app, sound), "the lease is over")
    processes.open_gate(sound.id, raises(sound.fence) + 1)
    assert_shown(app, odd)
    assert_works(app, processes, concurrency=ROOM)
    assert sound.result(timeout=PATIENCE) == raises(sound.refresh().fence)
    assert sound.attempt <= 2, "one of the damaged ones may be held responsible in its place"


def test_endings_in_impossible_states_keep_nobody_from_working(
    app: Windlass, raw_store: RawStore, processes: Processes, tmp_path: Path
) -> None:
    """P6: they are shown, and the jobs beside them are archived and cleaned away when their time is over."""
    first = worker_that_is_up(processes)
    *jobs, sound = notes(app, len(OF_A_JOB_THAT_IS_DONE) + 1)
    await_all_done([*jobs, sound])
    first.kill()
    odd = damaged(raw_store, jobs, OF_A_JOB_THAT_IS_DONE)
    assert_works(app, processes)
    assert_shown(app, odd)
    app.configure(archive=tmp_path / "archive", retention=Retention(completed="1ms"))
    app.clean()
    assert sound not in app.jobs(limit=100)
    assert sound.id in "".join(gzip.decompress(file.read_bytes()).decode() for file in (tmp_path / "archive").iterdir())
    assert_works(app, processes)


@pytest.mark.only_on("sqlite", "redis")
@pytest.mark.parametrize("state", ["running", "completed", "failed", "cancelled"])
def test_a_state_that_was_only_written_down_keeps_nobody_from_working(
    app: Windlass, raw_store: RawStore, processes: Processes, state: str
) -> None:
    """P6: on PostgreSQL a job has these by standing in another table, with all that belongs there."""
    before, odd, after = notes(app, 3)
    raw_store.damage(odd, state=state)
    assert_works(app, processes)
    assert (before.result(timeout=PATIENCE), after.result(timeout=PATIENCE)) == (0, 2)
    assert_shown(app, {state: odd})


def test_a_job_under_another_id_keeps_nobody_from_working(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """P6: it may not be found by that, but it is listed once, and runs once."""
    before, odd, after = notes(app, 3)
    raw_store.damage(odd, id=STRANGE)
    assert_works(app, processes)
    assert (before.result(timeout=PATIENCE), after.result(timeout=PATIENCE)) == (0, 2)
    assert [job.id for job in app.jobs()].count(STRANGE) == 1
    eventually(lambda: app.counts()[State.COMPLETED] == 4, "it has run")


NO_NUMBERS: Damages = {
    "an attempt that is none": {"attempt": "many"},
    "a time that is none": {"created_at": "yesterday"},
    "a state that is none": {"state": "confused"},
    "a fence that is none": {"fence": "wooden"},
    "crashes that are none, and more": {"fence": 1, "crashes": "few", "unknown_at": "long ago", "timeout": "soon"},
    "held while it waits": {"lease": "nobody's", "cancel_requested_at": "never"},
}


@pytest.mark.only_on("redis")
@pytest.mark.parametrize("damage", NO_NUMBERS)
def test_words_in_the_place_of_numbers_keep_nobody_from_working(
    app: Windlass, raw_store: RawStore, processes: Processes, damage: str
) -> None:
    """P6: the other stores have types, and let nobody write this."""
    before, damaged, after = notes(app, 3)
    raw_store.damage(damaged, **NO_NUMBERS[damage])
    processes.worker()
    assert (before.result(timeout=PATIENCE), after.result(timeout=PATIENCE)) == (0, 2)
    assert {job.id for job in app.jobs()} == {before.id, damaged.id, after.id}
