"""archive: copies finished jobs before retention deletes them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from msgspec.structs import asdict

from tests.places.raw_store import RawStore
from tests.store.builders import HOUR, SECOND, mark, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.archive.writers import FileArchive, OutsideArchive
from windlass.core.outcome import FailedPermanently
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State
from windlass.store.operations import jobs
from windlass.store.operations.steps.steps import NewStep, record_step, steps_of
from windlass.store.operations.upkeep.prune import archive


@pytest.mark.parametrize("state", sorted(FINISHED))
def test_a_finished_job_is_copied(store: Store, state: State) -> None:
    """A13: deleted only after the archive write succeeded, which the answer tells."""
    job = a_job_in(store, state)
    assert store.run(archive([(job.seq, "2026-W01")])) == [job.seq]
    assert store.job(job.id) == job


def test_the_copy_has_everything_that_the_store_knows(store: Store) -> None:
    """A13: a field that is new in ``JobRecord`` is missed here until every store archives it."""
    kept = [_returned(store), _unknown(store)]
    store.run(archive([(job.seq, "2026-W01") for job in kept]))
    copies = [copy for _, copy in RawStore(store.place).archived()]
    assert copies == [{name: getattr(job, name) for name in JobRecord.__struct_fields__} for job in kept]
    never_set = {name for name in JobRecord.__struct_fields__ if all(copy[name] is None for copy in copies)}
    assert never_set == {"lease"}, "only of what has a value is it known that it is copied"


def test_the_copy_has_the_steps_of_the_job(store: Store, tmp_path: Path) -> None:
    """A13, F4: in order, with their results; in a table and in files."""
    job = store.claimed(new_job("a"))
    for number, name in enumerate(("zulu", "alpha"), 1):
        store.run(record_step(job.seq, job.fence, NewStep(name, number, result=f'"ü {name}"'), worker="w"))
    store.end(job)
    records, steps = [store.job("a")], store.run(steps_of(job.seq, results=True))
    wanted = asdict(records[0]) | {"steps": [asdict(step) for step in steps]}
    assert [step["name"] for step in wanted["steps"]] == ["zulu", "alpha"]
    store.run(archive([(job.seq, "2026-W01")]))
    assert [copy for _, copy in RawStore(store.place).archived()] == [wanted]
    assert store.run(OutsideArchive(FileArchive(tmp_path / "archive")).write(records)) == [job.seq]
    [file] = (tmp_path / "archive").iterdir()
    assert json.loads(gzip.decompress(file.read_bytes())) == wanted


def _returned(store: Store) -> JobRecord:
    """A job that has been through a lot, and has a result."""
    worker = store.a_worker(queues=("q",), ttl=10 * HOUR)
    new = new_job(
        "returned",
        queue="q",
        priority=3,
        payload=r'{"v":1,"args":["ü\"\\"],"kwargs":{}}',
        meta='{"tenant":"a"}',
        timeout=5 * SECOND,
        key="the-key",
        retry='{"attempts":4}',
        delay=HOUR,
        tags=("vip",),
        one_of="user-42",
        rate_key="user-42",
    )
    store.enqueue(new)
    store.advance(HOUR)
    store.run(jobs.promote())
    [job] = worker.take(1, queue="q")
    store.end(job, raised(delay=SECOND))
    store.advance(SECOND)
    store.run(jobs.promote())
    [job] = worker.take(1, queue="q")
    worker.cycle(marks=[mark(job)])
    store.run(jobs.progress(job.seq, job.fence, '{"value":0.5}', worker=worker.name))
    store.run(jobs.cancel([job.seq], by="me"))
    store.end(job, worker=worker.name)
    return store.job(job.id)


def _unknown(store: Store) -> JobRecord:
    """A job that was given up because no worker knew its task."""
    return store.finished(
        FailedPermanently(raised().fault, "unknown_task"), new_job("unknown", queue="other", expires=HOUR)
    )


@pytest.mark.parametrize("state", sorted(set(State) - FINISHED))
def test_a_job_that_is_not_finished_is_not_copied(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    assert store.run(archive([(job.seq, "2026-W01")])) == []


def test_a_second_copy_is_the_first(store: Store) -> None:
    """A13: repeated after a crash between archive and delete."""
    job = store.finished()
    weeks = [(job.seq, "2026-W01")]
    assert store.run(archive(weeks)) == store.run(archive(weeks)) == [job.seq]


def test_the_copy_stays_when_the_job_is_deleted(store: Store) -> None:
    job = store.finished()
    store.run(archive([(job.seq, "2026-W01")]))
    store.run(jobs.delete([(job.seq, job.id)]))
    assert store.run(archive([(job.seq, "2026-W01")])) == [job.seq]


def test_many_are_copied_each_into_its_week(store: Store) -> None:
    found = [store.finished() for _ in range(4)]
    weeks = [(job.seq, f"2026-W0{number % 2}") for number, job in enumerate(found)]
    assert sorted(store.run(archive(weeks))) == [job.seq for job in found]


def test_a_job_that_is_not_there_is_not_copied(store: Store) -> None:
    assert store.run(archive([(4711, "2026-W01")])) == []
    assert store.run(archive([])) == []
