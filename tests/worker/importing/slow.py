"""A module that takes its time."""

from __future__ import annotations

from threading import current_thread

from tests.waiting import PATIENCE
from tests.worker.importing import door

door.threads.append(current_thread().name)
door.reached.set()
assert door.opened.wait(PATIENCE)


def work(number: int) -> int:
    return number


async def coroutine(number: int) -> int:
    return -number


class Tool:
    def __init__(self, number: int) -> None:
        door.made.append(number)
