"""What inotify tells of the log file, and of nothing else in its folder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from select import POLLIN, poll
from threading import Event
from time import monotonic

import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.stores import open_store
from tests.waiting import PATIENCE, eventually
from tests.worker.system_limits import ThreadRefusals, open_files
from windlass import StartRefused
from windlass.store.driver import Topic
from windlass.store.sqlite.commit_topics import CommitTopics
from windlass.store.sqlite.group_commit import CommitsSeen
from windlass.store.sqlite.log_watch import LogWatch
from windlass.store.sqlite.news import WatchedNews, pauses, pauses_afterwards, wait


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "jobs.db-wal"


@pytest.fixture
def watch(log: Path) -> Iterator[LogWatch]:
    with closing(LogWatch(str(log).removesuffix("-wal"))) as watch:
        yield watch


def write(file: Path) -> None:
    with file.open("ab") as opened:
        opened.write(b"x")


def reported(watch: LogWatch) -> bool | None:
    """Whether a write to the log was reported; None when nothing was reported at all."""
    waiting = poll()
    waiting.register(watch.descriptor, POLLIN)
    return watch.read() if waiting.poll(0) else None


def test_other_files_in_the_folder_wake_nobody(log: Path, watch: LogWatch) -> None:
    """C4: the folder of the default file is the working folder, where programs write their logs."""
    for name in ("app.log", "jobs.db", "jobs.db-wal-old"):
        write(log.with_name(name))
        assert reported(watch) is False, "a file was made, and it was not the log"
        write(log.with_name(name))
        assert reported(watch) is None
    write(log)
    assert reported(watch) is True
    write(log)
    assert reported(watch) is True
    assert reported(watch) is None


def test_a_log_that_is_there_already_is_watched(log: Path) -> None:
    write(log)
    with closing(LogWatch(str(log).removesuffix("-wal"))) as watch:
        assert reported(watch) is None
        write(log)
        assert reported(watch) is True


def test_a_log_that_is_made_anew_or_replaced_is_watched(log: Path, watch: LogWatch) -> None:
    """C4: SQLite deletes it with the last connection."""
    other = log.with_name("other")
    write(log)
    assert reported(watch) is True
    log.unlink()
    reported(watch)
    write(log)
    assert reported(watch) is True, "made anew"
    write(other)
    reported(watch)
    other.rename(log)
    assert reported(watch) is True, "replaced"
    write(log)
    assert reported(watch) is True


def test_events_that_were_lost_count_as_a_write(log: Path, watch: LogWatch) -> None:
    """C4: the system keeps only so many for one who does not read them."""
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    one, other = log.with_name("one"), log.with_name("other")
    write(one)
    for _ in range(most // 2 + 2):
        one.rename(other)
        other.rename(one)
    told_of = []
    while (is_written := reported(watch)) is not None:
        told_of.append(is_written)
    assert told_of[-1] is True
    write(log)
    assert reported(watch) is True


def test_a_database_behind_a_link_is_watched(tmp_path: Path) -> None:
    """C4: its log lies beside the file itself."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "jobs.db")
    place, woken = SqlitePlace(tmp_path / "link.db", "?news=auto"), Event()
    with open_store(place) as listener, open_store(place) as writer:
        writer.enqueue(new_job())
        with closing(listener.driver.listen(lambda topic: woken.set())):
            writer.enqueue(new_job())
            assert woken.wait(PATIENCE)


def test_a_commit_is_looked_for_soon_and_for_long_enough() -> None:
    """C4: a slow disk costs no more than 5 ms beyond its own time."""
    planned = list(pauses())
    assert planned[:4] == [0.0002, 0.0004, 0.0008, 0.0016]
    assert (max(planned), 0.4 < sum(planned) <= 0.5) == (0.005, True)


def test_less_than_a_millisecond_is_less_than_a_millisecond() -> None:
    """C4: ``poll`` alone would round up; the machine may be busy, but not all the time."""

    def took() -> float:
        began = monotonic()
        assert wait(poll(), 0.0002) == []
        return monotonic() - began

    eventually(lambda: took() < 0.001, "a short wait is short")


def commits(wake: Callable[[], None]) -> CommitTopics:
    """Calls ``wake`` for each commit."""
    return CommitTopics(lambda topic: wake(), topics=[Topic.FINISHED], work=lambda: (False, None))


@pytest.mark.parametrize("seen", [CommitsSeen.OURS, CommitsSeen.FOREIGN])
def test_a_commit_that_was_found_is_not_looked_for_any_longer(log: Path, seen: CommitsSeen) -> None:
    """A heartbeat of each worker makes every other look: a hundred times each, until half a second was over, and six
    times once it was found.
    """
    checks: SimpleQueue[CommitsSeen] = SimpleQueue()
    sights = iter([CommitsSeen.NOTHING, seen])

    def check() -> CommitsSeen:
        checks.put(sight := next(sights, CommitsSeen.NOTHING))
        return sight

    log.touch()  # that it is made would be an event of its own
    path = str(log).removesuffix("-wal")
    with closing(WatchedNews(path, commits(lambda: None), check=check, monotonic=lambda: 0.0)):
        write(log)
        while checks.get(timeout=PATIENCE) is not seen:
            pass
        for _ in range(2):
            checks.get(timeout=PATIENCE)
    assert checks.empty()


@pytest.mark.parametrize(("took", "checks"), [(0.0, 2), (0.0005, 2), (0.002, 4), (0.01, 6), (10.0, 6)])
def test_where_commits_take_long_another_one_is_looked_for_longer(took: float, checks: int) -> None:
    """C4: one that was on its way, and written before the look that found the other."""
    planned = list(pauses_afterwards(took))
    assert len(planned) == checks
    assert min(took * 2, 0.3) <= sum(planned) <= max(took * 40, 0.015)


def test_a_look_that_fails_is_not_the_last(log: Path, caplog: pytest.LogCaptureFixture) -> None:
    """C4: it is watched, and the next commit is noticed."""
    failures, woken = [ValueError("no such thing")], Event()

    def check() -> CommitsSeen:
        if failures:
            raise failures.pop()
        return CommitsSeen.FOREIGN

    with closing(WatchedNews(str(log).removesuffix("-wal"), commits(woken.set), check=check)):
        write(log)
        assert woken.wait(PATIENCE)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_one_that_gets_no_thread_leaves_no_file_open(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_files()
    ThreadRefusals(monkeypatch).refuse("windlass-news")
    with pytest.raises(StartRefused):
        WatchedNews(str(log).removesuffix("-wal"), commits(lambda: None), check=lambda: CommitsSeen.NOTHING)
    assert open_files() == before
