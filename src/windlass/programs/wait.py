"""Waits for a program, and stops it when its run is stopped."""

from __future__ import annotations

from collections.abc import Iterator

from windlass import clock
from windlass.active_job import running
from windlass.core.outcome import StopReason
from windlass.errors import JobInterrupted
from windlass.programs.pipes import Stream
from windlass.programs.process_group import ProcessGroup

LOOK_AGAIN = 0.1
"""Seconds after which a request to stop is noticed at the latest."""
_ONE_RUN = (StopReason.CANCELLED, StopReason.TIMED_OUT)
_NO_PATIENCE = 0.1
"""Seconds, for a worker that stops or has lost its lease: it has no time left."""


def wanted_stop() -> StopReason | None:
    """Why the run on this thread has to stop, if it has to."""
    run = running.get()
    return None if run is None else run.stop


def output_until_end(group: ProcessGroup, *, kill_after: float) -> Iterator[tuple[Stream, bytes]]:
    """The output of a program, as it comes, until its end.

    When the run on this thread has to stop, the program gets SIGTERM, is killed if it has not ended ``kill_after``
    seconds later, and when it is gone ``JobInterrupted`` is raised.
    """
    asked: float | None = None
    while not group.has_ended:
        yield from group.pipes.turn(LOOK_AGAIN)
        stop = wanted_stop()
        if stop is None:
            continue
        if asked is None:
            asked = clock.monotonic()
            group.terminate()
        elif clock.monotonic() - asked >= (kill_after if stop in _ONE_RUN else _NO_PATIENCE):
            group.kill()
    yield from group.pipes.rest()
    if asked is not None:
        raise JobInterrupted
