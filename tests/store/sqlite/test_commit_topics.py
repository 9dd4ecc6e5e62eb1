"""What a commit of another process is about."""

from __future__ import annotations

from contextlib import closing

from tests.store.builders import new_job
from tests.store.received_topics import ReceivedTopics
from tests.store.stores import Store
from tests.waiting import eventually
from windlass.store.driver import Topic
from windlass.store.sqlite.commit_topics import CommitTopics


class Found:
    """What looks for work find, and how many there were."""

    def __init__(self, is_waiting: bool, due: int | None = None) -> None:
        self.answer = is_waiting, due
        self.looks = 0

    def __call__(self) -> tuple[bool, int | None]:
        self.looks += 1
        return self.answer


def told(found: Found, *, topics: tuple[Topic, ...] = (Topic.WORK,)) -> tuple[CommitTopics, list[Topic]]:
    heard: list[Topic] = []
    return CommitTopics(heard.append, topics=topics, work=found), heard


def test_work_is_told_where_there_is_some() -> None:
    """Heartbeats, claims and endings of others sent every idle worker for jobs, with a lock that keeps others away."""
    found = Found(is_waiting=False)
    commits, heard = told(found)
    commits.notify()
    assert heard == []
    found.answer = True, None
    commits.notify()
    assert heard == [Topic.WORK]


def test_a_job_that_is_due_sooner_than_any_other_is_told_of_once() -> None:
    """C4: upkeep has to come back in time for it."""
    found = Found(is_waiting=False, due=2_000)
    commits, heard = told(found)
    for due, count in [(2_000, 1), (2_000, 1), (1_500, 2), (None, 2), (3_000, 3), (4_000, 3)]:
        found.answer = False, due
        commits.notify()
        assert len(heard) == count


def test_endings_are_told_only_while_they_are_followed() -> None:
    found = Found(is_waiting=False)
    commits, heard = told(found)
    commits.notify()
    commits.followed = frozenset([Topic.WORK, Topic.FINISHED])
    commits.notify()
    assert heard == [Topic.FINISHED]
    commits.followed = frozenset([Topic.FINISHED])
    commits.notify()
    assert found.looks == 2, "nothing is looked up for nobody"


def test_beside_a_backlog_not_every_commit_is_looked_into() -> None:
    found = Found(is_waiting=True)
    commits, heard = told(found)
    for _ in range(1_000):
        commits.notify()
    assert len(heard) == 1_000
    assert found.looks < 1_000


def test_a_heartbeat_of_another_process_is_no_news_of_work(store: Store) -> None:
    other, received = store.another(), ReceivedTopics()
    worker = other.a_worker()
    with closing(store.driver.listen(received)):
        worker.renew("busy")
        assert received.next() is Topic.FINISHED
        other.enqueue(new_job())
        eventually(lambda: received.next() is Topic.WORK)
