"""Schedules for the contract: one that is stored, leaders, and a round of firing."""

from __future__ import annotations

from itertools import count

from tests.store.builders import SECOND, fresh
from tests.store.stores import Store
from windlass.core.schedules.policies import CatchUp, Overlap
from windlass.store.operations.enqueue import JobTemplate, NewJob, Uniqueness
from windlass.store.operations.schedules.changes import add, fires, schedule
from windlass.store.operations.schedules.definition import Definition
from windlass.store.operations.schedules.fire import due, fire
from windlass.store.operations.schedules.records import FireRecord, FireResult, ScheduleRecord
from windlass.store.operations.schedules.steps import Step, steps
from windlass.store.operations.upkeep.leader import LEADER, Lead, take_lead

TEN = 10 * SECOND
PAYLOAD = '{"v":1,"args":[],"kwargs":{}}'

_ids = count(1)


def a_definition(
    *,
    every: int | None = TEN,
    cron: str | None = None,
    queue: str = "default",
    key: str | None = None,
    uniqueness: Uniqueness | None = None,
    catch_up: CatchUp = CatchUp.LATEST,
    limit: int = 10,
    overlap: Overlap = Overlap.ALLOW,
    jitter: int = 0,
    task: str = "greet",
) -> Definition:
    """Every ten seconds, unless a test says otherwise."""
    return Definition(
        job=JobTemplate(task, queue, 0, None, 4, 0, None, None),
        payload=PAYLOAD,
        unique_key=key,
        uniqueness=uniqueness,
        every=None if cron else every,
        cron=cron,
        catch_up=catch_up,
        catch_up_limit=limit,
        overlap=overlap,
        jitter=jitter,
    )


def make_job(name: str, definition: Definition, slot: int) -> NewJob:
    """The job of a slot; its payload says which slot."""
    return definition.new_job(f"{name}-{slot}-{next(_ids)}", meta=None)


def a_schedule(store: Store, definition: Definition | None = None, name: str | None = None) -> ScheduleRecord:
    """A schedule that is stored."""
    return store.run(add(name or fresh("schedule"), definition or a_definition()))


def leads(store: Store, holder: str = "leader", ttl: int = TEN) -> Lead:
    """A process that takes the lead, or keeps it."""
    return store.run(take_lead(LEADER, holder=holder, ttl=ttl))


def planned(store: Store) -> list[list[Step]]:
    """What a leader would do now, for each schedule that is due."""
    found = store.run(due())
    return [steps(record, now=found.now, make=make_job) for record in found.schedules]


def fire_first(store: Store, lead: Lead) -> list[FireResult] | None:
    """Take the first step with all that are due."""
    return store.run(fire(lead, [visit[0] for visit in planned(store)]))


def fire_all(store: Store, lead: Lead) -> list[FireResult]:
    """One round of a leader: all steps with all that are due; what became of them."""
    results: list[FireResult] = []
    visits = planned(store)
    while visits := [visit for visit in visits if visit]:
        taken = store.run(fire(lead, [visit.pop(0) for visit in visits]))
        assert taken is not None
        results += taken
    return results


def verdicts(results: list[FireResult]) -> list[str]:
    return [result.verdict for result in results]


def ledger(store: Store, name: str) -> list[FireRecord]:
    """The oldest first."""
    return store.run(fires(name, limit=1000))[::-1]


def stored(store: Store, name: str) -> ScheduleRecord:
    return store.run(schedule(name))
