"""A queue's ``max_running`` is a total over all machines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from threading import Event, Lock

import pytest

from tests.ledger.apps import Apps, at_once, gate
from tests.places.place import Place
from tests.waiting import PATIENCE
from windlass import ConfigError, Job, State, Windlass
from windlass.testing import ManualClock


@pytest.fixture
def real_apps(place: Place) -> Iterator[Apps]:
    """Apps by the real clock: the test looks at when jobs ran."""
    with Apps(place) as apps:
        yield apps


def most_at_once(jobs: list[Job[None]]) -> int:
    """The largest number of jobs that were claimed and not ended at the same time, by the jobs' own records."""
    moments: list[tuple[int, int]] = []
    for job in jobs:
        record = job.refresh().record
        assert record.claimed_at is not None
        assert record.finished_at is not None
        # A job that ended in the millisecond in which another was claimed ended before: the counter had to be lowered.
        moments += [(record.claimed_at, 1), (record.finished_at, -1)]
    moments.sort()
    running = worst = 0
    for (at, step), (after, _) in pairwise([*moments, (moments[-1][0] + 1, 0)]):
        running += step
        if after > at:
            worst = max(worst, running)
    return worst


def test_workers_of_many_machines_together_run_no_more(real_apps: Apps) -> None:
    """C3: on a timeline that is rebuilt from the jobs' own records."""
    apps = [real_apps() for _ in range(3)]
    apps[0].queue("mail").configure(max_running=3)
    running, worst, lock = 0, 0, Lock()
    for app in apps:

        @app.task(name="send", queue="mail")
        def send() -> None:
            nonlocal running, worst
            with lock:
                running += 1
                worst = max(worst, running)
            Event().wait(0.002)
            with lock:
                running -= 1

    jobs = apps[0].tasks[0].enqueue_many([()] * 60)
    workers = [app.worker(concurrency=4) for app in apps]
    at_once(*(lambda worker=worker: worker.run_until_empty() for worker in workers))
    assert {job.refresh().state for job in jobs} == {State.COMPLETED}
    assert worst <= 3
    assert most_at_once(jobs) <= 3


def test_an_ending_on_one_machine_lets_a_job_begin_on_another(app: Windlass, new_app: Apps) -> None:
    """C3: the worker that waits for room is told of it."""
    other = new_app()
    app.queue("mail").configure(max_running=1)
    with gate() as busy:
        for each in (app, other):
            each.task(name="hold", queue="mail")(busy.wait)
            each.task(name="send", queue="mail")(lambda: "sent")
        app.enqueue("hold")
        with app.worker(["mail"]) as worker:
            busy.await_entered()
            worker.pause()
            with other.worker(["mail"]):
                job = other.enqueue("send")
                assert "is at its limit of 1 running job, held by job" in job.why()
                busy.open()
                assert job.result(timeout=PATIENCE) == "sent"


def test_why_names_the_limit_and_who_holds_it(app: Windlass) -> None:
    """C3: and no longer once there is room."""
    app.queue("mail").configure(max_running=2)
    jobs = app.enqueue_many([app.request("send", queue="mail") for _ in range(3)])
    claimed = app.claim(9, queues=["mail"])
    assert len(claimed) == 2
    with app.worker(["mail"]):
        held = f"{jobs[0].id} and {jobs[1].id}"
        assert jobs[2].why() == f"queue 'mail' is at its limit of 2 running jobs, held by jobs {held}"


def test_claims_by_hand_are_part_of_it(app: Windlass, clock: ManualClock) -> None:
    """C3: and one that is over gives its place back at the next claim."""
    app.queue("mail").configure(max_running=2)
    app.enqueue_many([app.request("send", queue="mail") for _ in range(4)])
    first = app.claim(9, queues=["mail"], lease="1m")
    assert len(first) == 2
    assert app.claim(9, queues=["mail"]) == []
    first[0].complete()
    assert len(app.claim(9, queues=["mail"], lease="1h")) == 1
    clock.advance("1m")
    assert len(app.claim(9, queues=["mail"])) == 1


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "8"])
def test_a_limit_that_makes_no_sense_is_refused(app: Windlass, limit: object) -> None:
    """C3: the error names it, and nothing changes."""
    for refuse in (
        lambda: app.queue("mail").configure(max_running=limit),  # type: ignore[arg-type]
        lambda: app.configure(max_running=limit),  # type: ignore[arg-type]
        lambda: app.queue("mail", max_running=limit),  # type: ignore[arg-type]
        lambda: Windlass("sqlite:///:memory:", max_running=limit),  # type: ignore[arg-type]
    ):
        with pytest.raises(ConfigError, match="max_running"):
            refuse()
    assert app.queues() == []
