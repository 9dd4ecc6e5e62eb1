"""Logs one line for every run that ended without an error.

The pump adds ended runs once per cycle. Their records are made on the thread of ``log_relay``, so that a run costs the
pump next to nothing, and nothing at all where the level of the logger is above INFO.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

from windlass import clock
from windlass.core.encryption.jobs import EncryptedJob
from windlass.core.meta import logged_correlation, read_meta, trace_id_of
from windlass.core.state import State
from windlass.threads.log_relay import JOBS_LOGGER, LogRelay, relay
from windlass.worker.fetch.cycle_client import Ended
from windlass.worker.runs.logs.job_log import are_records_plain

log = logging.getLogger(JOBS_LOGGER)

_MOST = 5_000
"""How many runs wait at the most; above that they are only counted."""
_TEXT = "job %s (%s): %s in %.3f s, attempt %s of %s, queue %s"
_LEFT_OUT = "%s more runs have ended; there were too many to log a line for each"


class _EndedRun(NamedTuple):
    """What is logged of a run. Payload and result are not kept, for they may be large."""

    at: int
    id: str
    task: str
    queue: str
    attempt: int
    max_attempts: int
    fence: int
    meta: str | None
    state: State
    reason: str | None
    ran_for: int
    is_encrypted: bool


class RunLog:
    """The lines of one worker. Filled by the pump, emptied by the thread that writes."""

    def __init__(self, *, worker: str, relay: LogRelay = relay) -> None:
        self.logger = log
        self._worker = worker
        self._relay = relay
        self._waiting: deque[_EndedRun] = deque()
        self._left_out = 0
        self._is_handed_over = False

    def add(self, ended: list[Ended], refused: Collection[int]) -> None:
        """Add runs whose endings the store has accepted; those in ``refused`` were stale writes."""
        if not log.isEnabledFor(logging.INFO):
            return
        now, room = clock.now(), max(0, _MOST - len(self._waiting))
        self._left_out += len(ended) - len(ended[:room])
        self._waiting.extend(
            _EndedRun(
                now,
                job.id,
                job.task,
                job.queue,
                job.attempt + 1,
                job.max_attempts,
                job.fence,
                job.meta,
                ending.state,
                ending.reason,
                ending.ran_for,
                isinstance(job, EncryptedJob),
            )
            for ending, job in ended[:room]
            if ending.ran_for is not None and ending.state not in _TOLD_ELSEWHERE and job.seq not in refused
        )
        if self._waiting and not self._is_handed_over:
            self._is_handed_over = True
            self._relay.work_off(self)

    def take(self, most: int) -> list[logging.LogRecord]:
        """Records of the next runs, the oldest first."""
        records = self._next(most)
        if not records:
            self._is_handed_over = False
            # The pump may have added runs in between without a wake-up, because this log was still in the relay.
            records = self._next(most)
            self._is_handed_over = bool(records)
        if self._left_out and len(self._waiting) < _MOST // 2:
            left_out, self._left_out = self._left_out, 0
            with suppress(Exception):
                fields: dict[str, object] = {"worker": self._worker, "left_out": left_out}
                records.append(self._made(_LEFT_OUT, (f"{left_out:,}",), fields))
        return records

    def _next(self, most: int) -> list[logging.LogRecord]:
        records: list[logging.LogRecord] = []
        is_plain = are_records_plain(log)
        while self._waiting and len(records) < most:
            run = self._waiting.popleft()
            with suppress(Exception):  # of a record factory of the application: the thread writes for others too
                records.append(self._record(run, like=records[0] if is_plain and records else None))
        return records

    def _record(self, run: _EndedRun, *, like: logging.LogRecord | None) -> logging.LogRecord:
        """The record of a run: a copy of one that was made a moment ago, if there is one."""
        outcome = run_outcome(run.state, run.reason)
        meta = read_meta(run.meta)
        seconds = run.ran_for / 1000
        args = (run.id, run.task, outcome, seconds, run.attempt, run.max_attempts, run.queue)
        fields = {
            "job": run.id,
            "task": run.task,
            "queue": run.queue,
            "worker": self._worker,
            "attempt": run.attempt,
            "max_attempts": run.max_attempts,
            "fence": run.fence,
            "correlation_id": logged_correlation(meta.correlation_id, run.id, is_encrypted=run.is_encrypted),
            "trace_id": trace_id_of(meta),
            "event": f"job_{outcome}",
            "outcome": outcome,
            "seconds": seconds,
        }
        record = self._made(_TEXT, args, fields) if like is None else _copied(like, args, fields)
        record.created, record.msecs = run.at / 1000, float(run.at % 1000)
        return record

    def _made(self, text: str, args: tuple[object, ...], fields: dict[str, object]) -> logging.LogRecord:
        return log.makeRecord(log.name, logging.INFO, __file__, 0, text, args, None, extra=fields)


def _copied(like: logging.LogRecord, args: tuple[object, ...], fields: dict[str, object]) -> logging.LogRecord:
    """A record with other values. To make one takes as long as to write it: it looks up thread, process and module."""
    record = logging.LogRecord.__new__(logging.LogRecord)
    record.__dict__.update(like.__dict__, args=args, **fields)
    return record


_TOLD_ELSEWHERE = (State.RETRYING, State.FAILED)


def run_outcome(state: State, reason: str | None) -> str:
    """How a run ended, in a word.

    >>> run_outcome(State.SCHEDULED, None), run_outcome(State.SCHEDULED, "throttled"), run_outcome(State.PENDING, None)
    ('snoozed', 'throttled', 'released')
    """
    match state:
        case State.SCHEDULED:
            return reason or "snoozed"
        case State.PENDING:
            return "released"
        case _:
            return str(state)
