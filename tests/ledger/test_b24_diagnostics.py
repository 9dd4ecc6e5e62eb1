"""What is wrong, and what to do about it: ``app.diagnose()``, and the waiting jobs against the code."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from threading import Event

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, work
from tests.places.place import Place
from tests.waiting import PATIENCE, eventually
from windlass import Windlass
from windlass.insight.diagnostics.finding import Diagnosis, Finding, Level
from windlass.testing import ManualClock


def told(found: Diagnosis, subject: str) -> list[tuple[str, str]]:
    return [(str(one.level), one.text) for one in found.findings if one.subject == subject]


def problem(found: Diagnosis, *words: str) -> Finding:
    """The one problem that says all of these."""
    [one] = [one for one in found.problems if all(word in one.text for word in words)]
    assert one.remedy
    return one


def test_the_store_and_what_it_promises(app: Windlass, pytestconfig: pytest.Config) -> None:
    """A17, B24: which store answers, and what survives a kill and a loss of power."""
    app.enqueue("t")
    found = app.diagnose()
    [(level, text)] = told(found, "store")
    assert (level, "answers" in text, app.store in text) == ("ok", True, True)
    promises = {
        "sqlite": ("note", "a loss of power may lose the last commits")
        if pytestconfig.getoption("--quick")  # whose stores are opened with ?durability=normal
        else ("ok", "survives the kill of any process, and a loss of power"),
        "postgresql": ("problem", "fsync is off"),
        "redis": ("problem", "keeps no append-only file"),
    }
    level, words = promises[found.facts["store"]]
    assert any(one == level and words in text for one, text in told(found, "durability"))
    assert told(found, "clock")[0][0] == "ok"


def test_a_queue_that_no_worker_serves_and_a_job_that_is_stuck(app: Windlass, clock: ManualClock) -> None:
    """B24, C2: each problem with a remedy."""
    app.enqueue("t")
    [claimed] = app.claim(lease="10h")
    app.enqueue("t")
    clock.advance(timedelta(hours=2))
    found = app.diagnose(stuck_after="1h")
    assert "worker -A MODULE -q default" in str(problem(found, "queue default", "no worker serves it").remedy)
    assert "jobs fail" in str(problem(found, f"job {claimed.id} (t) runs for 2:00:00").remedy)
    problem(found, "no worker is alive")
    assert told(app.diagnose(stuck_after="3h"), "jobs") == [("ok", "none runs for long")]


def test_a_task_that_no_worker_knows(app: Windlass, new_app: Apps) -> None:
    """B24, B31: in the words of the worker that met it."""
    app.enqueue("reports.build")
    with new_app().worker(queues=["default"], lease=LONG_LEASE):
        eventually(lambda: bool(told(app.diagnose(), "tasks")))
        problem(app.diagnose(), "reports.build")


def test_limits_and_schedules_that_hold_jobs_up(app: Windlass, clock: ManualClock) -> None:
    """B24: limits that starve, schedules that cannot fire, what is paused."""
    app.queue("slow").configure(rate="1/h")
    app.enqueue_many([app.request("t", queue="slow") for _ in range(30)])
    app.add_schedule("digest", "t", every="1h")
    app.add_schedule("paused", "t", every="1h").pause()
    clock.advance(timedelta(hours=2))
    found = app.diagnose()
    assert "queues set slow --rate" in str(problem(found, "queue slow", "1/h", "30 jobs").remedy)
    problem(found, "schedule digest was to fire")
    assert ("note", "schedule paused is paused") in told(found, "schedules")


def test_a_variable_that_is_misspelt(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    """B24: also where the store is not found, which may be why."""
    assert told(app.diagnose(), "configuration")[0][0] == "ok"
    monkeypatch.setenv("WINDLASS_NAMSPACE", "shop")
    monkeypatch.setenv("WINDLASS_BACKUP_FOLDER", "/backups")  # another program's
    found = app.diagnose()
    assert "$WINDLASS_NAMESPACE" in str(problem(found, "$WINDLASS_NAMSPACE").remedy)
    assert len(told(found, "configuration")) == 1
    with Windlass("sqlite:///nothing-here.db") as elsewhere:
        problem(elsewhere.diagnose(), "$WINDLASS_NAMSPACE")


def test_a_store_that_is_away_is_a_finding(place: Place) -> None:
    """B24: no exception, and nothing is made by looking."""
    app = Windlass(place.url, namespace="nothing_here")
    [finding] = app.diagnose().findings
    assert (finding.level, finding.subject) == (Level.PROBLEM, "store")
    assert "windlass migrate" in (finding.remedy or "")
    app.close()


def test_waiting_jobs_against_the_code(app: Windlass, new_app: Apps) -> None:
    """F6: unknown tasks, arguments that no longer fit; what fits is no finding."""

    @app.task(name="greet")
    def greet(name: str) -> None: ...

    @app.task(name="old")
    def old() -> None: ...

    app.enqueue_many([app.request("greet", ["ann"]), app.request("old"), app.request("old")])
    work(app, queues=["none"])
    assert app.check_code().misfits == []

    newer = new_app()

    @newer.task(name="greet")
    def renamed(first: str, last: str) -> None: ...

    found = newer.check_code()
    assert [(one.task, one.kind, one.count) for one in found.misfits] == [
        ("old", "unknown_task", 2),
        ("greet", "arguments", 1),
    ]
    assert "last" in found.misfits[1].text
    assert (found.examined, found.is_whole) == (3, True)


def test_where_the_threads_of_a_worker_are(app: Windlass) -> None:
    """B24: asked through the store; threads and coroutines, with what they run."""
    reached, is_waiting, may_end = Event(), Event(), Event()

    @app.task(name="hangs")
    def hangs() -> None:
        reached.set()
        may_end.wait(PATIENCE)

    @app.task(name="awaits")
    async def awaits() -> None:
        asyncio.get_running_loop().call_soon(is_waiting.set)
        await asyncio.Event().wait()

    hanging, waiting = app.enqueue("hangs"), app.enqueue("awaits")
    with app.worker(lease=LONG_LEASE) as worker:
        assert reached.wait(PATIENCE)
        assert is_waiting.wait(PATIENCE)
        try:
            [text] = app.worker_stacks(worker.name, timeout=PATIENCE).values()
        finally:
            may_end.set()
            waiting.cancel()
    assert f"running: job {hanging.id} (hangs)" in text
    assert "in hangs\n" in text
    assert f"coroutine of job {waiting.id} (awaits):" in text
    assert "in awaits\n" in text
    assert app.worker_stacks("nothing") == {}
