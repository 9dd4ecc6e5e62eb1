"""Durable steps: a run records them under its fence, later runs read them, and they go with their job."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.places.place import SqlitePlace
from tests.places.raw_store import RawStore
from tests.store.builders import HOUR, INTERRUPTED, MINUTE, SECOND, TTL, new_job, raised
from tests.store.stores import Store
from windlass import Retention
from windlass.admin.cleanup.cleanup import clean
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operation import Answer, Call, drive
from windlass.store.operations import jobs, queries
from windlass.store.operations.diagnostics.consistency import repair, strays
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.rescue import rescue
from windlass.store.operations.steps.steps import (
    NewStep,
    RecordedStep,
    RunSteps,
    StepKind,
    StepRecord,
    import_steps,
    record_step,
    steps_of,
    steps_of_run,
)
from windlass.store.operations.transfer import export
from windlass.store.operations.upkeep.prune import FinishedLine, prunable, prune, prune_oldest

LINE = FinishedLine("default", State.COMPLETED)


def record(
    store: Store, job: Claimed, name: str = "charge", number: int = 1, *, result: str | None = '"paid"'
) -> RecordedStep | None:
    step = NewStep(name, number, ran_for=20, result=result)
    return store.run(record_step(job.seq, job.fence, step, worker="w"))


def of_run(store: Store, job: Claimed) -> RunSteps | None:
    return store.run(steps_of_run(job.seq, job.fence, worker="w"))


def a_job_with_steps(store: Store, id: str = "a") -> Claimed:
    job = store.claimed(new_job(id))
    assert record(store, job, "charge", 1)
    assert record(store, job, "ship", 2, result=None)
    return job


def taken_again(store: Store, job: Claimed) -> Claimed:
    """The same job, after its run was rescued."""
    store.advance(TTL)
    store.rescue()
    [again] = store.a_worker().take()
    assert again.id == job.id
    return again


def kept(store: Store) -> int:
    """How many steps lie in the store."""
    if isinstance(store.place, SqlitePlace):
        return int(store.place.execute("SELECT count(*) FROM windlass_step")[0][0])
    return RawStore(store.place).steps()


def test_a_later_run_finds_what_an_earlier_one_has_recorded(store: Store) -> None:
    """F4: in order, with results and times."""
    first = a_job_with_steps(store)
    again = taken_again(store, first)
    found = of_run(store, again)
    assert found is not None
    assert found.steps == [
        StepRecord("charge", 1, "step", first.fence, START - 20, START, result='"paid"'),
        StepRecord("ship", 2, "step", first.fence, START - 20, START),
    ]
    assert found.now == START + TTL


def test_a_job_without_steps_has_none(store: Store) -> None:
    job = store.claimed()
    assert of_run(store, job) == RunSteps([], START)
    assert store.run(steps_of(job.seq)) == []


def test_results_are_kept_as_they_are(store: Store) -> None:
    texts = ['"ü\\n=-"', '""', "=", "a\nb\n=c", "1 step 2 3 4 -\n\n", "x" * 100_000]
    job = store.claimed()
    for number, text in enumerate(texts, start=1):
        assert record(store, job, f"step {number} ü '\"", number, result=text)
    assert [step.result for step in store.run(steps_of(job.seq, results=True))] == texts
    assert [(step.name, step.result) for step in store.run(steps_of(job.seq))] == [
        (f"step {number} ü '\"", None) for number in range(1, 7)
    ]


def test_many_steps_come_in_the_order_of_their_numbers(store: Store) -> None:
    job = store.claimed()
    for number in range(1, 31):
        record(store, job, f"{(number * 7) % 31}", number)
    assert [step.number for step in store.run(steps_of(job.seq))] == list(range(1, 31))


def test_the_same_record_again_changes_nothing(store: Store) -> None:
    """A reply that was lost: the call is repeated."""
    job = store.claimed()
    record(store, job)
    before = store.run(steps_of(job.seq, results=True))
    store.advance(SECOND)
    assert record(store, job, result='"other"') == RecordedStep(None)
    assert store.run(steps_of(job.seq, results=True)) == before


def test_a_zombie_records_nothing(store: Store) -> None:
    """F4: a step under an old fence is refused, changes nothing, and leaves an event."""
    lost = store.claimed()
    again = taken_again(store, lost)
    assert record(store, again, "charge", 1)
    assert record(store, lost, "charge", 1, result='"twice"') is None
    assert record(store, lost, "ship", 2) is None
    assert of_run(store, lost) is None
    [step] = store.run(steps_of(lost.seq, results=True))
    assert (step.fence, step.result) == (again.fence, '"paid"')
    events = store.run(queries.history(lost.seq)).events
    assert [event.fence for event in events if event.kind == "refused"] == [lost.fence] * 3


def test_a_job_that_does_not_run_records_nothing(store: Store) -> None:
    job = store.claimed()
    store.end(job, INTERRUPTED)
    assert record(store, job) is None
    assert kept(store) == 0
    assert store.run(record_step(999, 1, NewStep("a", 1), worker="w")) is None


def test_a_step_is_accepted_until_the_lease_is_rescued(store: Store) -> None:
    """E3: time alone does not end a lease."""
    job = store.claimed()
    store.advance(10 * TTL)
    assert record(store, job)


def test_a_recorded_step_gives_the_budget_of_attempts_anew(store: Store) -> None:
    """A job that gets on does not fail of what happened before."""
    job = store.claimed(new_job(attempts=3))
    store.end(job, raised(delay=0))
    store.run(jobs.promote())
    [job] = store.a_worker().take()
    store.a_worker().mark(job)
    job = taken_again(store, job)
    assert (job.attempt, job.crashes) == (2, 1)
    assert record(store, job)
    assert (store.job(job.id).attempt, store.job(job.id).crashes) == (0, 0)
    store.end(job)
    assert (store.job(job.id).attempt, store.job(job.id).state) == (1, State.COMPLETED)


def test_a_step_between_the_look_and_the_rescue_leaves_no_negative_count(store: Store) -> None:
    """The rescue clears a suspect that ran for long by what it had read: two crashes, which are none by now."""
    job = store.claimed(new_job(attempts=9))
    for _ in range(2):
        store.a_worker().mark(job)
        job = taken_again(store, job)
    assert job.crashes == 2
    store.end(job, INTERRUPTED)
    worker = store.a_worker()
    [job] = worker.take()
    worker.mark(job)
    for _ in range(3):
        store.advance(TTL - SECOND)
        worker.renew()
    store.advance(TTL)

    def execute(call: Call) -> Answer:
        if call.name == "rescue":
            assert record(store, job)
        return store.driver.execute(call)

    drive(rescue(by="rescuer", now=store.clock), execute)
    found = store.job(job.id)
    assert (found.attempt, found.crashes, found.rescues) == (1, 0, 0)


def test_steps_stay_when_a_job_is_retried_by_hand(store: Store) -> None:
    job = a_job_with_steps(store)
    store.end(job, raised(delay=0))
    store.run(jobs.cancel([job.seq], by="me"))
    store.run(jobs.retry([job.seq], by="me"))
    [again] = store.a_worker().take()
    found = of_run(store, again)
    assert found is not None
    assert [step.name for step in found.steps] == ["charge", "ship"]


def test_deleting_a_job_deletes_its_steps(store: Store) -> None:
    gone, stays = a_job_with_steps(store, "a"), a_job_with_steps(store, "b")
    store.end(gone)
    store.end(stays)
    store.run(jobs.delete([(gone.seq, gone.id)]))
    assert (store.run(steps_of(gone.seq)), kept(store)) == ([], 2)


@pytest.mark.parametrize("way", ["oldest", "seen", "clean"])
def test_retention_takes_steps_along(store: Store, way: str) -> None:
    """A13: everything that belongs to a job goes with it."""
    store.end(a_job_with_steps(store))
    store.finished()
    store.advance(HOUR)
    if way == "oldest":
        store.run(prune_oldest(LINE, age=0, beyond=None, limit=9))
    elif way == "seen":
        store.run(prune(LINE, store.run(prunable(LINE, age=0, beyond=None, limit=9))))
    else:
        store.advance(8 * 24 * HOUR)
        store.run(clean(Retention(), None, by="leader", monotonic=lambda: 0.0))
    assert (store.count(), kept(store)) == (0, 0)


def test_a_job_whose_body_is_gone_leaves_no_steps(store: Store) -> None:
    """On SQLite, where a job has no body apart from its row, only ``windlass check`` looks for them."""
    job = a_job_with_steps(store)
    store.end(job, INTERRUPTED)
    if isinstance(store.place, SqlitePlace):
        store.place.execute("DELETE FROM windlass_job WHERE id = ?", (job.id,))
    else:
        RawStore(store.place).remove(job.id)
    store.a_worker().take()
    store.run(clean(Retention(), None, by="leader", monotonic=lambda: 0.0))
    if isinstance(store.place, SqlitePlace):
        store.run(repair(store.run(strays())))
    assert kept(store) == 0


def test_a_job_that_has_steps_takes_no_other_arguments(store: Store) -> None:
    """What is recorded belongs to the arguments that it has."""
    naming = Uniqueness(on_conflict="replace")
    store.enqueue(new_job("a", key="k"), naming=naming)
    [job] = store.a_worker().take()
    record(store, job)
    store.end(job, INTERRUPTED)
    [stored] = store.enqueue(new_job("b", key="k", payload='{"v":1,"args":[2],"kwargs":{}}'), naming=naming)
    assert (stored.id, stored.is_replaced) == ("a", False)
    assert store.job("a").payload == job.payload


def test_another_store_takes_steps_over(store: Store) -> None:
    job = a_job_with_steps(store)
    store.end(job)
    load = store.run(export([job.id]))
    assert load.stepped == [(job.seq, job.id)]
    steps = store.run(steps_of(job.seq, results=True))
    other = store.finished(new=new_job("b"))
    for _ in range(2):
        store.run(import_steps("b", steps))
    store.run(import_steps("nowhere", steps))
    assert store.run(steps_of(other.seq, results=True)) == steps
    assert store.run(export(["b"])).stepped == [(other.seq, "b")]
    store.run(jobs.delete([(other.seq, "b")]))
    assert kept(store) == 2


def test_a_sleep_is_recorded_with_its_end(store: Store) -> None:
    """A run that comes to it again, early or after a lost reply, learns how much of it is left."""
    job = store.claimed()
    asleep = NewStep("#1", 1, StepKind.SLEEP, delay=HOUR)
    assert store.run(record_step(job.seq, job.fence, asleep, worker="w")) == RecordedStep(HOUR)
    store.advance(MINUTE)
    assert store.run(record_step(job.seq, job.fence, asleep, worker="w")) == RecordedStep(HOUR - MINUTE)
    assert store.run(steps_of(job.seq)) == [StepRecord("#1", 1, "sleep", job.fence, START, None, START + HOUR)]
