"""News: what one process tells, another hears; nothing depends on it."""

from __future__ import annotations

import logging
import socket
from contextlib import closing
from time import monotonic

import pytest
from msgspec.structs import replace

from tests.leeway import leeway
from tests.store.builders import new_job
from tests.store.enqueue import add
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from tests.store.received_topics import ReceivedTopics
from tests.store.stores import Store
from tests.waiting import eventually
from windlass.errors import QueueFull
from windlass.store.driver import Topic
from windlass.store.open import open_driver
from windlass.store.operation import drive
from windlass.store.operations import queues
from windlass.store.operations.enqueue import NewJob, Uniqueness

MOMENT = 0.005
"""Seconds between two pieces of news about work, at the least."""


@pytest.mark.parametrize("topic", Topic)
def test_what_one_tells_the_other_hears(opened: Opening, topic: Topic) -> None:
    """C4."""
    listener, teller, received = opened(), opened(), ReceivedTopics()
    with closing(listener.driver.listen(received)):
        received.begins()
        for _ in range(3):
            teller.driver.notify(topic)
            assert received.next() is topic


def notify(store: Store, jobs: list[NewJob], naming: Uniqueness | None = None) -> None:
    """Store jobs as an app does, so that others hear of it."""
    drive(add(jobs, {} if naming is None else {0: naming}), store.driver.store)


