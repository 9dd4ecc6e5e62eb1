"""Notices commits of other processes.

Linux reports writes to the log through inotify; elsewhere, and with ``?news=poll``, SQLite's own change counter is
asked, often while something happens and less often in quiet times. Both only say that a check is worth while.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from itertools import chain
from select import POLLIN, poll

from windlass import clock
from windlass.store.driver import News, Topic
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.commit_topics import CommitTopics
from windlass.store.sqlite.group_commit import CommitsSeen
from windlass.store.sqlite.log_watch import LogWatch
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup

log = logging.getLogger("windlass.store")

_QUICKEST = 0.005
_SLOWEST = 0.05
_FIRST_LOOK = 0.0002
_LONGEST_PAUSE = 0.005
_LOOK_FOR = 0.5
_LOOK_AFTERWARDS = 20
"""For how many times as long as a commit took to be seen another one is looked for."""
_AFTERWARDS_AT_MOST = 0.3
_MILLISECOND = 0.001
_AFTER_FAILURE = 1.0


class _Silent:
    """A database in memory has no other processes, so nothing is missed."""

    def hears(self, topic: Topic) -> bool:
        return True

    def follow(self, topics: Collection[Topic]) -> None:
        pass

    def close(self) -> None:
        pass


def listen(address: Address, commits: CommitTopics, *, check: Callable[[], CommitsSeen]) -> News:
    """Report to ``commits`` from a thread whenever a ``check`` has seen a commit of another connection."""
    if address.is_memory:
        return _Silent()
    if address.news == "auto" and sys.platform == "linux":
        try:
            return WatchedNews(address.path, commits, check=check)
        except OSError:
            pass  # no inotify instances left, or a kernel without: polling always works
    return PolledNews(commits, check=check)


class _CommitNews:
    def __init__(self, commits: CommitTopics, check: Callable[[], CommitsSeen]) -> None:
        self._commits = commits
        self._commits_seen = check

    def hears(self, topic: Topic) -> bool:
        return self._commits.hears(topic)

    def follow(self, topics: Collection[Topic]) -> None:
        self._commits.followed = frozenset(topics)

    def _check(self) -> CommitsSeen:
        """Notify those who wait if another process has committed something; what was seen."""
        try:
            seen = self._commits_seen()
            if seen is CommitsSeen.FOREIGN:
                self._commits.notify()
            return seen
        except Exception:  # the top of a service: no check that fails may be the last one
            log.exception("looking for commits of other processes failed, trying again")
            clock.sleep(_AFTER_FAILURE)
        return CommitsSeen.NOTHING

    def _look_for_backlog(self) -> float:
        """How many seconds until the next look."""
        try:
            return self._commits.look_for_backlog()
        except Exception:  # see above
            log.exception("looking for jobs that no worker has claimed failed, trying again")
        return _AFTER_FAILURE


class WatchedNews(_CommitNews):
    """Checks for news when inotify reports a write to the log file, which may well be one of our own."""

    def __init__(
        self,
        path: str,
        commits: CommitTopics,
        *,
        check: Callable[[], CommitsSeen],
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        super().__init__(commits, check)
        self._monotonic = monotonic
        with ExitStack() as opened:
            self._log = LogWatch(path)
            opened.callback(self._log.close)
            self._stop_reading, self._stop_writing = os.pipe()
            for end in (self._stop_reading, self._stop_writing):
                opened.callback(os.close, end)
            self._thread = start_thread(self._run, name="windlass-news")
            self._opened = opened.pop_all()

    def close(self) -> None:
        os.write(self._stop_writing, b"x")
        self._thread.join()
        self._opened.close()

    def _run(self) -> None:
        watched = poll()  # unlike select, it takes the descriptors of programs that have very many
        for source in (self._log.descriptor, self._stop_reading):
            watched.register(source, POLLIN)
        checks: Iterator[float] = iter(())
        written = self._monotonic()
        while True:
            if not self._commits.wants_commits:
                if self._stand_by():
                    return
                checks, written = pauses(), self._monotonic()
            pause = next(checks, None)
            readable = wait(watched, pause)
            if self._stop_reading in readable:
                return
            if readable:
                if not self._is_written():
                    checks = _resumed(pause, checks)
                    continue
                checks, written = pauses(), self._monotonic()
            if self._check() is not CommitsSeen.NOTHING:
                checks = pauses_afterwards(self._monotonic() - written)

    def _stand_by(self) -> bool:
        """Watch no commits until they matter again; true if there is no more to do at all."""
        stop = poll()
        stop.register(self._stop_reading, POLLIN)
        self._log.suspend()
        while not self._commits.wants_commits:
            if wait(stop, self._look_for_backlog()):
                return True
        try:
            self._log.resume()
        except OSError as error:
            _warn(error)
        return False

    def _is_written(self) -> bool:
        try:
            return self._log.read()
        except OSError as error:  # the system has no watch left for a log that was made anew
            _warn(error)
            return True


def _warn(error: OSError) -> None:
    log.warning("commits of other processes are noticed later than usual: %s", error)


def pauses() -> Iterator[float]:
    """How long to wait between checks after a write to the log, in seconds.

    The log is written before the disk has it, and only then the commit can be seen: mostly within a millisecond, on a
    slow disk much later. A commit that takes long is seen at most ``_LONGEST_PAUSE`` after its end.
    """
    pause = total = _FIRST_LOOK
    while total < _LOOK_FOR:
        yield pause
        pause = min(pause * 2, _LONGEST_PAUSE)
        total += pause


def pauses_afterwards(took: float) -> Iterator[float]:
    """How long to wait between checks once a commit was found that explains a write, ``took`` seconds after it.

    Another commit may have been on its way, which was written before that check and could not be seen yet. It takes
    about as long as the last one did: on a fast disk two checks are enough, which matters because a heartbeat of each
    worker makes every other worker check. What comes later still is found by the check that one worker makes for all.
    """
    pause, total = _LONGEST_PAUSE, 0.0
    longest = min(took * _LOOK_AFTERWARDS, _AFTERWARDS_AT_MOST)
    while total < max(longest, 2 * _LONGEST_PAUSE):
        yield pause
        total += pause
        pause *= 2


def wait(watched: poll, pause: float | None) -> list[int]:
    """Wait for events, so many seconds at the most; the descriptors that have some.

    ``poll`` counts whole milliseconds. What is shorter is slept, and what happens meanwhile is seen at its end.
    """
    if pause is not None and pause < _MILLISECOND:
        clock.sleep(pause)
        pause = 0.0
    return [source for source, _ in watched.poll(None if pause is None else pause * 1000)]


def _resumed(pause: float | None, checks: Iterator[float]) -> Iterator[float]:
    """The checks that were planned, after something that was not about the log."""
    return checks if pause is None else chain([pause], checks)


class PolledNews(_CommitNews):
    """Looks for news every 5 ms while there are any, every 50 ms in quiet times."""

    def __init__(self, commits: CommitTopics, *, check: Callable[[], CommitsSeen]) -> None:
        super().__init__(commits, check)
        self._stopped = Wakeup()
        self._thread = start_thread(self._run, name="windlass-news")

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        pause = _QUICKEST
        while not clock.wait(self._stopped, pause):
            if not self._commits.wants_commits:
                pause = self._look_for_backlog()
            elif self._check() is CommitsSeen.FOREIGN:
                pause = _QUICKEST
            else:
                pause = min(pause * 1.2, _SLOWEST)
