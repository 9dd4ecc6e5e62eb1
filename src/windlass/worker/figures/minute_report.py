"""Logs a line a minute: what a process does, and how its store answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta

from windlass import clock
from windlass.client.session import Session
from windlass.errors import WindlassError
from windlass.store.operations.queries import depth
from windlass.worker.process.resources import resident_memory

log = logging.getLogger("windlass.worker")

_EVERY = 60.0


class MinuteReport:
    """One process; ``facts`` are its counts, by the names that they have in the log."""

    def __init__(
        self,
        *,
        session: Session,
        name: str,
        facts: Callable[[], Mapping[str, object]],
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        self._session = session
        self._name = name
        self._facts = facts
        self._monotonic = monotonic
        self._began = monotonic()
        self._due = self._began + _EVERY

    def tick(self) -> None:
        """Log the line if it is due. While the store is away there is none: that is logged by itself."""
        now = self._monotonic()
        if now < self._due or not log.isEnabledFor(logging.INFO):
            return
        self._due = now + _EVERY
        try:
            depths = self._session.run(depth())
        except WindlassError:
            return
        latency = self._monotonic() - now
        facts = self._facts()
        memory, ready = resident_memory(), sum(found.ready for found in depths.values())
        log.info(
            "%s: %s; %s jobs ready in %s queues, memory %.0f MB, up %s, the store answers in %.1f ms",
            self._name,
            ", ".join(f"{name} {value}" for name, value in facts.items()),
            f"{ready:,}",
            len(depths),
            memory / 2**20,
            timedelta(seconds=round(now - self._began)),
            latency * 1000,
            extra={
                "event": "minute",
                "worker": self._name,
                "memory": memory,
                "ready": ready,
                "uptime": round(now - self._began),
                "latency": latency,
                **facts,
            },
        )
