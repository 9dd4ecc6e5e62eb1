"""Reports our keys that another program has overwritten."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from threading import Lock

log = logging.getLogger("windlass.store")

_REMEMBERED = 1000
"""Keys of single jobs may be many; those beyond so many may be reported again."""


class OverwrittenKeys:
    """Logs once for each key that another program has written to it; the call that met it has gone on without it."""

    def __init__(self, *, name: str) -> None:
        self._name = name
        self._told: set[str] = set()
        self._lock = Lock()

    def report(self, keys: Iterable[str]) -> None:
        with self._lock:
            new = sorted(set(keys) - self._told)
            if len(self._told) + len(new) > _REMEMBERED:
                self._told.clear()
            self._told.update(new)
        if new:
            log.error(
                "%s: another program has written to keys of ours (WRONGTYPE), and what was there is lost: %s; delete "
                "them, and give the other program another prefix. All other queues and jobs go on",
                self._name,
                ", ".join(new),
            )
