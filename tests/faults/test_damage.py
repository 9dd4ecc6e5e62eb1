"""Jobs that somebody or something has damaged in the store, met by real workers: each harms nobody but itself."""

from __future__ import annotations

import pytest

from tests.faults.names import HOLD, NOTE
from tests.faults.process import Processes
from tests.ledger.apps import PATIENCE, eventually
from tests.places.behind import Behind, Value
from windlass import Job, JobNotFound, State, Windlass

GARBAGE: dict[str, bytes] = {
    "empty": b"",
    "cut": b'{"v":1,"args":[1',
    "of another type": b"[1,2,3]",
    "nested": b"[" * 100_000,
}

FUTURE = 2**62
IMPOSSIBLE: dict[str, dict[str, Value]] = {
    "attempts spent": {"attempt": 9, "max_attempts": 3},
    "no attempts": {"max_attempts": 0},
    "attempts below zero": {"attempt": -5},
    "many crashes": {"crashes": 1_000_000},
    "many rescues": {"rescues": -1},
    "a fence below zero": {"fence": -7},
    "times of another age": {"created_at": FUTURE, "run_at": -FUTURE},
    "begun before it was claimed": {"started_at": 1},
    "unknown since another age": {"unknown_at": -FUTURE},
    "no time at all": {"timeout": -1},
    "for ever": {"timeout": FUTURE},
    "a task without a name": {"task": ""},
    "a task with a strange name": {"task": "\u202e" * 300},
    "another's key": {"unique_key": "nobody's"},
    "waiting and at work": {"worker": "nobody"},
    "a reason of its own": {"reason": "because"},
}


def notes(app: Windlass, count: int) -> list[Job[int]]:
    return app.enqueue_many([app.request(NOTE, (number,)) for number in range(count)])


@pytest.mark.parametrize("column", ["payload", "meta", "errors"])
def test_a_job_that_cannot_be_read_fails_alone(
    app: Windlass, behind: Behind, processes: Processes, column: str
) -> None:
    """P3: undecodable, its raw text kept, charged nothing, never retried; lists show it among the others."""
    sound = notes(app, 20)
    damaged = dict(zip(GARBAGE, notes(app, len(GARBAGE)), strict=True))
    for name, job in damaged.items():
        behind.damage(job, **{column: GARBAGE[name]})
    sound += notes(app, 20)
    processes.worker()
    for number, job in enumerate(sound):
        assert job.result(timeout=PATIENCE) == number % 20
    for name, job in damaged.items():
        eventually(lambda job=job: job.refresh().done, "it has failed")  # type: ignore[misc]
        assert (job.state, job.reason, job.attempt) == (State.FAILED, "undecodable", 0), name
        assert behind.text(job, column) == GARBAGE[name]
    assert len(app.jobs(limit=100)) == len(sound) + len(damaged)


def test_jobs_in_impossible_states_keep_nobody_from_working(
    app: Windlass, behind: Behind, processes: Processes
) -> None:
    """P6: a worker starts beside them, runs everybody else's jobs, and what shows jobs shows these."""
    damaged = dict(zip(IMPOSSIBLE, notes(app, len(IMPOSSIBLE)), strict=True))
    for name, job in damaged.items():
        behind.damage(job, **IMPOSSIBLE[name])
    sound = notes(app, 20)
    worker = processes.worker(lease="1s")
    assert [job.result(timeout=PATIENCE) for job in sound] == list(range(20))
    assert {job.id for job in app.jobs(limit=100)} == {job.id for job in [*damaged.values(), *sound]}
    for name, job in damaged.items():
        assert job.refresh().why(), name
        assert job.timeline(), name
    worker.kill()
    app.rescue()
    processes.worker()
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7


NO_NUMBERS: dict[str, dict[str, Value]] = {
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
    app: Windlass, behind: Behind, processes: Processes, damage: str
) -> None:
    """P6: the other stores have types, and let nobody write this."""
    before, damaged, after = notes(app, 3)
    behind.damage(damaged, **NO_NUMBERS[damage])
    processes.worker()
    assert (before.result(timeout=PATIENCE), after.result(timeout=PATIENCE)) == (0, 2)
    assert {job.id for job in app.jobs()} == {before.id, damaged.id, after.id}


def test_a_job_whose_body_is_gone_is_lost_alone(app: Windlass, behind: Behind, processes: Processes) -> None:
    """P5: whoever asks for it hears so; the jobs around it run, and no count or list goes wrong."""
    before, gone, after = notes(app, 3)
    behind.remove(gone)
    processes.worker()
    assert (before.result(timeout=PATIENCE), after.result(timeout=PATIENCE)) == (0, 2)
    with pytest.raises(JobNotFound):
        gone.refresh()
    assert {job.id for job in app.jobs()} == {before.id, after.id}
    eventually(lambda: not app.counts()[State.PENDING], "it is counted no more")


def test_a_run_whose_body_is_gone_ends_alone(app: Windlass, behind: Behind, processes: Processes) -> None:
    """P5: also in the middle of its run, and when its worker dies with it."""
    worker = processes.worker(lease="1s", concurrency=2)
    gone, victim = app.enqueue(HOLD), app.enqueue(HOLD)
    for _ in range(2):
        worker.await_line("began")
    eventually(lambda: all(job.refresh().started_at for job in (gone, victim)), "both are marked as started")
    behind.remove(gone)
    processes.open_gate(gone.id, 1)
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7, "its slot is free again"
    behind.remove(victim)
    worker.kill()
    eventually(lambda: app.rescue() or [view.state for view in app.workers()] == ["lost"], "the lease is over")
    processes.worker(lease="1s")
    assert app.enqueue(NOTE, 8).result(timeout=PATIENCE) == 8
    eventually(lambda: not app.counts()[State.RUNNING], "nothing is counted as running")
