"""What a job says while it runs is kept with what it raised."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextvars import copy_context
from typing import Any

import pytest

from tests.ledger.apps import failure_of, work
from tests.waiting import PATIENCE
from tests.worker.isolated.tasks import isolated
from windlass import ActiveJob, Job, Retry, Windlass, current_job

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store

log = logging.getLogger("shop.orders")
log.setLevel(logging.INFO)


def kept(job: Job[Any]) -> list[str]:
    """The log of a job's newest error, without the times."""
    return [line.partition(" ")[2] for line in job.refresh().errors[-1].log.splitlines()]


@pytest.mark.parametrize("kind", ["thread", "async"])
def test_what_a_job_logs_is_kept_with_its_error(app: Windlass, kind: str) -> None:
    """By each attempt, and by nobody else."""

    @app.task(retry=Retry(attempts=2, base=0))
    def plain(name: str, *, job: ActiveJob) -> None:
        log.info("%s, attempt %s", name, job.attempt)
        log.debug("below the logger's level")
        raise ValueError(name)

    @app.task(retry=Retry(attempts=2, base=0))
    async def coroutine(name: str, *, job: ActiveJob) -> None:
        await asyncio.sleep(0)
        plain(name, job=job)

    log.info("before any job")
    jobs = (plain if kind == "thread" else coroutine).enqueue_many([(name,) for name in "abc"])
    with app.worker(concurrency=3):
        for job in jobs:
            failure_of(job)
    for job, name in zip(jobs, "abc", strict=True):
        first, second = job.refresh().errors
        assert first.log[12:] == f" INFO shop.orders: {name}, attempt 1"
        assert second.log[12:] == f" INFO shop.orders: {name}, attempt 2"


def test_a_silent_job_has_no_log(app: Windlass) -> None:
    @app.task(retry=Retry(attempts=1))
    def silent() -> None:
        raise ValueError

    job = silent.enqueue()
    work(app)
    assert job.refresh().errors[0].log == ""


def test_threads_that_a_job_starts_with_its_context_speak_for_it(app: Windlass) -> None:
    @app.task(retry=Retry(attempts=1))
    async def spread() -> None:
        thread = threading.Thread(target=copy_context().run, args=(log.info, "from a thread"))
        thread.start()
        thread.join()
        await asyncio.to_thread(log.info, "from to_thread")
        stranger = threading.Thread(target=log.info, args=("from a stranger",))
        stranger.start()
        stranger.join()
        raise ValueError

    job = spread.enqueue()
    work(app)
    assert kept(job) == ["INFO shop.orders: from a thread", "INFO shop.orders: from to_thread"]


