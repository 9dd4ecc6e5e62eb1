"""What a step does when its function raised, or when the store is away."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from windlass import clock
from windlass.active_job import wait_in_run
from windlass.core.retry import Retry
from windlass.core.units import duration
from windlass.errors import (
    Cancel,
    LeaseLost,
    PermanentError,
    RetryableError,
    Snooze,
    StoreNotFound,
    StoreUnavailable,
    Throttled,
)
from windlass.steps.calls import StepCall
from windlass.store.operation import Operation

log = logging.getLogger("windlass.worker")

_STEERING = (PermanentError, Snooze, Throttled, Cancel, LeaseLost)
"""What a function raises to steer its job, not its step."""
_ASK_AGAIN = 1.0
"""Seconds until the store is asked again that was away."""

A = TypeVar("A")


class StoreAccess(Protocol):
    """The store as the runs of a worker reach it: a session, or in a child the worker's."""

    def run(self, operation: Operation[A]) -> A: ...

    async def arun(self, operation: Operation[A]) -> A: ...


class WaitingRun(Protocol):
    """The run for which a step waits."""

    @property
    def id(self) -> str: ...

    def checkpoint(self) -> None:
        """Raise if the run has to stop."""


def tried(call: StepCall, run: WaitingRun) -> Any:
    """What the function returns, at the first try that does not raise."""
    attempt = 0
    while True:
        attempt += 1
        try:
            return call()
        except Exception as error:
            pause = _pause_after(error, attempt, call.retry)
            if pause is None:
                raise
        run.checkpoint()  # also on a thread of the task's own, which does not know its run
        wait_in_run(pause)


async def atried(call: StepCall) -> Any:
    """``tried`` for async code: coroutines are awaited, plain functions run on a thread."""
    import asyncio
    import inspect

    attempt = 0
    while True:
        attempt += 1
        try:
            value = call() if call.is_async else await asyncio.to_thread(call)
            return await value if inspect.isawaitable(value) else value
        except Exception as error:
            pause = _pause_after(error, attempt, call.retry)
            if pause is None:
                raise
        await clock.asleep(pause)


def _pause_after(error: Exception, attempt: int, retry: Retry | None) -> float | None:
    """How many seconds to wait before the next try; None if there is none."""
    if retry is None or attempt >= retry.attempts or isinstance(error, _STEERING):
        return None
    if isinstance(error, RetryableError) and error.delay is not None:
        return duration(error.delay, "RetryableError: delay").total_seconds()
    return retry.delay(attempt, roll=clock.roll())


def asked(session: StoreAccess, ask: Callable[[], Operation[A]], run: WaitingRun) -> A:
    """What the store answers, also if it is away for a while: the function of a step has run already, and would run
    again for nothing. A run that has to stop stops waiting.
    """
    is_told = False
    while True:
        try:
            return session.run(ask())
        except StoreNotFound:
            raise
        except StoreUnavailable as error:
            is_told = _tell(run, error, is_told=is_told)
        run.checkpoint()
        wait_in_run(_ASK_AGAIN)


async def aasked(session: StoreAccess, ask: Callable[[], Operation[A]], run: WaitingRun) -> A:
    """``asked`` for async code."""
    is_told = False
    while True:
        try:
            return await session.arun(ask())
        except StoreNotFound:
            raise
        except StoreUnavailable as error:
            is_told = _tell(run, error, is_told=is_told)
        run.checkpoint()
        await clock.asleep(_ASK_AGAIN)


def _tell(run: WaitingRun, error: StoreUnavailable, *, is_told: bool) -> bool:
    if not is_told:
        log.warning("job %s: its step waits for the store, which is away: %s", run.id, error)
    return True
