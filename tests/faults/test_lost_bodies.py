"""Jobs whose bodies are gone, by eviction or by a careless hand, met by real workers at each step of their lives."""

from __future__ import annotations

import pytest

from tests.faults.job_outcomes import notes
from tests.faults.names import HOLD, NOTE
from tests.faults.process import Processes
from tests.places.place import Place, SqlitePlace
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import JobNotFound, Retention, State, Windlass


def lost(app: Windlass) -> list[str]:
    """What is told of lost jobs to whoever looks."""
    return [notice.text for notice in app.overview().notices if notice.kind == "lost"]


def await_notice(app: Windlass, place: Place, text: str) -> None:
    """SQLite keeps a job in one row: with it all is gone, and nobody meets anything of it but who ends its run."""
    if isinstance(place, SqlitePlace):
        assert lost(app) == []
    else:
        eventually(lambda: lost(app) == [text], "somebody has told of it")


def test_a_job_whose_body_is_gone_is_lost_alone(
    app: Windlass, place: Place, raw_store: RawStore, processes: Processes
) -> None:
    """P5: whoever asks for it hears so; the jobs around it run, and no count or list goes wrong."""
    before, gone, after = notes(app, 3)
    raw_store.remove(gone.id)
    processes.worker()
    assert (before.result(timeout=PATIENCE), after.result(timeout=PATIENCE)) == (0, 2)
    with pytest.raises(JobNotFound):
        gone.refresh()
    with pytest.raises(JobNotFound):
        gone.result(timeout=PATIENCE)
    assert {job.id for job in app.jobs()} == {before.id, after.id}
    eventually(lambda: not app.counts()[State.PENDING], "it is counted no more")
    await_notice(app, place, "a job lost its data while it was pending in queue default")
    app.clean()
    raw_store.check()


def test_a_job_that_loses_its_body_before_it_is_due_is_lost_alone(
    app: Windlass, place: Place, raw_store: RawStore, processes: Processes
) -> None:
    """P5: the one beside it becomes due and runs."""
    gone, beside = app.enqueue_many([app.request(NOTE, (number,), delay="100ms") for number in range(2)])
    raw_store.remove(gone.id)
    processes.worker()
    assert beside.result(timeout=PATIENCE) == 1
    eventually(lambda: not app.counts()[State.SCHEDULED], "it is counted no more")
    await_notice(app, place, "a job lost its data while it was scheduled in queue default")
    app.clean()
    raw_store.check()


def test_a_run_whose_body_is_gone_ends_alone(
    app: Windlass, place: Place, raw_store: RawStore, processes: Processes
) -> None:
    """P5: also in the middle of its run, and when its worker dies with it."""
    worker = processes.worker(lease="1h", concurrency=2)
    gone, victim = app.enqueue(HOLD), app.enqueue(HOLD)
    for _ in range(2):
        worker.await_line("began")
    eventually(lambda: all(job.refresh().started_at for job in (gone, victim)), "both are marked as started")
    raw_store.remove(gone.id)
    processes.open_gate(gone.id, 1)
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7, "its slot is free again"
    eventually(lambda: len(lost(app)) == 1, "who ended it has told, on every store")
    assert lost(app)[0].startswith("a job lost its data while it was running")
    raw_store.remove(victim.id)
    worker.kill()
    raw_store.expire_leases()
    eventually(lambda: app.rescue() or [view.state for view in app.workers()] == ["lost"], "the lease is over")
    processes.worker()
    assert app.enqueue(NOTE, 8).result(timeout=PATIENCE) == 8
    eventually(lambda: not app.counts()[State.RUNNING], "nothing is counted as running")
    if not isinstance(place, SqlitePlace):
        both = "2 jobs lost their data; the last one was running in queue default"
        eventually(lambda: lost(app) == [both], "who rescued has told as well")
    app.clean()
    raw_store.check()


def test_a_finished_job_whose_body_is_gone_is_cleaned_like_others(
    app: Windlass, place: Place, raw_store: RawStore, processes: Processes
) -> None:
    """P5: it keeps no other from being let go of."""
    gone, beside = notes(app, 2)
    processes.worker()
    assert (gone.result(timeout=PATIENCE), beside.result(timeout=PATIENCE)) == (0, 1)
    raw_store.remove(gone.id)
    app.queue("default").configure(retention=Retention(completed="1ms"))
    eventually(lambda: app.clean().seconds >= 0 and not app.counts()[State.COMPLETED], "all are let go of")
    with pytest.raises(JobNotFound):
        beside.refresh()
    await_notice(app, place, "a job lost its data while it was completed in queue default")
    raw_store.check()
