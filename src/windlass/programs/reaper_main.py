"""The reaper's own process.

Its only argument is the worker's process id. On stdin it reads one line per event: ``?mark`` before a program is
started with that mark in its environment, ``!mark`` after the start has succeeded or failed, ``+123`` and ``-123`` for
a process group that begins or ends, ``.`` at the end. It imports nothing but a few modules of the standard library, so
that it starts fast and stays small.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress

MARKER = "WINDLASS_GUARDED"
_LOOK_AGAIN = 1.0


def main(parent: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends after its worker, never before
    groups, marks = _left_behind(parent)
    for group in (*groups, *_started_with(marks)):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _left_behind(parent: int) -> tuple[set[int], set[bytes]]:
    """The groups that have not ended when the worker does, and the marks whose groups are unknown."""
    groups: set[int] = set()
    marks: set[bytes] = set()
    for line in _lines(parent):
        kind, what = line[:1], line[1:]
        if kind == b"?":
            marks.add(what)
        elif kind == b"!":
            marks.discard(what)
        elif kind == b"+":
            groups.add(int(what))
        else:
            groups.discard(int(what))
    return groups, marks


def _lines(parent: int) -> Iterator[bytes]:
    """The lines of the worker until its end."""
    unread = b""
    # A process that the worker forked may hold the pipe open, so the end of the pipe alone is not enough.
    while os.getppid() == parent or _is_readable():
        if not _is_readable(_LOOK_AGAIN):
            continue
        chunk = os.read(0, 65536)
        if not chunk:
            return
        *lines, unread = (unread + chunk).split(b"\n")
        for line in lines:
            if line == b".":
                return
            yield line


def _is_readable(seconds: float = 0.0) -> bool:
    return bool(select.select([0], [], [], seconds)[0])


def _started_with(marks: set[bytes]) -> Iterator[int]:
    """The groups of programs that were started in the worker's last moment, where the system shows environments."""
    wanted = {MARKER.encode() + b"=" + mark for mark in marks}
    for name in os.listdir("/proc") if wanted and os.path.isdir("/proc") else ():
        with suppress(OSError, ValueError), open(f"/proc/{int(name)}/environ", "rb") as environment:
            if wanted.intersection(environment.read().split(b"\0")):
                yield os.getpgid(int(name))


if __name__ == "__main__":
    main(int(sys.argv[1]))
