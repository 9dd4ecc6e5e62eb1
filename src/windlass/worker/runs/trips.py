"""Has the store count failures of tasks that trip, and cool them down."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from windlass.client.session import Session
from windlass.client.tasks.registry import KnownTasks
from windlass.core.codec.stored_text.storable import storable
from windlass.core.encryption.jobs import EncryptedJob
from windlass.core.ending import Ending
from windlass.core.fault import outline, read_faults
from windlass.core.fault.trip import Trip
from windlass.core.records import Claimed
from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.operations.rates.trips import Failures, Tripped, count_failures
from windlass.worker.runs.throttles import Throttles

log = logging.getLogger("windlass.worker")

_MOST_CAUSES = 100
"""Of how many tasks and causes failures are counted at once."""
_TEXT_KEPT = 500
"""Bytes of what is said of a trip."""

Ended = tuple[Ending, Claimed]
Counted = Mapping[tuple[str, str], Failures]


class Trips:
    """Called by the pump between two cycles, so that a task that has tripped is not claimed for once more here."""

    def __init__(self, *, session: Session, tasks: KnownTasks, throttles: Throttles) -> None:
        self._session = session
        self._tasks = tasks
        self._throttles = throttles
        self._unsent: Counted = {}

    def ended(self, ended: Sequence[Ended], refused: Collection[int] = ()) -> None:
        """Count endings that the store has accepted; those in ``refused`` were stale writes."""
        failed = [each for each in ended if each[0].cause is not None and each[1].seq not in refused]
        if not failed and not self._unsent:
            return
        self._unsent = _joined(self._unsent, self._failures(failed))
        if not self._unsent:
            return
        try:
            tripped = self._session.run(count_failures(list(self._unsent.values())))
        except StoreUnavailable as error:
            log.debug("failures could not be counted, and are counted later: %s", error)
            return
        except WindlassError as error:
            log.error("failures could not be counted, so no task trips by them: %s", error)
            tripped = []
        for each in tripped:
            self._tell(each, self._unsent[each.task, each.cause].reason)
        self._unsent = {}

    def _failures(self, failed: Iterable[Ended]) -> Iterable[Failures]:
        for ending, job in failed:
            task = self._tasks.find(job.task)
            if task is not None and task.settings.trip is not None and ending.cause is not None:
                yield _failure(task.settings.trip, ending.cause, ending, job)

    def _tell(self, tripped: Tripped, reason: str) -> None:
        self._throttles.hold(tripped.task, tripped.left)
        log.warning(
            "task %s cools down for %g s: %s",
            tripped.task,
            tripped.left / 1000,
            reason,
            extra={"event": "task_tripped", "task": tripped.task, "cause": tripped.cause},
        )


def _joined(known: Counted, more: Iterable[Failures]) -> Counted:
    counted = dict(known)
    for each in more:
        key = each.task, each.cause
        before = counted.get(key)
        if before is not None:
            counted[key] = replace(each, number=before.number + each.number)
        elif len(counted) < _MOST_CAUSES:
            counted[key] = each
    return counted


def _failure(rule: Trip, cause: str, ending: Ending, job: Claimed) -> Failures:
    said = "" if isinstance(job, EncryptedJob) else _said(ending)
    text = f"tripped: {rule.failures} runs failed within {rule.window / 1000:g} s by one cause, {cause}{said}"
    return Failures(
        task=job.task,
        cause=cause,
        number=1,
        most=rule.failures,
        within=rule.window,
        rest=rule.length,
        job=job.id,
        reason=storable(text, _TEXT_KEPT),
    )


def _said(ending: Ending) -> str:
    """The error of a run; nothing where it cannot be read."""
    faults = read_faults(ending.errors).faults
    return f" ({faults[-1].type}: {outline(faults[-1].message)})" if faults else ""
