"""The announcer: news goes out at once, a burst of it is few pieces, and the last one is never lost."""

from __future__ import annotations

import os
from queue import Empty, Queue
from time import monotonic

from windlass.errors import StoreUnavailable
from windlass.store.connection.notifier import Notifier
from windlass.store.driver import Topic

SECONDS = 20.0
MOMENT = 0.005
"""Seconds between two pieces of news about work, at the least."""


class Sent:
    """Where news goes, and in which order."""

    def __init__(self) -> None:
        self._topics: Queue[Topic] = Queue()

    def __call__(self, topic: Topic) -> None:
        self._topics.put(topic)

    def next(self) -> Topic:
        return self._topics.get(timeout=SECONDS)

    def rest(self) -> list[Topic]:
        rest = []
        while True:
            try:
                rest.append(self._topics.get_nowait())
            except Empty:
                return rest


def test_the_first_news_has_gone_out_when_tell_returns() -> None:
    sent = Sent()
    Notifier(sent).notify(Topic.WORK)
    assert sent.rest() == [Topic.WORK]


def test_the_last_of_a_burst_goes_out_by_itself() -> None:
    sent = Sent()
    announcer = Notifier(sent)
    announcer.notify(Topic.WORK)
    announcer.notify(Topic.WORK)
    assert [sent.next(), sent.next()] == [Topic.WORK, Topic.WORK]


def test_a_burst_is_few_pieces_of_news() -> None:
    sent = Sent()
    announcer = Notifier(sent)
    began = monotonic()
    for _ in range(1_000):
        announcer.notify(Topic.WORK)
    announcer.close()
    moments = (monotonic() - began) / MOMENT
    assert 2 <= len(sent.rest()) <= 2 + moments, "the first, the last, and one a moment in between"


def test_topics_do_not_hold_each_other_up() -> None:
    sent = Sent()
    announcer = Notifier(sent)
    announcer.notify(Topic.WORK)
    announcer.notify(Topic.FINISHED)
    assert sent.rest() == [Topic.WORK, Topic.FINISHED]


def test_closing_sends_what_waits() -> None:
    sent = Sent()
    announcer = Notifier(sent)
    announcer.notify(Topic.FINISHED)
    announcer.notify(Topic.FINISHED)
    announcer.close()
    assert sent.rest() == [Topic.FINISHED, Topic.FINISHED]


def test_a_store_that_is_away_is_no_error_of_the_teller() -> None:
    tried = Sent()

    def fail(topic: Topic) -> None:
        tried(topic)
        raise StoreUnavailable("away")

    announcer = Notifier(fail)
    announcer.notify(Topic.WORK)
    announcer.notify(Topic.WORK)
    announcer.close()
    announcer.notify(Topic.FINISHED)
    assert tried.rest() == [Topic.WORK, Topic.WORK, Topic.FINISHED], "it goes on after each failure"


def test_a_forked_child_tells_for_itself() -> None:
    sent = Sent()
    announcer = Notifier(sent)
    announcer.notify(Topic.WORK)
    announcer.notify(Topic.WORK)
    child = os.fork()
    if child == 0:
        sent.rest()
        announcer.notify(Topic.WORK)
        os._exit(0 if sent.rest() == [Topic.WORK] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    announcer.close()
