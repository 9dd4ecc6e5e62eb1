"""Ends a program although store threads still wait for their store."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from threading import Thread
from threading import enumerate as all_threads
from typing import NoReturn

STORE_THREADS = "windlass-store"
"""How the names of ``StoreThreads`` begin."""
CLOSING_THREAD = "windlass-close"
"""The name of a thread that closes an app while the process waits no longer than it can."""


def end_process(code: int) -> NoReturn:
    """End with this exit code.

    The interpreter would wait for our store threads: for a call to a store that hangs, until its deadline. The callers
    of these calls are gone by now, and none of them was told that its change was made. So where a call hangs, what is
    registered for the end is done, and no thread is waited for.
    """
    if not any(map(_waits_for_store, all_threads())):
        sys.exit(code)
    atexit._run_exitfuncs()  # noqa: SLF001  # what the interpreter calls; multiprocessing ends its children so, too
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or its reader has gone
            stream.flush()
    os._exit(code)


def _waits_for_store(thread: Thread) -> bool:
    return thread.name.startswith((STORE_THREADS, CLOSING_THREAD))
