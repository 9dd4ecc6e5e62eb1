"""Threads on duty do not wait for log handlers, and nothing that they log is lost."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

import windlass
from windlass.threads.log_relay import LOGGERS, LogRelay, relay
from windlass.threads.start import start_thread

PATIENCE = 20
NAMED = re.compile(r'getLogger\("([a-z._]+)"\)')


class Held(logging.Handler):
    """Takes nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = Event()
        self.taken: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        assert self.go_on.wait(PATIENCE)
        self.taken.append(f"{record.threadName}: {record.getMessage()}")


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    made = logging.getLogger("windlass.test_log_relay")
    made.propagate = False
    yield made
    made.handlers.clear()
    made.filters.clear()


def test_a_thread_on_duty_does_not_wait_for_a_handler_that_hangs(logger: logging.Logger) -> None:
    handler, relay = Held(), LogRelay()
    logger.addHandler(handler)
    logger.addFilter(relay)

    def on_duty() -> None:
        relay.take_over()
        for number in range(20):
            logger.error("%s", number)

    start_thread(on_duty, name="duty").join(PATIENCE)
    assert handler.taken == []
    assert not relay.flush(0.01)
    handler.go_on.set()
    assert relay.flush(PATIENCE)
    assert handler.taken == [f"duty: {number}" for number in range(20)]


@pytest.mark.parametrize("name", LOGGERS)
def test_none_of_our_loggers_has_a_thread_on_duty_wait(name: str) -> None:
    """Also at DEBUG: a line for each call of the store, say."""
    handler, logger = Held(), logging.getLogger(name)
    logger.addHandler(handler)
    try:
        thread = start_thread(logger.error, "something", name="duty")
        thread.join(PATIENCE / 2)
        assert not thread.is_alive()
        handler.go_on.set()
        assert relay.flush(PATIENCE)
    finally:
        logger.removeHandler(handler)
    assert "duty: something" in handler.taken


def test_every_logger_is_thought_of() -> None:
    """Those that are not relayed belong to threads that run jobs or serve people."""
    source = Path(windlass.__file__).parent
    named = {name for file in source.rglob("*.py") for name in NAMED.findall(file.read_text(encoding="utf-8"))}
    people = {"windlass.cli", "windlass.dev", "windlass.supervisor", "windlass.web"}
    assert named - set(LOGGERS) == people | {"windlass.command", "windlass.helper"}


def test_what_a_handler_that_hangs_for_good_leaves_behind_is_bounded_and_counted(logger: logging.Logger) -> None:
    handler, relay = Held(), LogRelay()
    logger.addHandler(handler)
    logger.addFilter(relay)
    relay_limit = 10_000

    def on_duty() -> None:
        relay.take_over()
        for number in range(relay_limit + 500):
            logger.error("%s", number)

    start_thread(on_duty, name="duty").join(PATIENCE)
    assert relay.dropped_count >= 400
    handler.go_on.set()
    assert relay.flush(PATIENCE)
    assert len(handler.taken) <= relay_limit + 100
    assert any("were dropped" in entry for entry in handler.taken)


def test_a_handler_that_raises_ends_nothing(logger: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            raise OSError("gone")

    relay = LogRelay()
    logger.addHandler(Broken())
    logger.addFilter(relay)

    def on_duty() -> None:
        relay.take_over()
        logger.error("one")
        logger.error("two")

    start_thread(on_duty, name="duty").join(PATIENCE)
    assert relay.flush(PATIENCE)
    assert "two" in capsys.readouterr().err


def test_other_threads_log_as_they_always_did(logger: logging.Logger) -> None:
    handler, relay = Held(), LogRelay()
    handler.go_on.set()
    logger.addHandler(handler)
    logger.addFilter(relay)
    logger.error("here")
    assert len(handler.taken) == 1


class Runs:
    """A backlog of three records."""

    def __init__(self, logger: logging.Logger) -> None:
        self.logger = logger
        self._left = [logging.makeLogRecord({"msg": str(number), "levelno": logging.INFO}) for number in range(3)]

    def take(self, most: int) -> list[logging.LogRecord]:
        taken, self._left = self._left[:most], self._left[most:]
        return taken


class Batches(logging.Handler):
    """Notes what came together."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[list[str]] = []

    def handle_all(self, records: list[logging.LogRecord]) -> None:
        if records:
            self.taken.append([record.getMessage() for record in records])

    def emit(self, record: logging.LogRecord) -> None:
        self.taken.append([record.getMessage()])


@pytest.mark.parametrize(
    ("beside", "taken"),
    [
        (None, [["0", "1", "2"]]),
        (logging.NullHandler(), [["0"], ["1"], ["2"]]),
        (logging.Filter(), [["0"], ["1"], ["2"]]),
    ],
)
def test_a_handler_of_many_records_gets_them_together_unless_others_want_each(
    beside: logging.Handler | logging.Filter | None, taken: list[list[str]]
) -> None:
    handler, relay = Batches(), LogRelay()
    logger = logging.Logger("alone")  # noqa: LOG001  # without the root logger, which has a handler of pytest's
    logger.addHandler(handler)
    if isinstance(beside, logging.Handler):
        logger.addHandler(beside)
    elif beside is not None:
        logger.addFilter(beside)
    relay.work_off(Runs(logger))
    assert relay.flush(PATIENCE)
    assert handler.taken == taken
