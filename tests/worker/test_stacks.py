"""The stacks that a worker shows: what is asked for most comes first and is not crowded out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread

from tests.waiting import PATIENCE, eventually
from windlass.worker.process.stacks import stacks


@contextmanager
def parked(name: str, *, depth: int = 0) -> Iterator[None]:
    """A thread of this name that waits so many calls below ``waits``."""
    may_end = Event()
    thread = Thread(target=waits, args=(may_end, depth), name=name)
    thread.start()
    try:
        yield
    finally:
        may_end.set()
        thread.join(PATIENCE)


def waits(may_end: Event, depth: int) -> None:
    if depth:
        waits(may_end, depth - 1)
    may_end.wait(PATIENCE)


def test_the_thread_of_a_job_is_shown_however_many_others_there_are() -> None:
    """Each of the others is at a depth of its own, so that no two share a stack."""
    with ExitStack() as stack:
        for depth in range(1, 51):
            stack.enter_context(parked(f"another-{depth}", depth=depth))
        stack.enter_context(parked("windlass-run-1"))
        eventually(lambda: "bytes in all]" in stacks([]))
        assert "thread windlass-run-1:" in stacks([])


def test_threads_at_the_same_place_share_a_stack() -> None:
    with ExitStack() as stack:
        for number in range(3):
            stack.enter_context(parked(f"alike-{number}", depth=7))
        eventually(lambda: "threads alike-0, alike-1, alike-2:" in stacks([]))
