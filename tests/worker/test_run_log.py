"""One line for every run that ended, off the threads that run jobs."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator
from itertools import count
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace

from tests.ledger.apps import work
from tests.waiting import PATIENCE, eventually
from windlass import Cancel, Retry, Snooze, Throttled, Windlass
from windlass.core.ending import Ending
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.threads.log_relay import JOBS_LOGGER, LogRelay
from windlass.threads.start import start_thread
from windlass.worker.runs.logs.run_log import RunLog

pytestmark = pytest.mark.only_on("sqlite")

BUSY = map(float, count(0, 10**9)).__next__
"""The processor time of a process that has much to do."""


@pytest.fixture
def at_info(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.INFO, JOBS_LOGGER):
        yield caplog


def lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.name == JOBS_LOGGER]


def test_a_run_is_told_with_all_that_is_known_of_it(app: Windlass, at_info: pytest.LogCaptureFixture) -> None:
    @app.task(name="welcome", queue="mail", retry=Retry(attempts=3))
    def welcome() -> None: ...

    job = welcome.options(correlation_id="request-7").enqueue()
    worker = app.worker()
    worker.run_until_empty()
    [record] = lines(at_info)
    assert record.levelname == "INFO"
    assert re.fullmatch(
        rf"job {job.id} \(welcome\): completed in \d\.\d{{3}} s, attempt 1 of 3, queue mail", record.getMessage()
    )
    fields = ("job", "task", "queue", "worker", "attempt", "max_attempts", "fence", "correlation_id", "outcome")
    assert [record.__dict__[field] for field in fields] == [
        job.id,
        "welcome",
        "mail",
        worker.name,
        1,
        3,
        1,
        "request-7",
        "completed",
    ]
    assert record.threadName == "windlass-log"
    assert abs(record.created * 1000 - (job.refresh().record.finished_at or 0)) < 60_000


def test_every_outcome_has_its_word_and_failures_are_told_once(
    app: Windlass, caplog: pytest.LogCaptureFixture, at_info: pytest.LogCaptureFixture
) -> None:
    raising = {"later": Snooze("10m"), "busy": Throttled(), "off": Cancel("enough"), "wrong": ValueError("no")}

    def task(error: Exception) -> None:
        raise error

    for name, error in raising.items():
        app.task(name=name, retry=Retry(attempts=1))(lambda error=error: task(error)).enqueue()
    work(app)
    told = {record.__dict__["task"]: record.__dict__["outcome"] for record in lines(caplog)}
    assert told == {"later": "snoozed", "busy": "throttled", "off": "cancelled"}
    [failure] = [record for record in caplog.records if record.__dict__.get("task") == "wrong"]
    assert (failure.name, failure.__dict__["outcome"]) == ("windlass.worker", "failed")


def test_a_run_that_was_cut_off_is_told_and_a_job_that_never_ran_is_not(
    app: Windlass, at_info: pytest.LogCaptureFixture
) -> None:
    begun = Event()

    @app.task(name="endless", retry=Retry(attempts=3))
    async def endless() -> None:
        begun.set()
        await asyncio.Event().wait()

    endless.enqueue_many([(), ()])
    worker = app.worker(concurrency=1)
    worker.start()
    assert begun.wait(PATIENCE)
    worker.stop(grace=0)
    [record] = lines(at_info)
    assert record.__dict__["outcome"] == "released"


def test_above_info_nothing_is_handed_over(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    class Untouched(LogRelay):
        def work_off(self, backlog: object) -> None:
            raise AssertionError

    with caplog.at_level(logging.WARNING, JOBS_LOGGER):
        RunLog(worker="till", relay=Untouched()).add(ended(3), ())


def test_what_the_store_refused_is_not_told(at_info: pytest.LogCaptureFixture) -> None:
    relay = LogRelay()
    RunLog(worker="till", relay=relay).add(ended(3), {1})
    assert relay.flush(PATIENCE)
    assert [record.__dict__["job"] for record in lines(at_info)] == ["job-0", "job-2"]


def test_more_runs_than_can_be_written_are_counted(at_info: pytest.LogCaptureFixture) -> None:
    relay = LogRelay()
    handler = Held()
    logger = logging.getLogger(JOBS_LOGGER)
    logger.addHandler(handler)
    try:
        log = RunLog(worker="till", relay=relay)
        log.add(ended(1), ())
        assert handler.reached.wait(PATIENCE)
        log.add(ended(6_000), ())
        handler.go_on.set()
        assert relay.flush(PATIENCE)
    finally:
        logger.removeHandler(handler)
    told = lines(at_info)
    left_out = sum(record.__dict__.get("left_out", 0) for record in told)
    assert left_out == 1_000
    assert sum("outcome" in record.__dict__ for record in told) == 5_001
    assert any("1,000 more runs have ended" in record.getMessage() for record in told)


def test_writing_takes_a_small_share_of_a_processor_while_the_process_is_busy() -> None:
    """After each slice the thread rests for a multiple of the processor time that the slice took; other records and a
    flush do not wait for that.
    """
    used = iter(range(1_000_000))
    relay, endless = LogRelay(thread_time=lambda: next(used) * 1_000.0, process_time=BUSY), Endless()
    handler = Held()
    endless.logger.addHandler(handler)
    endless.logger.addFilter(relay)

    def on_duty() -> None:
        relay.take_over()
        endless.logger.error("lease lost")

    try:
        relay.work_off(endless)
        assert endless.asked.wait(PATIENCE)
        start_thread(on_duty, name="duty").join(PATIENCE)
        assert handler.reached.wait(PATIENCE)
        assert endless.count == 1
        endless.is_over = True
        handler.go_on.set()
        assert relay.flush(PATIENCE)
        assert endless.count == 2
    finally:
        endless.logger.filters.clear()
        endless.logger.handlers.clear()


def test_every_run_is_written_where_there_is_nothing_else_to_do() -> None:
    """The thread rests for a small multiple of what a slice takes, so that it does not hold up whom it measures."""
    used, seconds = count(0.0, 0.1), count(0.0, 1.0)
    relay = LogRelay(monotonic=seconds.__next__, thread_time=used.__next__, process_time=lambda: 0.0)
    endless = Endless()
    endless.logger.addHandler(logging.NullHandler())
    try:
        relay.work_off(endless)
        eventually(lambda: endless.count > 5, "slices follow each other")
    finally:
        endless.is_over = True
        assert relay.flush(PATIENCE)
        endless.logger.handlers.clear()


def test_runs_are_written_while_other_records_keep_coming() -> None:
    """Also where these follow each other so closely that the thread never waits for one as long as it rests."""
    used, done = iter(range(1_000_000)), Event()
    relay, endless = LogRelay(thread_time=lambda: next(used) * 0.002, process_time=BUSY), Endless()
    endless.logger.addHandler(logging.NullHandler())
    endless.logger.addFilter(relay)

    def on_duty() -> None:
        relay.take_over()
        while not done.is_set():
            endless.logger.error("heartbeat failed")

    duty = start_thread(on_duty, name="duty")
    try:
        relay.work_off(endless)
        eventually(lambda: endless.count > 2, "it has had its turn more than once")
    finally:
        done.set()
        endless.is_over = True
        duty.join(PATIENCE)
        endless.logger.filters.clear()
        endless.logger.handlers.clear()


@pytest.fixture
def broken_factory() -> Iterator[list[str]]:
    """An application whose record factory raises for some jobs."""
    usual, broken = logging.getLogRecordFactory(), ["job-1"]

    def make(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = usual(*args, **kwargs)
        if isinstance(record.args, tuple) and record.args[0] in broken:
            raise KeyError("request")
        return record

    logging.setLogRecordFactory(make)
    yield broken
    logging.setLogRecordFactory(usual)


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_record_factory_that_raises_ends_nothing(
    at_info: pytest.LogCaptureFixture, broken_factory: list[str]
) -> None:
    """Neither the thread, nor the lines of other runs, nor those that are left out."""
    relay = LogRelay()
    log = RunLog(worker="till", relay=relay)
    log.add(ended(3), ())
    assert relay.flush(PATIENCE)
    assert [record.__dict__["job"] for record in lines(at_info)] == ["job-0", "job-2"]
    broken_factory.append("1,000")
    log.add(ended(6_000), ())
    assert relay.flush(PATIENCE)


def test_metadata_that_cannot_be_read_is_none(at_info: pytest.LogCaptureFixture) -> None:
    relay = LogRelay()
    [(ending, job)] = ended(1)
    RunLog(worker="till", relay=relay).add([(ending, replace(job, meta='{"correlation_id":7}'))], ())
    RunLog(worker="till", relay=relay).add([(ending, replace(job, meta="{\ud800"))], ())
    assert relay.flush(PATIENCE)
    assert [record.__dict__["correlation_id"] for record in lines(at_info)] == ["job-0", "job-0"]


def test_runs_that_are_written_together_have_records_of_their_own(at_info: pytest.LogCaptureFixture) -> None:
    relay = LogRelay()
    RunLog(worker="till", relay=relay).add(ended(3), ())
    assert relay.flush(PATIENCE)
    first, *others = told = lines(at_info)
    assert [record.__dict__["job"] for record in told] == ["job-0", "job-1", "job-2"]
    assert [record.getMessage().split()[1] for record in told] == ["job-0", "job-1", "job-2"]
    for record in others:
        assert record.__dict__.keys() == first.__dict__.keys()
        assert (type(record), record.threadName, record.levelname) == (logging.LogRecord, "windlass-log", "INFO")


class Endless:
    """A backlog that always has something."""

    logger = logging.getLogger("windlass.test_run_log")

    def __init__(self) -> None:
        self.asked = Event()
        self.count = 0
        self.is_over = False

    def take(self, most: int) -> list[logging.LogRecord]:
        self.count += 1
        self.asked.set()
        return [] if self.is_over else [logging.makeLogRecord({"name": "a", "levelno": logging.INFO})]


class Held(logging.Handler):
    """Takes nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.go_on = Event(), Event()

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == "a":
            return
        self.reached.set()
        assert self.go_on.wait(PATIENCE)


def ended(count: int) -> list[tuple[Ending, Claimed]]:
    return [
        (
            Ending(seq, 1, State.COMPLETED, ran_for=12),
            Claimed(seq, f"job-{seq}", "t", "q", 0, "{}", None, 0, 3, 0, 0, 1, None, 0, False, None, None, None, None),
        )
        for seq in range(count)
    ]
