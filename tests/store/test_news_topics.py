"""News of what is followed, and of nothing else."""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.store.builders import new_job
from tests.store.received_topics import ReceivedTopics
from tests.store.stores import Store
from tests.waiting import eventually
from windlass.store.driver import Topic


@pytest.mark.only_on("postgres", "redis")
def test_topics_that_are_not_followed_are_not_heard(store: Store) -> None:
    """Each ending woke every worker process, although hardly ever one of them waits for a result."""
    other, received = store.another(), ReceivedTopics()
    with closing(store.driver.listen(received, topics=[Topic.CONTROL])) as news:
        received.begins([Topic.CONTROL])
        assert news.hears(Topic.CONTROL)
        assert not news.hears(Topic.FINISHED)
        other.driver.notify(Topic.FINISHED)
        other.driver.notify(Topic.CONTROL)
        assert received.next() is Topic.CONTROL
        assert received.is_silent()


@pytest.mark.only_on("postgres", "redis")
def test_a_topic_that_is_followed_later_is_told_once_and_heard_from_then_on(store: Store) -> None:
    """Who begins to wait looks once it can hear: what came before that is found, what comes after is told."""
    other, received = store.another(), ReceivedTopics()
    with closing(store.driver.listen(received, topics=[Topic.CONTROL])) as news:
        received.begins([Topic.CONTROL])
        for _ in range(3):
            news.follow([Topic.CONTROL, Topic.FINISHED])
            assert received.next() is Topic.FINISHED
            assert news.hears(Topic.FINISHED)
            other.driver.notify(Topic.FINISHED)
            assert received.next() is Topic.FINISHED
            news.follow([Topic.CONTROL])
            eventually(lambda: not news.hears(Topic.FINISHED))
            other.driver.notify(Topic.FINISHED)
            other.driver.notify(Topic.CONTROL)
            assert received.next() is Topic.CONTROL


@pytest.mark.only_on("postgres", "redis")
def test_nothing_is_lost_while_topics_change(store: Store) -> None:
    """What comes together with the answer to a change is heard as well."""
    other, received = store.another(), ReceivedTopics()
    with closing(store.driver.listen(received, topics=[Topic.CONTROL])) as news:
        received.begins([Topic.CONTROL])
        for number in range(50):
            news.follow([Topic.CONTROL, Topic.BACKLOG] if number % 2 else [Topic.CONTROL])
            other.driver.notify(Topic.CONTROL)
            while received.next() is not Topic.CONTROL:
                pass


def test_work_is_heard_of_whatever_else_is_followed(store: Store) -> None:
    other, received = store.another(), ReceivedTopics()
    with closing(store.driver.listen(received, topics=[Topic.WORK])) as news:
        eventually(lambda: news.hears(Topic.WORK))
        other.enqueue(new_job())
        other.driver.notify(Topic.WORK)
        assert received.next() is Topic.WORK
        assert not news.hears(Topic.FINISHED)
