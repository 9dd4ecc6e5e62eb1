"""Encryption keys that a worker does not have and has claimed jobs for."""

from __future__ import annotations

import logging
from contextlib import suppress
from math import inf
from threading import Lock

from windlass import clock
from windlass.core.records import Claimed
from windlass.errors import NoKey
from windlass.worker.runs.logs.job_fields import about

log = logging.getLogger("windlass.worker")

_LOG_AGAIN = 60.0
_MOST = 100
"""How many ids of keys are remembered at the most; a damaged text may have any."""


class MissingKeys:
    """Logs each missing key once a minute."""

    def __init__(self) -> None:
        self._logged: dict[str, float] = {}
        self._lock = Lock()

    def meet(self, job: Claimed, error: NoKey) -> None:
        """Note a job that needs a key which is not at hand."""
        now = clock.monotonic()
        key = error.key_id or "?"
        with self._lock:
            if now - self._logged.get(key, -inf) < _LOG_AGAIN:
                return
            if len(self._logged) >= _MOST:
                self._logged.clear()
            self._logged[key] = now
        with suppress(Exception):  # a log handler of the user's may raise; the job is released all the same
            log.warning(
                "job %s (%s) of queue %s is encrypted under the key %s, which this worker does not have: it is left "
                "for one that has it; add the key to encryption_keys, or to $WINDLASS_ENCRYPTION_KEYS",
                job.id,
                job.task,
                job.queue,
                key,
                extra=about(job, "key_missing"),
            )
