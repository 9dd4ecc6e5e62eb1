"""News: commits of others are noticed, by inotify or by polling."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from tests.leeway import leeway
from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.open_files import many_open_files
from tests.store.processes import running
from tests.store.received_topics import ReceivedTopics
from tests.store.sqlite.writing_process import ask_to_write
from tests.store.stores import open_store
from windlass.store.driver import Topic
from windlass.store.sqlite.commit_topics import CommitTopics

SECONDS = 1.0
"""C4: a lost wake-up costs at most this."""


@pytest.fixture(params=["?news=auto", "?news=poll", "?news=auto&driver=stdlib", "?news=poll&driver=stdlib"])
def watched(request: pytest.FixtureRequest, tmp_path: Path) -> SqlitePlace:
    return SqlitePlace(tmp_path / "jobs.db", request.param)


def test_a_commit_through_another_driver_is_noticed(watched: SqlitePlace) -> None:
    """C4: wake-up without polling delay, every time."""
    woken = Event()
    with open_store(watched) as listener, open_store(watched) as writer:
        writer.enqueue(new_job())
        with closing(listener.driver.listen(lambda topic: woken.set())):
            for _ in range(30):
                woken.clear()
                writer.enqueue(new_job())
                assert woken.wait(leeway(SECONDS))


def test_a_commit_of_another_process_is_noticed(watched: SqlitePlace) -> None:
    """C4: wake-up without polling delay."""
    woken = Event()
    with (
        open_store(watched) as listener,
        closing(listener.driver.listen(lambda topic: woken.set())),
        running("tests.store.sqlite.writing_process", watched.url, "asked") as writer,
    ):
        for _ in range(5):
            woken.clear()
            assert ask_to_write(writer) == "written"
            assert woken.wait(leeway(SECONDS))


def test_a_program_with_very_many_open_files_notices(watched: SqlitePlace) -> None:
    """S6: a descriptor above 1,023 is none that ``select`` takes."""
    woken = Event()
    with open_store(watched) as listener, open_store(watched) as writer:
        writer.enqueue(new_job())
        with many_open_files(), closing(listener.driver.listen(lambda topic: woken.set())):
            writer.enqueue(new_job())
            assert woken.wait(leeway(SECONDS))


def test_what_is_noticed_can_be_read(watched: SqlitePlace) -> None:
    """C4: the last wake-up of a commit comes when the commit can be seen."""
    with open_store(watched) as listener, open_store(watched) as writer:
        seen, count = Event(), 0

        def look() -> None:
            if listener.count() == count:
                seen.set()

        with closing(listener.driver.listen(lambda topic: look())):
            for _ in range(20):
                seen.clear()
                count += 1
                writer.enqueue(new_job())
                assert seen.wait(leeway(SECONDS))


def test_nothing_is_told_after_the_end(watched: SqlitePlace) -> None:
    with open_store(watched) as listener, open_store(watched) as writer:
        woken, others = Event(), Event()
        with closing(listener.driver.listen(lambda topic: others.set())):
            listener.driver.listen(lambda topic: woken.set()).close()
            woken.clear()
            for _ in range(5):  # what wakes all wakes them in any order: the first time proves little
                others.clear()
                writer.enqueue(new_job())
                assert others.wait(leeway(SECONDS))
        assert not woken.is_set()


def test_several_may_listen(watched: SqlitePlace) -> None:
    first, second = Event(), Event()
    with (
        open_store(watched) as listener,
        open_store(watched) as other,
        open_store(watched) as writer,
        closing(listener.driver.listen(lambda topic: first.set())),
        closing(other.driver.listen(lambda topic: second.set())),
    ):
        for _ in range(5):
            first.clear()
            second.clear()
            writer.enqueue(new_job())
            assert first.wait(leeway(SECONDS))
            assert second.wait(leeway(SECONDS))


def test_a_process_on_standby_hears_of_jobs_that_wait_and_of_no_commit(watched: SqlitePlace) -> None:
    """Each commit of one woke all others, which took more of the machine than the jobs."""
    received = ReceivedTopics()
    with open_store(watched) as listener, open_store(watched) as writer:
        writer.enqueue(new_job())
        topics = [Topic.WORK, Topic.BACKLOG, Topic.CONTROL]
        with closing(listener.driver.listen(received, topics=topics)) as news:
            for _ in range(3):
                assert news.hears(Topic.WORK)
                assert not news.hears(Topic.BACKLOG)
                news.follow([Topic.BACKLOG, Topic.CONTROL])
                assert not news.hears(Topic.WORK)
                assert news.hears(Topic.BACKLOG)
                writer.enqueue(new_job())
                while received.next() is not Topic.BACKLOG:
                    pass
                news.follow(topics)
                writer.enqueue(new_job())
                while received.next() is not Topic.WORK:
                    pass


def test_jobs_that_stay_are_looked_for_less_and_less() -> None:
    """Those of a paused queue, or of one that no worker serves."""
    received, now_waiting = ReceivedTopics(), True
    commits = CommitTopics(received, topics=[Topic.BACKLOG], work=lambda: (now_waiting, None))
    pauses = [commits.look_for_backlog() for _ in range(10)]
    assert [received.next() for _ in pauses] == [Topic.BACKLOG] * 10
    assert pauses[0] < 0.5
    assert 0.6 <= pauses[-1] <= 1.0
    now_waiting = False
    assert commits.look_for_backlog() < 0.2
    assert received.is_silent()
