"""One round of firing: what is due, page by page, step by step."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from windlass import clock
from windlass.client.session import Session
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.driver import DataRejected
from windlass.store.operations.schedules.changes import delete, recompute
from windlass.store.operations.schedules.fire import Due, due, fire
from windlass.store.operations.schedules.records import FireResult, FireStep, ScheduleRecord
from windlass.store.operations.schedules.steps import MakeJob, Step, failed_step, steps
from windlass.store.operations.schedules.versions import synchronise
from windlass.store.operations.upkeep.leader import Lead
from windlass.store.pages import answers
from windlass.worker.duties.schedules.postponed import Postponed

log = logging.getLogger("windlass.duties")

_LONGEST_FIRING = 0.5
"""Seconds after which a round ends, so that the next one looks at what has become due: to catch up may take thousands
of steps. Where it took longer to work the steps out, which the next round does anew, they are taken for as long.
"""


class Fired(Struct, frozen=True):
    """A step that was taken, and what became of it."""

    step: FireStep
    result: FireResult

    @property
    def has_job(self) -> bool:
        return self.result.verdict == "made"


class Round(Struct, frozen=True):
    """What a round has done."""

    fired: list[Fired]
    leads: bool
    """Whether the term still led at its end."""
    next_in: int | None
    """Milliseconds until the next schedule is due, as seen at the beginning; None where none will be."""
    is_waiting: bool
    """Whether schedules that are due could not be fired now."""


class Firing:
    """Fires what is due, under a term of the leader.

    Also brings schedules up to what the live versions of the code declare, whenever another set of them is live, and up
    to the zone data of this process.
    """

    def __init__(self, *, session: Session, make: MakeJob, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._session = session
        self._make = make
        self._monotonic = monotonic
        self._postponed = Postponed(monotonic)
        self._synchronised: tuple[int, tuple[str, ...]] | None = None
        """The term and the live versions by which schedules were last brought up to date."""

    def round(self, lead: Lead) -> Round:
        """Take all steps of all schedules that are due, as many as one look gives and a short time allows: what is left
        is due at the next look. May raise ``StoreUnavailable``.
        """
        began = self._monotonic()
        seen = self._session.upkeep(due())
        if (lead.term, seen.live) != self._synchronised:
            self._synchronise()
            self._synchronised = (lead.term, seen.live)
            seen = self._session.run(due())
        self._remove(seen.vanished)
        visits = [deque(steps(record, now=seen.now, make=self._make)) for record in self._wanted(seen)]
        planned = self._monotonic()
        until = planned + max(_LONGEST_FIRING, planned - began)
        fired: list[Fired] = []
        while visits:
            taken = self._take([visit.popleft() for visit in visits], lead, now=seen.now)
            if taken is None:
                return Round(fired, leads=False, next_in=None, is_waiting=False)
            fired += taken
            # A schedule that another process has changed is read again.
            names = {one.step.name for one in taken}
            visits = [visit for visit in visits if visit and visit[0].row.name in names]
            if self._monotonic() > until:
                break
        return Round(fired, leads=True, next_in=seen.next_in, is_waiting=bool(seen.schedules) and not fired)

    def _wanted(self, seen: Due) -> Iterable[ScheduleRecord]:
        return (record for record in seen.schedules if record.name not in self._postponed)

    def _synchronise(self) -> None:
        done = self._session.run(synchronise())
        for what, names in (("added", done.added), ("changed", done.changed), ("orphaned", done.orphaned)):
            if names:
                log.info("schedules %s: %s", what, ", ".join(names))
        if done.refused:
            log.warning(
                "schedules are declared in a way that this process does not understand, and stay as they are: %s",
                ", ".join(done.refused),
            )
        moved = self._session.run(recompute(other_zone_data=True))
        if moved:
            log.info("other time zone data has moved the next slot of schedules: %s", ", ".join(moved))

    def _remove(self, vanished: Sequence[str]) -> None:
        for name in vanished:
            log.error(
                "the data of schedule %r is gone from the store, deleted by hand or thrown away by the server; what "
                "was left was removed",
                name,
            )
            self._session.run(delete(name))

    def _take(self, wanted: Sequence[Step], lead: Lead, *, now: int) -> list[Fired] | None:
        """Take one step with each schedule; None where the term leads no more.

        Schedules with a unique key have a batch of their own: another transaction may hold the key.
        """
        fired: list[Fired] = []
        for batch in (
            [step for step in wanted if step.uniqueness is None],
            [step for step in wanted if step.uniqueness is not None],
        ):
            taken = self._fire(batch, lead, now=now) if batch else []
            if taken is None:
                return None
            fired += taken
        return fired

    def _fire(self, batch: Sequence[Step], lead: Lead, *, now: int) -> list[Fired] | None:
        try:
            results = self._session.run(fire(lead, batch))
        except OutcomeUnknown:
            raise  # what was carried out shows at the next look
        except (DataRejected, StoreUnavailable) as error:
            return self._fire_apart(batch, lead, error, now=now)
        if results is None:
            return None
        rows = {step.row.name: step.row for step in batch}
        for result in results:
            self._postponed.succeeded(result.name)
        return [Fired(rows[result.name], result) for result in results]

    def _fire_apart(self, batch: Sequence[Step], lead: Lead, error: Exception, *, now: int) -> list[Fired] | None:
        """Fire the schedules of a failed batch one by one, so that one that cannot be fired does not hold up the
        others.
        """
        if not isinstance(error, DataRejected) and not self._session.run(answers()):
            raise error
        if len(batch) == 1:
            return self._fail(batch[0], lead, error, now=now)
        fired: list[Fired] = []
        for step in batch:
            taken = self._fire([step], lead, now=now)
            if taken is None:
                return None
            fired += taken
        return fired

    def _fail(self, step: Step, lead: Lead, error: Exception, *, now: int) -> list[Fired] | None:
        """Record a fire that the store rejected in the ledger, as failed; postpone one that it could not carry out."""
        if isinstance(error, DataRejected) and step.job is not None and step.row.slot is not None:
            failed = Step(failed_step(replace(step.row, job=None), step.row.slot, now, error))
            return self._fire([failed], lead, now=now)
        if self._postponed.failed(step.row.name):
            log.warning("schedule %r could not be fired, and is tried again: %s", step.row.name, error)
        return []
