"""The one suspect of a worker process: how long it counts as in flight, and what waits for it."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from tests.core.test_decide import a_job
from tests.ledger.apps import gate
from tests.places.raw_sqlite import RawSqlite
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, Hold, claims
from windlass import Windlass
from windlass.core.fault import Fault, add_fault
from windlass.store.postgres.news import Silence
from windlass.worker.fetch import claim_times
from windlass.worker.runs import suspects
from windlass.worker.runs.run import Run
from windlass.worker.runs.suspects import SuspectInFlight

_NEVER = 1e9
"""Seconds."""


def noop() -> None: ...


def a_run(started: float | None = None, *, isolation: Literal["process"] | None = None, **known: Any) -> Run:
    """A run of a job with this past; the task is a plain function."""
    task = Windlass("sqlite:///:memory:").task(isolation=isolation)(noop)
    run = Run(a_job(**known), task, claimed=0.0, report=lambda *_: True)
    run.started = started
    return run


def history(ran_for: int) -> str:
    return add_fault(None, Fault(0, 1, "w", "windlass.LeaseLost", "", ran_for=ran_for))


@pytest.mark.parametrize(
    ("crashes", "fatal", "seconds"),
    [(1, None, 10.0), (1, 3_000, 10.0), (1, 1_800_000, 10.0), (2, 3_000, 10.0), (2, 60_000, 60.0)],
)
def test_how_long_other_suspects_wait_for_one(crashes: int, fatal: int | None, seconds: float) -> None:
    """F3: the long jobs of a machine that was lost come back soon after each other; one whose next death is decisive
    has the time of its fatal run to itself.
    """
    suspect = SuspectInFlight(lambda run: True)
    suspect.follow(a_run(100.0, crashes=crashes, errors=None if fatal is None else history(fatal)))
    assert not suspect.is_none(100.0 + seconds)
    assert suspect.is_none(100.1 + seconds)


def test_a_suspect_that_has_left_the_worker_is_none() -> None:
    suspect = SuspectInFlight(lambda run: False)
    suspect.follow(a_run(crashes=1))
    assert suspect.is_none(0.0)


def test_a_suspect_that_died_once_holds_nothing_up() -> None:
    suspect, run = SuspectInFlight(lambda run: True), a_run(crashes=1)
    suspect.follow(run)
    assert not suspect.keeps_others_waiting(0.0)
    assert not suspect.has_to_wait(run, [a_run()], 0.0)


@pytest.mark.parametrize("isolation", [None, "process"])
def test_a_suspect_that_died_twice_runs_alone(isolation: Literal["process"] | None) -> None:
    """F3: what has just begun beside it might be the cause of the third death, also where it runs in a child: the store
    knows only that the lease of the worker was lost.
    """
    suspect, run = SuspectInFlight(lambda run: True), a_run(isolation=isolation, crashes=1, rescues=1)
    suspect.follow(run)
    assert suspect.keeps_others_waiting(0.0)
    assert suspect.has_to_wait(run, [a_run(50.0)], 55.0)
    assert not suspect.has_to_wait(run, [a_run(40.0)], 55.0)
    assert not suspect.has_to_wait(run, [], 55.0)


def test_others_wait_for_it_a_minute_at_the_most() -> None:
    suspect = SuspectInFlight(lambda run: True)
    suspect.follow(a_run(100.0, crashes=2, errors=history(3_600_000)))
    assert suspect.keeps_others_waiting(160.0)
    assert not suspect.keeps_others_waiting(160.1)
    assert not suspect.is_none(160.1)


@pytest.mark.only_on("sqlite")
def test_a_worker_begins_one_suspect_after_the_other_and_others_beside_them(app: Windlass, file: RawSqlite) -> None:
    """F3: a death is then the doing of the one."""
    begun: list[int] = []
    with gate() as held:

        @app.task
        def dubious(number: int) -> None:
            begun.append(number)
            held.wait()

        @app.task
        def innocent() -> None: ...

        jobs = [dubious.enqueue(number) for number in range(3)]
        file.execute("UPDATE windlass_job SET rescues = 1")
        with app.worker(concurrency=4):
            held.await_entered()
            for _ in range(5):
                innocent.enqueue().result(timeout=PATIENCE)
            assert len(begun) == 1
            held.open()
            for job in jobs:
                job.result(timeout=PATIENCE)
    assert sorted(begun) == [0, 1, 2]


@pytest.mark.only_on("sqlite")
def test_what_comes_after_a_suspect_that_runs_alone_waits_for_its_end(
    app: Windlass, file: RawSqlite, interceptor: CallInterceptor
) -> None:
    """F3: its third death would be decisive."""
    order: list[str] = []
    with gate() as held:

        @app.task
        def dubious() -> None:
            held.wait()
            order.append("suspect ended")

        @app.task
        def innocent() -> None:
            order.append("another began")

        dubious.enqueue()
        file.execute("UPDATE windlass_job SET crashes = 2")
        with app.worker(concurrency=4):
            held.await_entered()
            later = innocent.enqueue()
            wanted = interceptor.calls["control"] + 2
            eventually(lambda: interceptor.calls["control"] >= wanted, "the worker has had its turns")
            held.open()
            later.result(timeout=PATIENCE)
    assert order == ["suspect ended", "another began"]


@pytest.mark.only_on("sqlite")
def test_a_worker_looks_for_the_next_suspect_when_one_is_over(
    app: Windlass, file: RawSqlite, interceptor: CallInterceptor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F3: at once. It was given one of them, so its queue seemed to be empty; nothing else sends it to the store."""
    monkeypatch.setattr(claim_times, "_POLL", _NEVER)
    monkeypatch.setattr(interceptor, "listen", lambda *_, **__: Silence())

    @app.task
    def dubious() -> None: ...

    jobs = [dubious.enqueue() for _ in range(3)]
    file.execute("UPDATE windlass_job SET rescues = 1")
    with app.worker(concurrency=4, duties=False):
        for job in jobs:
            job.result(timeout=PATIENCE)


@pytest.mark.only_on("sqlite")
def test_a_suspect_that_has_to_run_alone_waits_for_what_runs_already(
    app: Windlass, file: RawSqlite, interceptor: CallInterceptor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F3: its third death would be decisive, and what has just begun might be the cause of it."""
    monkeypatch.setattr(suspects, "_FRESH", _NEVER)  # on a slow machine the test may take longer than what is young
    order: list[str] = []
    taken = Hold(claims)
    with gate() as held:

        @app.task
        def innocent() -> None:
            held.wait()
            order.append("another ended")

        @app.task(queue="apart")
        def dubious() -> None:
            order.append("suspect began")

        app.queue("apart").pause()
        suspect = dubious.enqueue()
        file.execute("UPDATE windlass_job SET crashes = 2")
        with app.worker(["default", "apart"], concurrency=4):
            innocent.enqueue()
            held.await_entered()
            interceptor.after.append(taken.after)
            app.queue("apart").resume()
            taken.await_reached()
            taken.release()
            wanted = interceptor.calls["control"] + 2
            eventually(lambda: interceptor.calls["control"] >= wanted, "the worker has had its turns")
            held.open()
            suspect.result(timeout=PATIENCE)
    assert order == ["another ended", "suspect began"]
