"""A change of many jobs, in batches, on a thread of its own.

Each batch is one atomic unit of some hundred jobs. A process that dies between two of them leaves what was done done,
and the rest as it was; the same order begun again finds only the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from threading import Event, Lock
from typing import TypeVar

import msgspec

from windlass import clock
from windlass.app import Windlass
from windlass.client.job_changes import CANCELLED
from windlass.client.session import ANY_JOB
from windlass.errors import StoreNotFound, StoreUnavailable, WindlassError
from windlass.insight.redact import redacted_text
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations.jobs import Act, cancelling, change_page, deleting, retrying
from windlass.store.operations.queries import Filter, find
from windlass.store.pages import Found
from windlass.web.bulk.order import BulkAction, BulkOrder
from windlass.web.problems import unexpected

log = logging.getLogger("windlass.web")

_NOTIFY: dict[BulkAction, tuple[Topic, ...]] = {
    BulkAction.RETRY: tuple(ANY_JOB),
    BulkAction.CANCEL: CANCELLED,
    BulkAction.DELETE: (),
}
_AT_ONCE = 50
"""How many jobs that are named are changed by one batch: they are read whole."""
_PATIENCE = 60.0
"""Seconds for which a store may be away before the change gives up."""
_PAUSE = 1.0
_MOST_ERRORS = 20

T = TypeVar("T")


class BulkState(StrEnum):
    """How a change stands."""

    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


class BulkChange:
    """One change under way, or what came of it."""

    def __init__(self, app: Windlass, order: BulkOrder, *, by: str, via: str) -> None:
        self._app = app
        self._stop = Event()
        self._lock = Lock()
        self._state = BulkState.RUNNING
        self.order = order
        self.by = by
        self.via = via
        self.begun_at = app.client.now()
        self.ended_at: int | None = None
        self.changed = 0
        """How many jobs were changed so far."""
        self.error: str | None = None
        """Why it failed."""
        self.errors: dict[str, str] = {}
        """By id, of jobs that were named: why one was not changed; the first of them."""

    @property
    def id(self) -> str:
        return self.order.id

    @property
    def state(self) -> BulkState:
        return BulkState.STOPPING if self._state is BulkState.RUNNING and self._stop.is_set() else self._state

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None

    def stop(self) -> bool:
        """Begin no other batch; False when it has ended already."""
        with self._lock:
            if self.is_over:
                return False
            self._stop.set()
            return True

    def run(self) -> None:
        """Do it, until it is done or is stopped."""
        try:
            is_whole = self._change_named() if self.order.ids else all(map(self._change_part, self.order.parts))
            self._end(BulkState.DONE if is_whole else BulkState.STOPPED)
        except WindlassError as error:
            if self._stop.is_set():
                self._end(BulkState.STOPPED)
                return
            self._end(BulkState.FAILED, redacted_text(str(error)))
        except Exception as error:  # the top of a thread: the page of the change has to say that it is over
            self._end(BulkState.FAILED, unexpected(error).detail)

    def _change_part(self, part: Filter) -> bool:
        """Change what one filter finds; whether that came to its end."""
        act, cursor = self._act(part), None
        while True:
            if self._stop.is_set():
                return False
            page = self._until_answered(partial(change_page, self._as_of_now(part), act, cursor=cursor))
            self.changed += page.changed
            cursor = page.next
            if cursor is None:
                return True

    def _change_named(self) -> bool:
        ids = self.order.ids
        for first in range(0, len(ids), _AT_ONCE):
            if self._stop.is_set():
                return False
            some = ids[first : first + _AT_ONCE]
            errors = self._until_answered(partial(self._change_some, some))
            self.changed += len(some) - len(errors)
            self.errors.update(list(errors.items())[: _MOST_ERRORS - len(self.errors)])
        return True

    def _change_some(self, ids: Sequence[str]) -> Operation[dict[str, str]]:
        action = self.order.action
        found = yield from find(ids)
        errors = {id: "it is not there any more" for id in ids if id not in found}
        for id, job in found.items():
            act = self._act(Filter(states=(job.state,)))
            if job.state not in action.states:
                errors[id] = f"it is {job.state}, which cannot be {action.done}"
            elif not (yield from act([Found(job.seq, id, 0)])):
                errors[id] = "it was changed meanwhile, or another job holds its unique key"
        return errors

    def _act(self, part: Filter) -> Act:
        order = self.order
        match order.action:
            case BulkAction.RETRY:
                return retrying(part, to_queue=order.to_queue, by=self.by, gap=order.gap, done=self.changed)
            case BulkAction.CANCEL:
                return cancelling(by=self.by, reason=order.reason)
            case BulkAction.DELETE:
                return deleting(part)

    def _as_of_now(self, part: Filter) -> Filter:
        """Finds jobs that had run for so long when the change was ordered, none that has reached that length since."""
        if part.running_for is None:
            return part
        since = max(0, self._app.client.now() - self.order.frozen_at)
        return msgspec.structs.replace(part, running_for=part.running_for + since)

    def _until_answered(self, operation: Callable[[], Operation[T]]) -> T:
        """Carry out a batch, repeated while the store is away: one that was done already finds nothing to change."""
        session, until = self._app.client.session, clock.monotonic() + _PATIENCE
        while True:
            try:
                return session.run(operation(), notify=_NOTIFY[self.order.action])
            except StoreNotFound:
                raise
            except StoreUnavailable:
                if clock.monotonic() >= until or clock.wait(self._stop, _PAUSE):
                    raise

    def _end(self, state: BulkState, error: str | None = None) -> None:
        with self._lock:
            self._state, self.error = state, error
            self.ended_at = self._app.client.now()
        target = f"{self.id} {state}{'' if error is None else f': {error}'}"
        try:
            self._app.record_change(
                who=self.by, via=self.via, action=ended(self.order.action), target=target, count=self.changed
            )
        except WindlassError as failure:
            log.error("change %s of many jobs, %d so far, could not be recorded: %s", target, self.changed, failure)


def begun(action: BulkAction) -> str:
    """What the audit calls its beginning."""
    return f"bulk.{action}"


def ended(action: BulkAction) -> str:
    """What the audit calls its end."""
    return f"bulk.{action}.end"
