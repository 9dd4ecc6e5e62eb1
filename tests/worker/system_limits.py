"""A system that refuses threads or files for a while."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

_STANDARD_STREAMS = 3
"""A limit for numbers of files: these three are open all the time, and no other may be opened."""


class ThreadRefusals:
    """Refuses threads by the beginning of their name, as a system does that has none left."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._wanted: dict[str, float] = {}
        self.refused: list[str] = []
        start = Thread.start

        def start_or_refuse(thread: Thread) -> None:
            self._refuse_if_wanted(thread.name)
            start(thread)

        patch.setattr(Thread, "start", start_or_refuse)

    def refuse(self, name: str, *, times: float = float("inf")) -> None:
        """From now on, so many times or until ``allow``."""
        self._wanted[name] = times

    def allow(self) -> None:
        self._wanted.clear()

    def _refuse_if_wanted(self, name: str) -> None:
        for beginning, times in self._wanted.items():
            if name.startswith(beginning) and times > 0:
                self._wanted[beginning] = times - 1
                self.refused.append(name)
                raise RuntimeError("can't start new thread")


@contextmanager
def no_files() -> Iterator[Callable[[], None]]:
    """Let this process open no more files, also not in place of one that it closes meanwhile; what is yielded, or the
    end of the block, allows it again.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def allow() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    resource.setrlimit(resource.RLIMIT_NOFILE, (_STANDARD_STREAMS, hard))
    try:
        yield allow
    finally:
        allow()


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))
