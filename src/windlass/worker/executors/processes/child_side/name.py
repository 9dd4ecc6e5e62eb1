"""The name by which a process knows that it is a child of a worker."""

from __future__ import annotations

from multiprocessing import current_process

CHILD_NAME = "windlass-child"


def is_child() -> bool:
    """Whether this process runs jobs for a worker in another process; true already while it imports its modules."""
    return current_process().name == CHILD_NAME