def transactions(database: Database) -> int:
    """How many that wrote something or told something this server has seen."""
    [(number,)] = database.run("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
    return int(number)


@pytest.mark.parametrize(
    ("jobs", "naming"),
    [([new_job()], None), ([new_job(), new_job()], None), ([new_job(key="one")], Uniqueness())],
    ids=["append_one", "append", "enqueue"],
)
def test_news_of_a_job_goes_out_in_the_transaction_that_stores_it(
    database: Database, opened: Opening, jobs: list[NewJob], naming: Uniqueness | None
) -> None:
    """G5: one commit, and nobody hears of what was not stored."""
    listener, received = opened(), ReceivedTopics()
    opened().enqueue(new_job("makes the queue"))
    with closing(listener.driver.listen(received)):
        received.begins()
        for number in range(3):
            before = transactions(database)
            notify(opened(), [another(job, number) for job in jobs], naming)
            needed = transactions(database) - before
            assert received.next() is Topic.WORK
            if needed == 1:
                break  # otherwise it may have been the server's own upkeep, which writes too
        assert needed == 1
        assert received.is_silent()


def another(job: NewJob, number: int) -> NewJob:
    key = None if job.unique_key is None else f"{job.unique_key}-{number}"
    return replace(job, id=f"{job.id}-{number}", unique_key=key)


def test_the_jobs_of_a_burst_are_told_of_as_one(database: Database, opened: Opening) -> None:
    """Not in each transaction: those that tell something commit one after the other, on the whole server."""
    listener, teller, received = opened(), opened(), ReceivedTopics()
    opened().enqueue(new_job("makes the queue"))
    with closing(listener.driver.listen(received)):
        received.begins()
        began, before = monotonic(), transactions(database)
        for _ in range(50):
            notify(teller, [new_job()])
        teller.driver.close()  # which sends what waits
        moments = (monotonic() - began) / MOMENT
        assert 51 <= transactions(database) - before <= 52 + moments
        assert received.next() is Topic.WORK


def test_an_enqueue_that_stores_nothing_tells_nothing(opened: Opening) -> None:
    listener, teller, other, received = opened(), opened(), opened(), ReceivedTopics()
    other.enqueue(new_job(queue="small"))
    other.run(queues.change("small", {"max_length": 1}, by="me"))
    with closing(listener.driver.listen(received)):
        received.begins()
        with pytest.raises(QueueFull):
            notify(teller, [new_job(queue="small")])
        other.driver.notify(Topic.FINISHED)
        assert received.next() is Topic.FINISHED
        assert received.is_silent()


def test_one_does_not_hear_oneself(opened: Opening) -> None:
    """Whoever told it knows; a worker would look twice for its own doing."""
    listener, other, received = opened(), opened(), ReceivedTopics()
    with closing(listener.driver.listen(received)):
        received.begins()
        listener.driver.notify(Topic.WORK)
        other.driver.notify(Topic.FINISHED)
        assert received.next() is Topic.FINISHED
        assert received.is_silent()


def test_stores_in_other_schemas_are_not_heard(database: Database, opened: Opening) -> None:
    """S11."""
    listener, received, teller = opened(), ReceivedTopics(), opened()
    with (
        closing(open_driver(database.url, namespace="other")) as other,
        closing(listener.driver.listen(received)),
    ):
        received.begins()
        other.notify(Topic.WORK)
        teller.driver.notify(Topic.FINISHED)
        assert received.next() is Topic.FINISHED


def test_a_burst_is_one_piece_of_news_or_two(opened: Opening) -> None:
    """The first goes out at once, the others together a moment later."""
    listener, teller, received = opened(), opened(), ReceivedTopics()
    with closing(listener.driver.listen(received)):
        received.begins()
        began = monotonic()
        for _ in range(100):
            teller.driver.notify(Topic.WORK)
        teller.driver.close()  # which sends what waits
        moments = (monotonic() - began) / MOMENT
        opened().driver.notify(Topic.FINISHED)
        heard = [received.next()]
        while heard[-1] is not Topic.FINISHED:
            heard.append(received.next())
        heard.pop()
        assert 2 <= len(heard) <= 2 + moments, "the first, the last, and one a moment in between"


def test_a_listener_whose_connection_was_cut_listens_again(database: Database, opened: Opening) -> None:
    """G3: within 2 s; and what was missed meanwhile is made good by looking at everything."""
    listener, teller, received = opened(), opened(), ReceivedTopics()
    with closing(listener.driver.listen(received)):
        received.begins()
        for _ in range(3):
            started = monotonic()
            database.end_backends()
            received.begins()
            assert monotonic() - started < leeway(8)
            teller.driver.notify(Topic.WORK)
            assert received.next() is Topic.WORK


def test_closing_is_immediate(opened: Opening) -> None:
    received = ReceivedTopics()
    news = opened().driver.listen(received)
    received.begins()
    started = monotonic()
    news.close()
    assert monotonic() - started < leeway(5)


def test_closing_is_immediate_while_the_server_does_not_answer(opened: Opening) -> None:
    """S4: the listener is in the middle of connecting."""
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen(1)
        news = opened(f"postgresql://me@127.0.0.1:{hole.getsockname()[1]}/app").driver.listen(ReceivedTopics())
        connected, _ = hole.accept()
        started = monotonic()
        news.close()
        assert monotonic() - started < leeway(5)  # the deadline is 20
        connected.close()


def test_a_listener_leaves_no_connection(database: Database, opened: Opening) -> None:
    listener, received = opened(), ReceivedTopics()
    with closing(listener.driver.listen(received)):
        received.begins()
        assert len(database.backends()) == 1
    eventually(lambda: not database.backends())


def test_nothing_is_listened_for_where_polling_was_asked_for(database: Database, opened: Opening) -> None:
    """G4: and the store works."""
    listener, teller, received = opened(database.with_options("news=poll")), opened(), ReceivedTopics()
    with closing(listener.driver.listen(received)):
        teller.enqueue(new_job())
        teller.driver.notify(Topic.WORK)
        assert listener.count() == 1
        assert len(database.backends()) == 2
        assert received.is_silent()


def test_behind_a_pooler_polling_must_do(
    database: Database, opened: Opening, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G7: a pooler makes up the process id that it tells; one line says what follows from it, and only one."""
    monkeypatch.setattr("windlass.store.postgres.news._IS_DIRECT", b"SELECT pg_backend_pid() <> $1")
    listener, received = opened(), ReceivedTopics()
    with caplog.at_level(logging.INFO, logger="windlass"), closing(listener.driver.listen(received)):
        eventually(lambda: len(caplog.records) == 1)
        eventually(lambda: not database.backends())
        assert "found by polling" in caplog.text
        assert received.is_silent()
    trusting = opened(database.with_options("news=listen"))
    with closing(trusting.driver.listen(received)):
        received.begins()


def test_telling_is_not_needed(database: Database, opened: Opening, caplog: pytest.LogCaptureFixture) -> None:
    """G5: a server that takes no NOTIFY loses nothing but speed, and nobody is told off."""
    database.run("ALTER FUNCTION pg_notify(text, text) RENAME TO pg_notify_is_gone")
    store = opened()
    with caplog.at_level(logging.DEBUG, logger="windlass"):
        notify(store, [new_job()])
        store.driver.notify(Topic.WORK)
    assert store.count() == 1
    assert caplog.records == []
