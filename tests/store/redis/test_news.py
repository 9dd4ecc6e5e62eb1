"""News: what one process tells, others hear; and nothing depends on it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from threading import Event, enumerate
from time import monotonic

import pytest

from tests.leeway import leeway
from tests.servers.redis_node import RedisNode
from tests.store.builders import new_job
from tests.store.open_files import many_open_files
from tests.store.received_topics import SECONDS, ReceivedTopics
from tests.store.stores import open_store
from tests.waiting import eventually
from windlass.store.connection.listener import NotificationListener
from windlass.store.driver import Topic
from windlass.store.open import open_driver
from windlass.store.redis.connection import Connection
from windlass.store.redis.connector import Connector
from windlass.store.redis.driver import RedisDriver
from windlass.store.redis.news import subscribe


@pytest.mark.parametrize("topic", Topic)
def test_what_is_told_is_heard(node: RedisNode, topic: Topic) -> None:
    """C4: by others and by the teller, with its topic."""
    received = ReceivedTopics()
    with open_store(node.url) as listener, open_store(node.url) as teller, closing(listener.driver.listen(received)):
        received.begins()
        teller.driver.notify(topic)
        assert received.next() is topic


def test_a_job_in_an_empty_queue_is_heard_of(node: RedisNode) -> None:
    """C4: storing it tells, in the same step; with jobs that wait already nobody has to be woken."""
    received = ReceivedTopics()
    with open_store(node.url) as listener, open_store(node.url) as teller, closing(listener.driver.listen(received)):
        received.begins()
        teller.enqueue(new_job())
        assert received.next() is Topic.WORK
        teller.enqueue(new_job())
        teller.driver.notify(Topic.FINISHED)
        assert received.next() is Topic.FINISHED
        teller.enqueue(new_job(queue="other"))
        assert received.next() is Topic.WORK


def test_another_namespace_hears_nothing(node: RedisNode) -> None:
    """S11."""
    ours, other = ReceivedTopics(), ReceivedTopics()
    with (
        open_store(node.url) as teller,
        closing(open_driver(node.url, namespace="other")) as stranger,
        closing(stranger.listen(other)),
        closing(teller.driver.listen(ours)),
    ):
        ours.begins()
        other.begins()
        teller.enqueue(new_job())
        assert ours.next() is Topic.WORK
        assert other.is_silent()


def test_a_listener_comes_back_after_a_restart_and_is_told_to_look(node: RedisNode) -> None:
    """What was told while nobody listened may be lost, so that everybody looks once."""
    received = ReceivedTopics()
    with open_store(node.url) as store, closing(store.driver.listen(received)):
        received.begins()
        node.kill()
        node.start()
        received.begins()
        store.enqueue(new_job())
        store.driver.notify(Topic.WORK)
        assert received.next() is Topic.WORK


def test_a_server_that_fell_silent_is_left(node: RedisNode) -> None:
    """S4: a network that swallows everything tells nobody; a listener must find out by itself."""
    received = ReceivedTopics()
    attempts: list[float] = []
    with open_store(node.url) as store:
        driver = store.driver
        assert isinstance(driver, RedisDriver)

        class Counting(Connector):
            def connect(self, until: float) -> Connection:
                attempts.append(until)
                return super().connect(until)

        connector = Counting(driver._address, prefix="{windlass}:", inspection=driver._inspection)
        subscription = partial(subscribe, connector, prefix="{windlass}:", patience=0.5)
        with closing(NotificationListener(subscription, received, quiet=0.2)):
            received.begins()
            node.freeze()
            eventually(lambda: len(attempts) > 1)
            received.begins()  # in doubt, before it leaves
            node.thaw()
            received.begins()


@pytest.mark.parametrize("trouble", [RedisNode.freeze, RedisNode.kill])
@pytest.mark.parametrize("is_connected", [True, False])
def test_closing_is_immediate_whatever_the_server_does(
    node: RedisNode, trouble: Callable[[RedisNode], None], is_connected: bool
) -> None:
    with open_store(node.url) as store:
        if not is_connected:
            trouble(node)
        received = ReceivedTopics()
        news = store.driver.listen(received)
        if is_connected:
            received.begins()
            trouble(node)
        started = monotonic()
        news.close()
        assert monotonic() - started < leeway(1)


def test_a_listener_may_close_the_news(node: RedisNode) -> None:
    received, closes, heard, said = ReceivedTopics(), Event(), Event(), []
    with open_store(node.url) as store:

        def close(topic: Topic) -> None:
            received(topic)
            if closes.is_set():
                said.append(topic)
                news.close()
                heard.set()

        news = store.driver.listen(close)
        received.begins()
        closes.set()
        store.enqueue(new_job())
        store.driver.notify(Topic.WORK)
        assert heard.wait(SECONDS)
        eventually(lambda: not any(thread.name == "windlass-news" for thread in enumerate()))
        assert said == [Topic.WORK]


def test_a_program_with_very_many_open_files_hears(node: RedisNode) -> None:
    """S6: a descriptor above 1,023 is none that ``select`` takes."""
    received = ReceivedTopics()
    with open_store(node.url) as store, many_open_files(), closing(store.driver.listen(received)):
        received.begins()
        store.driver.notify(Topic.WORK)
        assert received.next() is Topic.WORK


def test_telling_costs_nothing_while_the_server_is_away(node: RedisNode) -> None:
    """What was enqueued is enqueued; the news alone is not worth a wait."""
    with open_store(node.url, deadline=60) as store:
        store.enqueue(new_job())
        node.kill()
        started = monotonic()
        store.driver.notify(Topic.WORK)
        assert monotonic() - started < leeway(5)
