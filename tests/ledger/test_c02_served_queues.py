"""Which queues a worker serves; the command line and its exit code are in tests/cli."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import Apps, gate, work
from windlass import ConfigError, State, Windlass
from windlass.cli.commands.workers.unnamed_queues import warn_of_unnamed_queues


def test_a_worker_serves_what_it_names(app: Windlass) -> None:
    """C2: as a list or with weights; other queues are left alone."""

    @app.task(name="noop")
    def noop() -> None: ...

    jobs = {queue: noop.options(queue=queue).enqueue() for queue in ("mail", "reports", "default")}
    assert app.worker(queues={"mail": 3, "reports": 1}).queues == {"mail": 3, "reports": 1}
    assert work(app, queues=["mail", "reports"]) == 2
    assert jobs["default"].refresh().state is State.PENDING


def test_not_given_it_serves_those_that_its_tasks_name(app: Windlass) -> None:
    """C2: and the default queue; routes count as naming."""
    app.configure(routes={"reports.": "reports"})

    @app.task(queue="mail")
    def send() -> None: ...

    @app.task(name="reports.daily")
    def daily() -> None: ...

    assert app.worker().queues == {"default": 1, "mail": 1, "reports": 1}


@pytest.mark.parametrize("queues", [[], {}, "", "mail", ["no spaces"], {"-mail": 1}, ["x" * 129], [""], [None]])
def test_queues_that_are_none_are_refused(app: Windlass, queues: Any) -> None:
    """C2: given but empty, or an illegal name."""

    @app.task
    def noop() -> None: ...

    with pytest.raises(ConfigError, match="queue"):
        app.worker(queues=queues)
    assert app.workers() == []


@pytest.mark.parametrize("weight", [0, -1, 1.5, "heavy", 1001])
def test_a_weight_that_makes_no_sense_is_refused(app: Windlass, weight: Any) -> None:
    """C2: the error names the queue."""

    @app.task
    def noop() -> None: ...

    with pytest.raises(ConfigError, match="weight of queue 'mail'"):
        app.worker(queues={"mail": weight})


def test_neither_tasks_nor_queues_is_refused(app: Windlass, new_app: Apps) -> None:
    """C2: it would have nothing to do; an app that may import has."""
    with pytest.raises(ConfigError, match="import the modules that hold them"):
        app.worker()
    assert new_app(importable=["tests."]).worker().queues == {"default": 1}
    assert app.worker(queues=["mail"]).queues == {"mail": 1}


@pytest.mark.parametrize("name", ["a", "A", "0", "mail", "eu-west.mail_2", "x" * 128])
def test_a_legal_name(app: Windlass, name: str) -> None:
    """C2: letters, digits, dot, underscore and hyphen, at most 128."""
    assert app.worker(queues=[name]).queues == {name: 1}


def test_a_queue_without_a_worker_is_told(app: Windlass) -> None:
    """C2: why says that nobody serves it, until somebody does."""

    with gate() as busy:

        @app.task(queue="mail")
        def slow() -> None:
            busy.wait()

        _, job = slow.enqueue_many([(), ()])
        assert job.why() == "no worker serves queue 'mail'"
        with app.worker(queues=["other"]):
            assert job.why() == "no worker serves queue 'mail'"
        with app.worker(queues=["mail"], concurrency=1):
            busy.await_entered()
            assert job.why() == "it is next in line and waits for a free slot"
            busy.open()


def test_a_worker_shows_what_it_serves(app: Windlass) -> None:
    """C2: to everybody who asks for the workers."""

    @app.task
    def noop() -> None: ...

    with app.worker(queues=["mail", "reports"]):
        assert app.workers()[0].info["queues"] == ["mail", "reports"]


def test_a_queue_that_nothing_names_is_warned_of(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """C2: also when a worker has served it; jobs and settings in the store name a queue."""
    app.enqueue(app.request("somewhere.else", queue="letters"))
    app.queue("limited").configure(weight=2)
    served = ["default", "letters", "limited", "lettres"]
    work(app, queues=served)
    warn_of_unnamed_queues(app, served)
    [text] = [record.getMessage() for record in caplog.records if "names queue" in record.getMessage()]
    assert text.startswith("no task, route, setting or job names queue 'lettres' (did you mean 'letters'?);")
