"""The listener that stores with a server share."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterable, Iterator
from contextlib import closing
from queue import SimpleQueue
from threading import Event

import pytest

from tests.store.received_topics import ReceivedTopics
from tests.waiting import PATIENCE, eventually
from windlass.store.connection.circuit_breaker import Away
from windlass.store.connection.listener import CannotListen, Notification, NotificationListener
from windlass.store.driver import ALL_TOPICS, Topic


class Server:
    """Tells what it is told to; answers pings at once, or never."""

    def __init__(self, *, answers: bool = False) -> None:
        self._answers = answers
        self.pings = 0
        self._ours, self._theirs = socket.socketpair()
        self._said: SimpleQueue[Notification] = SimpleQueue()
        self.followed: frozenset[Topic] = frozenset()
        self.is_closed = Event()

    def say(self, topic: Topic, queue: str = "") -> None:
        self._said.put((topic, queue))
        self._ours.send(b"x")

    def hang_up(self) -> None:
        self._ours.close()

    def fileno(self) -> int:
        return self._theirs.fileno()

    def follow(self, topics: frozenset[Topic]) -> Iterable[Notification]:
        added, self.followed = topics - self.followed, topics
        return [(topic, "") for topic in added]

    def read(self) -> Iterator[Notification]:
        self._theirs.setblocking(False)
        try:
            if not self._theirs.recv(4096):
                raise Away("it hung up")
        except BlockingIOError:
            return
        while not self._said.empty():
            yield self._said.get()

    def ping(self) -> None:
        self.pings += 1
        if self._answers:
            self._ours.send(b"x")

    def close(self) -> None:
        self._theirs.close()
        self._ours.close()
        self.is_closed.set()


class Servers(list[Server]):
    """Another one for each connection."""

    def subscribe(self) -> Server:
        self.append(Server())
        return self[-1]


def test_what_is_followed_is_told() -> None:
    server, received, queues = Server(), ReceivedTopics(), SimpleQueue[str]()
    with closing(NotificationListener(lambda: server, received, filled=queues.put, topics=[Topic.WORK])) as listener:
        received.begins([Topic.WORK])
        assert listener.hears(Topic.WORK)
        server.say(Topic.WORK, "mail")
        assert queues.get(timeout=PATIENCE) == "mail"
        listener.follow([Topic.FINISHED])
        received.begins([Topic.FINISHED])
        assert not listener.hears(Topic.WORK)
        server.say(Topic.WORK)
        server.say(Topic.FINISHED)
        assert received.next() is Topic.FINISHED, "what is wanted no more is not told"
    assert server.is_closed.is_set()


def test_another_connection_tells_everything_again() -> None:
    servers, received = Servers(), ReceivedTopics()
    with closing(NotificationListener(servers.subscribe, received)):
        received.begins()
        servers[0].hang_up()
        received.begins()
        assert servers[0].is_closed.is_set()
        servers[1].say(Topic.WORK)
        assert received.next() is Topic.WORK


def test_a_server_that_does_not_answer_is_doubted_and_then_left() -> None:
    servers, received = Servers(), ReceivedTopics()
    with closing(NotificationListener(servers.subscribe, received, quiet=0.01)):
        received.begins()
        received.begins()  # in doubt
        assert servers[0].is_closed.wait(PATIENCE)
        received.begins()


def test_a_server_that_answers_at_once_is_not_doubted() -> None:
    """Also when the answer is there before the listener waits for it again."""
    server, received = Server(answers=True), ReceivedTopics()
    with closing(NotificationListener(lambda: server, received, quiet=0.01)) as listener:
        received.begins()
        eventually(lambda: server.pings >= 5, "it was asked again and again")
        assert listener.hears(Topic.WORK)
        server.say(Topic.CONTROL)
        assert received.next() is Topic.CONTROL, "no doubt came before"


def test_who_is_told_may_close_it() -> None:
    server, is_closed = Server(), Event()
    may_close = Event()

    def close(topic: Topic) -> None:
        assert may_close.wait(PATIENCE)
        listener.close()
        is_closed.set()

    listener = NotificationListener(lambda: server, close, topics=ALL_TOPICS)
    may_close.set()
    assert is_closed.wait(PATIENCE)
    assert server.is_closed.wait(PATIENCE)
    listener.close()
    listener.follow([Topic.WORK])


def test_a_server_that_passes_nothing_on_is_asked_once(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[int] = []

    def refuse() -> Server:
        asked.append(1)
        raise CannotListen("the server takes no listeners")

    with (
        caplog.at_level(logging.INFO, logger="windlass.store"),
        closing(NotificationListener(refuse, ReceivedTopics())) as listener,
    ):
        eventually(lambda: not listener._thread.is_alive())
        listener.follow([Topic.WORK])
        assert not listener.hears(Topic.WORK)
    assert asked == [1]
    assert caplog.messages == ["the server takes no listeners"]
