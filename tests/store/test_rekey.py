"""Texts are replaced by others that say the same, each only if it is still the old one; nothing waits for that."""

from __future__ import annotations

from tests.places.place import ServerPlace
from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.core.fault import Fault
from windlass.core.outcome import Raised, Returned
from windlass.core.records import JobRecord
from windlass.store.operations.encryption.rekey import NewEventText, NewStepText, NewTexts, rekey
from windlass.store.operations.jobs import progress
from windlass.store.operations.steps.sent_events import send_event, sent_events
from windlass.store.operations.steps.steps import NewStep, record_step, steps_of

LONG = "x" * 3000
FAULT = Fault(at=1, attempt=1, worker="w", type="OSError", message="no")


def renewed(store: Store, id: str) -> NewTexts:
    """The texts of a job, each with another one in its place."""
    job = store.job(id)
    old = {name: getattr(job, name) for name in ("payload", "meta", "result", "errors", "progress")}
    new = {name: None if text is None else f"new {text}" for name, text in old.items()}
    return NewTexts(job.seq, **{f"old_{name}": text for name, text in old.items()}, **new)


def texts(job: JobRecord) -> tuple[str | None, ...]:
    return job.payload, job.meta, job.result, job.errors, job.progress


def test_all_texts_of_a_job_are_replaced_wherever_it_stands(store: Store) -> None:
    """B25: short and long ones; of jobs that wait, run, wait for a retry, and have ended."""
    store.enqueue(new_job("waits", payload='{"v":1}', meta="{}"), new_job("long", payload=LONG, meta=LONG))
    for id in ("runs", "ended", "failed"):
        job = store.claimed(new_job(id, meta="{}", queue=id), by=store.a_worker(queues=[id]))
        assert store.run(progress(job.seq, job.fence, '{"value":1}', worker="w"))
        if id != "runs":
            store.end(job, Returned('"done"') if id == "ended" else Raised(FAULT))
    ids = ["waits", "long", "runs", "ended", "failed"]
    wanted = [renewed(store, id) for id in ids]
    store.run(rekey(wanted))
    found = [texts(store.job(id)) for id in ids]
    assert found == [(new.payload, new.meta, new.result, new.errors, new.progress) for new in wanted]
    store.run(rekey(wanted))
    assert [texts(store.job(id)) for id in ids] == found


def test_a_text_that_has_changed_meanwhile_stays(store: Store) -> None:
    store.enqueue(new_job("a", payload="{}", meta="{}"))
    seq = store.job("a").seq
    stale = NewTexts(seq, old_payload="other", payload="wrong", old_meta="{}", meta="right")
    store.run(rekey([stale, NewTexts(seq + 1, old_payload="{}", payload="of no job")]))
    assert (store.job("a").payload, store.job("a").meta) == ("{}", "right")


def test_steps_and_events_too(store: Store) -> None:
    job = store.claimed(new_job("a"))
    for number, name in enumerate(("one", "two"), 1):
        store.run(record_step(job.seq, job.fence, NewStep(name, number, result='"old"'), worker="w"))
    store.run(send_event("kept", '"old"'))
    store.run(
        rekey(
            steps=[NewStepText(job.seq, "one", '"old"', "new"), NewStepText(job.seq, "two", "stale", "wrong")],
            events=[NewEventText("kept", '"old"', "new"), NewEventText("gone", "x", "y")],
        )
    )
    assert [step.result for step in store.run(steps_of(job.seq, results=True))] == ["new", '"old"']
    assert [(event.name, event.value) for event in store.run(sent_events(0))] == [("kept", "new")]


def test_a_job_that_a_transaction_has_in_hand_is_passed_by(store: Store) -> None:
    """On PostgreSQL, where it would have to wait; the others write one after the other."""
    if not isinstance(store.place, ServerPlace) or not store.place.url.startswith("postgres"):
        return
    import psycopg
    from psycopg.sql import SQL, Identifier

    store.enqueue(new_job("held", meta="{}"), new_job("free", meta="{}"))
    with psycopg.connect(store.place.url) as connection:
        table = Identifier(store.place.namespace, "job")
        connection.execute(SQL("SELECT 1 FROM {} WHERE id = 'held' FOR UPDATE").format(table))
        store.run(rekey([renewed(store, "held"), renewed(store, "free")]))
        assert [store.job(id).meta for id in ("held", "free")] == ["{}", "new {}"]
        connection.rollback()
