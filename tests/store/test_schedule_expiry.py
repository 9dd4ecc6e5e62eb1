"""Jobs of schedules that have to start in time: what counts is the planned instant, however late the slot fires."""

from __future__ import annotations

from msgspec.structs import replace

from tests.store.builders import MINUTE, SECOND
from tests.store.schedules import TEN, a_definition, a_schedule, fire_all, leads, stored
from tests.store.stores import Store
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.store.operations import jobs


def fired(store: Store, *, late: int) -> tuple[int, JobRecord]:
    """A planned instant, and its job, which was made so late and has to start within a minute."""
    definition = a_definition(every=10 * MINUTE)
    schedule = a_schedule(store, replace(definition, job=replace(definition.job, expires=MINUTE)))
    planned = schedule.next_at or 0
    store.advance(planned - store.clock() + late)
    fire_all(store, leads(store))
    made = stored(store, schedule.name).last_job
    assert made is not None
    return planned, store.job(made)


def test_its_time_begins_at_the_planned_instant(store: Store) -> None:
    """A11, B14: not when the leader came to it."""
    planned, job = fired(store, late=TEN)
    assert (job.state, job.run_at) == (State.PENDING, planned + TEN)
    assert (job.expires, job.start_by) == (MINUTE, planned + MINUTE)


def test_a_slot_that_fires_too_late_makes_a_job_that_has_expired(store: Store) -> None:
    """A11, B15: the ledger has the slot, and the job says why it did not run."""
    _, job = fired(store, late=MINUTE + SECOND)
    store.run(jobs.promote())
    found = store.job(job.id)
    assert (found.state, found.reason) == (State.CANCELLED, "expired")
