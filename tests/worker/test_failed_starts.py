"""The system refuses a thread, a file or a process that a run needs: the run waits or goes back."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from urllib.request import urlopen

import pytest

from tests.ledger.apps import gate
from tests.new_threads import NewThreads
from tests.waiting import PATIENCE, eventually
from tests.worker.isolated.enqueue import enqueue
from tests.worker.isolated.tasks import isolated
from tests.worker.system_limits import ThreadRefusals, no_files, open_files
from windlass import StartRefused, State, Windlass
from windlass.programs.process_group import ProcessGroup
from windlass.programs.reaper import Reaper
from windlass.store.connection.notifier import Notifier
from windlass.store.driver import Topic
from windlass.worker.process.health import HealthServer
from windlass.worker.supervisor.worker_process import WorkerProcess

REFUSING = """
import os, threading
start = threading.Thread.start
def start_or_refuse(thread):
    if thread.name == {thread!r} and os.path.exists({flag!r}):
        raise RuntimeError("can't start new thread")
    start(thread)
threading.Thread.start = start_or_refuse
"""
"""What a child imports before anything else."""


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> ThreadRefusals:
    return ThreadRefusals(monkeypatch)


@pytest.fixture
def crew(app: Windlass) -> Windlass:
    """An app whose tasks run in children."""
    isolated(app)
    return app


@pytest.mark.parametrize(("is_async", "thread"), [(False, "windlass-run"), (True, "windlass-loop")])
def test_a_run_whose_thread_is_refused_once_begins_a_little_later(
    app: Windlass, threads: ThreadRefusals, is_async: bool, thread: str, caplog: pytest.LogCaptureFixture
) -> None:
    """B6."""

    def plain(number: int) -> int:
        return number

    async def coroutine(number: int) -> int:
        return number

    task = app.task(coroutine if is_async else plain)
    with app.worker(concurrency=2), caplog.at_level(logging.ERROR, "windlass.worker"):
        threads.refuse(thread, times=1)
        job = task.enqueue(1)
        assert job.result(timeout=PATIENCE) == 1
        assert [task.enqueue(number).result(timeout=PATIENCE) for number in range(4)] == [0, 1, 2, 3]
    assert (len(threads.refused), job.refresh().attempt) == (1, 1)
    assert len([record for record in caplog.records if "refuses a thread" in record.message]) == 1


@pytest.mark.parametrize("attempts", [1, 4])
def test_what_cannot_begin_goes_back_uncharged_and_the_worker_is_not_ready(
    app: Windlass, threads: ThreadRefusals, attempts: int
) -> None:
    """B6, B38: another worker may run it meanwhile; this one goes on as soon as it can."""

    @app.task
    def plain() -> str:
        return "done"

    with app.worker(concurrency=2) as worker:
        threads.refuse("windlass-run")
        job = plain.options(attempts=attempts).enqueue()
        eventually(lambda: threads.refused, "a thread is refused")
        eventually(lambda: "refuses threads" in (worker.liveness.readiness_problem() or ""), "it is not ready")
        eventually(lambda: job.refresh().state is State.PENDING and job.fence > 0, "it goes back")
        assert (job.attempt, worker.liveness.liveness_problem()) == (0, None)
        threads.allow()
        assert job.result(timeout=PATIENCE) == "done"
        eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready again")


@pytest.mark.only_on("sqlite")
def test_a_worker_goes_on_with_the_threads_it_has(
    app: Windlass, threads: ThreadRefusals, new_threads: NewThreads
) -> None:
    @app.task
    def plain(number: int) -> int:
        return number

    with app.worker(concurrency=4):
        assert plain.enqueue(0).result(timeout=PATIENCE) == 0
        threads.refuse("windlass-run")
        jobs = [plain.enqueue(number) for number in range(20)]
        assert [job.result(timeout=PATIENCE) for job in jobs] == list(range(20))
        assert len(new_threads.named("windlass-run")) == 1
        threads.allow()
        with gate() as closed:
            holding = app.task(name="holding")(closed.wait)
            held = [holding.enqueue() for _ in range(4)]
            eventually(lambda: all(job.refresh().state is State.RUNNING for job in held), "all four run at once")
            eventually(lambda: len(new_threads.named("windlass-run")) == 4, "each on a thread of its own")


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("thread", ["windlass-children", "windlass-child", "windlass-child-"])
def test_an_isolated_run_begins_when_its_threads_can_be_started(
    crew: Windlass, threads: ThreadRefusals, thread: str
) -> None:
    with crew.worker(children=1):
        threads.refuse(thread.removesuffix("-"), times=2 if thread.endswith("-") else 1)
        assert enqueue(crew, "echo", 1).result(timeout=PATIENCE) == 1
        assert enqueue(crew, "echo", 2).result(timeout=PATIENCE) == 2
    assert threads.refused


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("thread", ["windlass-orders", "windlass-interrupts"])
def test_a_child_that_gets_no_thread_is_nobodys_failure(
    crew: Windlass,
    thread: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """B6: a limit of threads binds children, too."""
    flag = tmp_path / "refuse"
    flag.touch()
    (tmp_path / "sitecustomize.py").write_text(REFUSING.format(flag=str(flag), thread=thread))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    caplog.set_level(logging.ERROR, "windlass.worker")
    with crew.worker(["default"], children=1):
        job = enqueue(crew, "echo", 1)
        eventually(lambda: any("cannot be started" in entry.message for entry in caplog.records), "it is told")
        eventually(lambda: job.refresh().state is State.PENDING, "it goes back")
        flag.unlink()
        assert job.result(timeout=PATIENCE) == 1
    assert (job.refresh().attempt, job.errors) == (1, ())


@pytest.mark.only_on("sqlite")
def test_isolated_runs_outlast_a_time_without_files(crew: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """B6: their children are started when there are files again; none is charged, and the error is told once."""

    ran = Event()

    @crew.task
    def plain() -> None:
        ran.set()

    caplog.set_level(logging.ERROR, "windlass.worker")
    with crew.worker(["default"], concurrency=4, children=2) as worker:
        eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready")
        with no_files() as allow:  # this thread does without reading the store, too: that takes a file
            job = enqueue(crew, "echo", 1)
            eventually(lambda: any("cannot be started" in entry.message for entry in caplog.records), "it is told")
            eventually(lambda: worker.status().running == 0, "it waits elsewhere, or goes back")
            plain.enqueue()
            assert ran.wait(PATIENCE), "others run"
            allow()
        assert job.result(timeout=PATIENCE) == 1
        assert job.refresh().attempt == 1
    assert len([entry for entry in caplog.records if "cannot be started" in entry.message]) == 1


@pytest.mark.only_on("sqlite")
def test_coroutines_outlast_a_time_without_files(app: Windlass) -> None:
    """B6: an event loop needs some of its own."""

    @app.task
    async def coroutine() -> str:
        return "done"

    with app.worker(["default"]) as worker:
        eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready")
        with no_files() as allow:
            job = coroutine.enqueue()
            eventually(lambda: worker.liveness.readiness_problem() is not None, "its loop is refused")
            allow()
        assert job.result(timeout=PATIENCE) == "done"
        assert job.refresh().attempt == 1


@pytest.mark.parametrize("thread", ["windlass-heartbeat", "windlass-watch", "windlass-rescue", "windlass-pump"])
def test_a_worker_that_gets_not_all_its_threads_leaves_nothing_behind(
    app: Windlass, threads: ThreadRefusals, thread: str, new_threads: NewThreads
) -> None:
    """B38: least of all a lease that is renewed; and may be started again."""

    @app.task
    def plain() -> str:
        return "done"

    worker = app.worker()
    threads.refuse(thread, times=1)
    with pytest.raises(StartRefused, match="refuses a thread"):
        worker.start()
    assert app.workers() == []
    eventually(
        lambda: not (new_threads.named("windlass-heartbeat") or new_threads.named("windlass-watch")),
        "no thread is left",
    )
    assert worker.state == "starting"
    with worker:
        assert plain.enqueue().result(timeout=PATIENCE) == "done"


def test_a_worker_stops_in_order_without_a_thread_for_that(app: Windlass, threads: ThreadRefusals) -> None:
    """B7."""
    with app.worker(["default"]):
        threads.refuse("windlass-shutdown")
    assert app.workers() == []


@pytest.mark.only_on("sqlite")
def test_a_worker_without_news_works_and_hears_them_later(
    app: Windlass, threads: ThreadRefusals, new_threads: NewThreads
) -> None:
    @app.task
    def plain() -> str:
        return "done"

    threads.refuse("windlass-news")
    with app.worker():
        assert plain.enqueue().result(timeout=PATIENCE) == "done"
        assert new_threads.named("windlass-news") == []
        threads.allow()
        eventually(lambda: new_threads.named("windlass-news"), "it listens after all")


def test_a_caller_waits_for_a_result_without_a_thread_for_that(app: Windlass, threads: ThreadRefusals) -> None:
    """A5."""

    is_awaited = Event()

    @app.task
    def plain() -> bool:
        return is_awaited.wait(PATIENCE)

    threads.refuse("windlass-waiter")
    with app.worker(), ThreadPoolExecutor(1) as callers:
        result = callers.submit(plain.enqueue().result, timeout=PATIENCE)
        eventually(lambda: threads.refused, "the caller waits")
        is_awaited.set()
        assert result.result(PATIENCE) is True


def test_an_async_caller_is_told_and_nothing_of_the_call_happens(app: Windlass, threads: ThreadRefusals) -> None:
    """A3: a call that was refused does not happen later on."""

    @app.task
    def plain() -> str:
        return "done"

    async def call() -> None:
        threads.refuse("windlass-store")
        with pytest.raises(StartRefused):
            await plain.aenqueue()
        threads.allow()
        await plain.aenqueue()

    asyncio.run(call())
    assert len(app.jobs()) == 1


@pytest.mark.only_on("sqlite")
def test_async_callers_share_the_threads_there_are(app: Windlass, threads: ThreadRefusals) -> None:
    @app.task
    def plain() -> str:
        return "done"

    async def call() -> None:
        await plain.aenqueue()
        threads.refuse("windlass-store")
        await asyncio.gather(*(plain.aenqueue() for _ in range(10)))

    asyncio.run(call())
    assert len(app.jobs()) == 11


@pytest.mark.only_on("sqlite")
def test_a_task_that_gets_no_thread_of_its_own_begins_again_uncharged(app: Windlass, threads: ThreadRefusals) -> None:
    """A17: ``asyncio.to_thread`` in a coroutine."""
    calls: list[int] = []

    @app.task
    async def coroutine() -> None:
        await asyncio.to_thread(calls.append, 1)

    with app.worker():
        threads.refuse("windlass-to-thread", times=1)
        job = coroutine.enqueue()
        eventually(lambda: job.refresh().state is State.SCHEDULED, "it waits")
        assert (calls, job.attempt) == ([], 0)
        job.retry()
        job.result(timeout=PATIENCE)
    assert calls == [1]


@pytest.mark.only_on("sqlite")
def test_a_program_that_the_system_cannot_start_now_is_no_failed_attempt(app: Windlass) -> None:
    """A17: and nothing is left of it."""
    reaper = Reaper()
    argv = ["/bin/sh", "-c", "exit 7"]

    def code() -> int:
        group = ProcessGroup.start(argv, env={}, cwd=None, has_stdin=False, reaper=reaper)
        eventually(lambda: group.has_ended, "it ends by itself")
        return group.reap()

    try:
        with no_files(), pytest.raises(StartRefused, match="/bin/sh"):
            code()
        assert code() == 7, "the first of the reaper's files was refused"
        before = open_files()
        with no_files(), pytest.raises(StartRefused, match="/bin/sh"):
            code()
        assert open_files() == before
        assert code() == 7
    finally:
        reaper.close()


@pytest.mark.only_on("sqlite")
def test_a_worker_process_that_cannot_be_started_keeps_no_file_open() -> None:
    """B11: otherwise the hundredth try would fail for want of files."""
    before = open_files()
    for _ in range(3):
        with pytest.raises(FileNotFoundError):
            WorkerProcess(["/nowhere/python"])
    assert open_files() == before


@pytest.mark.only_on("sqlite")
def test_health_is_answered_without_a_thread_for_the_request(threads: ThreadRefusals) -> None:
    """B38."""
    with HealthServer(
        host="127.0.0.1", port=0, liveness_problem=lambda: None, readiness_problem=lambda: "draining"
    ) as server:
        threads.refuse("Thread-")
        with urlopen(f"{server.address}/healthz", timeout=PATIENCE) as answer:  # noqa: S310  # our own
            assert answer.read() == b"ok\n"
    assert threads.refused


@pytest.mark.only_on("sqlite")
def test_news_without_a_thread_to_send_them_later_are_sent_at_once(threads: ThreadRefusals) -> None:
    """A3: a caller whose job is stored does not hear of a thread that was refused."""
    sent: list[Topic] = []
    announcer = Notifier(sent.append)
    threads.refuse("windlass-announcer")
    for _ in range(3):
        announcer.notify(Topic.WORK)
    assert (sent, len(threads.refused)) == ([Topic.WORK] * 3, 2)
    threads.allow()
    announcer.notify(Topic.WORK)
    eventually(lambda: len(sent) == 4, "by a thread again")
    announcer.close()