def test_many_threads_of_a_job_may_log_at_once(app: Windlass) -> None:
    @app.task(retry=Retry(attempts=1))
    def busy() -> None:
        def speak(number: int) -> None:
            for line in range(200):
                log.info("thread %s line %s", number, line)

        threads = [threading.Thread(target=copy_context().run, args=(speak, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        raise ValueError

    job = busy.enqueue()
    work(app)
    lines = job.refresh().errors[0].log.splitlines()
    assert len(lines) == 201
    assert next(line for line in lines if line.startswith("[...")).startswith("[... 600 entries left out")


@pytest.mark.only_on("sqlite")
def test_loggers_that_do_not_propagate_and_no_handlers_are_no_obstacle(app: Windlass) -> None:
    """Records are heard where they are made."""
    alone = logging.getLogger("shop.alone")
    alone.propagate = False
    alone.addHandler(logging.NullHandler())

    @app.task(retry=Retry(attempts=1))
    def speak() -> None:
        alone.warning("heard")
        raise ValueError

    job = speak.enqueue()
    work(app)
    assert kept(job) == ["WARNING shop.alone: heard"]


@pytest.mark.only_on("sqlite")
def test_logging_is_configured_as_if_nobody_listened(app: Windlass) -> None:
    """A handler of ours at the root would keep ``basicConfig`` from doing anything."""
    before = list(logging.getLogger().handlers)
    with app.worker(["default"]):
        assert logging.getLogger().handlers == before


@pytest.mark.only_on("sqlite")
def test_an_exception_is_kept_with_its_traceback(app: Windlass) -> None:
    @app.task(retry=Retry(attempts=1))
    def handle() -> None:
        try:
            raise KeyError("order 7")
        except KeyError:
            log.exception("not found")
        raise ValueError

    job = handle.enqueue()
    work(app)
    text = job.refresh().errors[0].log
    assert "ERROR shop.orders: not found\nTraceback (most recent call last):\n" in text
    assert text.endswith("KeyError: 'order 7'")


@pytest.mark.only_on("sqlite")
def test_a_message_that_cannot_be_made_is_kept_as_it_is(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)

    @app.task(retry=Retry(attempts=1))
    def careless() -> None:
        log.propagate = False
        log.info("%d orders", "many")
        log.propagate = True
        raise ValueError

    job = careless.enqueue()
    work(app)
    assert kept(job) == ["INFO shop.orders: '%d orders' (its arguments do not fit: TypeError)"]


def test_a_run_whose_time_was_over_keeps_what_it_had_logged(app: Windlass) -> None:
    """Also of a run that somebody else ended."""

    @app.task(retry=Retry(attempts=1), timeout=0.1)
    async def slow() -> None:
        log.info("waiting")
        await asyncio.Event().wait()

    with app.worker():
        job = slow.enqueue()
        assert failure_of(job).type == "TimeoutError"
    assert kept(job) == ["INFO shop.orders: waiting"]


def test_a_child_keeps_what_its_job_logs_and_prints(app: Windlass) -> None:
    """A record that a handler prints is kept once; a line that was not ended is kept too."""
    isolated(app)
    with app.worker(children=1):
        [job] = app.enqueue_many([app.request("talk", ["hello"], attempts=1)])
        failure_of(job)
        [silent] = app.enqueue_many([app.request("broken", ["no word"], attempts=1)])
        failure_of(silent)
    lines = job.refresh().errors[0].log.splitlines()
    assert lines[:2] == ["printed hello", "on stderr"]
    assert lines[2].endswith(" WARNING shop.child: logged hello")
    assert lines[3:] == ["not ended"]
    assert silent.refresh().errors[0].log == ""


@pytest.mark.parametrize("kind", ["thread", "async"])
def test_the_log_of_a_run_that_returns_is_kept_if_its_task_asks_for_it(app: Windlass, kind: str) -> None:
    """Beside the errors of earlier attempts, and with the result."""

    def plain() -> int:
        attempt = current_job().attempt
        log.info("attempt %s", attempt)
        if attempt == 1:
            raise ValueError
        return attempt

    async def coroutine() -> int:
        return plain()

    function = plain if kind == "thread" else coroutine
    keeping = app.task(name="keeping", keep_log=True, retry=Retry(attempts=2, base=0))(function)
    forgetting = app.task(name="forgetting", retry=Retry(attempts=2, base=0))(function)
    with app.worker():
        kept_log, forgotten = keeping.enqueue(), forgetting.enqueue()
        assert (kept_log.result(timeout=PATIENCE), forgotten.result(timeout=PATIENCE)) == (2, 2)
    assert kept_log.refresh().log[12:] == " INFO shop.orders: attempt 2"
    assert [fault.log[12:] for fault in kept_log.errors] == [" INFO shop.orders: attempt 1"]
    assert forgotten.refresh().log[12:] == " INFO shop.orders: attempt 1"


def test_a_child_keeps_the_log_of_a_run_that_returns(app: Windlass) -> None:
    isolated(app)
    with app.worker(children=1):
        [job] = app.enqueue_many([app.request("chat", ["hello"])])
        assert job.result(timeout=PATIENCE) == "hello"
    assert job.refresh().log == "printed hello"


@pytest.mark.parametrize("end", ["killed", "deaf"])
def test_the_last_words_of_a_child_that_dies_are_kept(app: Windlass, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """W5: of a crash, and of a run that had to be killed; the newest of them, if there were many."""
    monkeypatch.setattr("windlass.worker.executors.processes.executor._KILL_AFTER", 0.5)
    isolated(app)
    with app.worker(children=1):
        [job] = app.enqueue_many([app.request("last_words", [end], attempts=1, timeout=2)])
        assert failure_of(job).type == {"killed": "windlass.ProcessDied", "deaf": "TimeoutError"}[end]
    lines = job.refresh().errors[-1].log.splitlines()
    assert lines[-1].endswith(" WARNING shop.child: the end")
    first = int(lines[0].split()[1])
    assert lines[:-1] == [f"line {number} {'.' * 40}" for number in range(first, 1000)]
    assert 50 < len(lines) < 100
