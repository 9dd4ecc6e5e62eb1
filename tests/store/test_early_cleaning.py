"""Early cleaning: the oldest finished jobs go first, whatever retention says, and only so many at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.store.builders import HOUR, new_job
from tests.store.stores import Store
from windlass.admin.cleanup.early_cleaning import EarlyCleaning, EarlyRound, Fullness, fullness, record_early_cleaning
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.insight.notices import notices
from windlass.store.operation import Operation
from windlass.store.operations import jobs, queries
from windlass.store.operations.queues import QueueSeed, ensure


class HalfFull:
    """Takes every other job."""

    def write(self, records: Sequence[JobRecord]) -> Operation[list[int]]:
        yield from ()
        return [record.seq for record in records[::2]]


def finished(store: Store, *names: str) -> None:
    """Each in another queue and an hour after the one before; a job that waits is there too."""
    for name in names:
        queue = f"q-{name}"
        store.run(ensure([QueueSeed(queue)]))
        job = store.a_job(new_job(name, queue=queue))
        store.run(jobs.cancel([job.seq], by="me"))
        store.advance(HOUR)
    store.enqueue(new_job("waits"))


def cleaned(store: Store, round: EarlyRound) -> int:
    for step in round.steps():
        store.run(step)
    return round.deleted


def rest(store: Store) -> set[str]:
    return {job.id for job in store.run(queries.page(queries.Filter(), limit=100)).jobs}


def test_the_oldest_of_all_queues_go_first_and_only_so_many(store: Store) -> None:
    finished(store, "c", "a", "d", "b")
    assert cleaned(store, EarlyRound(None, by="leader", most=2)) == 2
    assert rest(store) == {"d", "b", "waits"}
    assert cleaned(store, EarlyRound(None, by="leader")) == 2
    assert rest(store) == {"waits"}
    assert cleaned(store, EarlyRound(None, by="leader")) == 0
    assert store.job("waits").state is State.PENDING


def test_what_the_archive_does_not_take_stays(store: Store) -> None:
    store.run(ensure([QueueSeed("q")]))
    for name in ("a", "b"):
        job = store.a_job(new_job(name, queue="q"))
        store.run(jobs.cancel([job.seq], by="me"))
        store.advance(HOUR)
    assert cleaned(store, EarlyRound(HalfFull(), by="leader")) == 1
    assert rest(store) == {"b"}


def test_it_is_told_in_a_notice(store: Store) -> None:
    store.run(record_early_cleaning(Fullness("memory", 0.913), 5000, by="leader"))
    [notice] = store.run(notices())
    assert notice.text == "memory was 91 % full: 5000 finished jobs were removed before their time, the oldest first"
    assert notice.by == "leader"


def test_it_is_wanted_only_where_it_is_too_full(store: Store) -> None:
    def measured() -> Operation[Fullness | None]:
        yield from ()
        return Fullness("disk", 0.9)

    def unknown() -> Operation[Fullness | None]:
        yield from ()
        return None

    found = [store.run(EarlyCleaning(lambda above=above: above, measured).wanted()) for above in (None, 0.95, 0.85)]  # type: ignore[misc]
    assert found == [None, None, Fullness("disk", 0.9)]
    assert store.run(EarlyCleaning(lambda: 0.1, unknown).wanted()) is None


def test_the_fullness_of_a_store(store: Store, tmp_path: Path) -> None:
    """A server without a limit says nothing; of a file it is the disk that counts."""
    (tmp_path / "file").touch()
    disk = store.run(fullness(str(tmp_path / "file")))
    assert disk is not None
    assert disk.of == "disk"
    assert 0 < disk.share < 1
    assert store.run(fullness("redis://somewhere")) is None
