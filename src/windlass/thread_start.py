"""Starting threads: the system may refuse one, and what was to run on it must not be lost with it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

from windlass.errors import StartRefused


def start_thread(target: Callable[..., None], *args: Any, name: str) -> Thread:
    """A daemon thread that runs; ``StartRefused`` when the system has none to give, and then nothing of it is left.

    Start first, list then: whoever lists a thread before it runs believes in one that never came.
    """
    thread = Thread(target=target, args=args, name=name, daemon=True)
    try:
        thread.start()
    except (RuntimeError, MemoryError) as error:
        raise StartRefused(f"the system refuses a thread ({error}); look at its limits") from error
    return thread
