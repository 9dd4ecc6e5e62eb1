"""Jobs may hold a mebibyte each: what one call carries is bounded by bytes, and what is too much is halved."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.store.builders import HOUR, TTL, ids, new_job, raised
from tests.store.stores import Store
from tests.store.watched_calls import WatchedCalls, never, too_much
from windlass.admin.cleanup.finished_line import FinishedLineCleaning
from windlass.archive.protocol import ArchivedJob
from windlass.archive.writers import ArchiveWriter, OutsideArchive, TableArchive
from windlass.core.ending import Ending
from windlass.core.outcome import Returned
from windlass.core.state import State
from windlass.errors import StoreUnavailable
from windlass.retention import Retention
from windlass.store.operation import Call, Operation
from windlass.store.operations import jobs, queries, transfer
from windlass.store.operations.cycle import finish
from windlass.store.operations.diagnostics import failures
from windlass.store.operations.manual_claim import claim_many
from windlass.store.operations.queries import Filter
from windlass.store.operations.rescue import rescue
from windlass.store.operations.steps.steps import NewStep, record_step
from windlass.store.operations.upkeep.prune import OLDEST, FinishedLine, prune_oldest
from windlass.store.pages import PAGE_BYTES, Found

LARGE = "x" * 1_000_000
MOST = PAGE_BYTES + 2_000_000
"""A page ends at its bound, and may go beyond it by the job that reaches it; and by what frames the texts."""


def large_jobs(store: Store, number: int) -> list[str]:
    for index in range(number):
        store.enqueue(new_job(f"{index}", payload=f'"{LARGE}"'))
    return [f"{index}" for index in range(number)]


def test_a_list_reads_whole_jobs_in_portions(store: Store) -> None:
    names = large_jobs(store, 10)
    tapped = WatchedCalls(store)
    found = tapped.run(queries.page(Filter(), limit=100))
    assert (ids(found.jobs), found.next) == (names[::-1], None)
    assert {len(job.payload) for job in found.jobs} == {len(LARGE) + 2}
    assert tapped.names() == ["page", "jobs_by_id", "jobs_by_id", "jobs_by_id"]
    assert max(tapped.sizes("page")) < 1000
    assert max(tapped.sizes("jobs_by_id")) < MOST


@pytest.mark.parametrize("verb", ["cancel", "delete"])
def test_a_bulk_operation_reads_no_payloads_and_writes_in_portions(store: Store, verb: str) -> None:
    """SQLite writes a whole row again; PostgreSQL deletes what it keeps apart piece by piece."""
    large_jobs(store, 10)

    def act(page: list[Found]) -> Operation[int]:
        if verb == "cancel":
            changed = yield from jobs.cancel([job.seq for job in page], by="me")
            return len(changed)
        deleted = yield from jobs.delete([(job.seq, job.id) for job in page])
        return len(deleted)

    tapped = WatchedCalls(store)
    assert tapped.run(jobs.for_each_page(Filter(), act)) == 10
    assert [len(call.params["seqs"]) for call in tapped.calls if call.name == verb] == [4, 4, 2]
    assert max(tapped.sizes("page")) < 1000


def test_large_results_are_handed_out_a_page_at_a_time(store: Store) -> None:
    """Q7: what did not fit is found by the next look, which goes without what was found."""
    names = large_jobs(store, 6)
    for job in store.a_worker().take():
        store.end(job, Returned(f'"{LARGE}"'))
    waiting, looks = ["unknown", *names], 0
    while waiting:
        tapped = WatchedCalls(store)
        settled = tapped.run(queries.awaited(waiting))
        assert settled
        assert max(tapped.sizes("awaited")) < MOST
        waiting = [id for id in waiting if id not in {job.id for job in settled}]
        looks += 1
    assert looks == 2


def test_a_peek_reads_whole_jobs_in_portions(store: Store) -> None:
    names = large_jobs(store, 10)
    tapped = WatchedCalls(store)
    assert ids(tapped.run(queries.peek("default", limit=100))) == names
    assert tapped.names() == ["peek", "jobs_by_id", "jobs_by_id", "jobs_by_id"]
    assert max(tapped.sizes("peek")) < 1000
    assert max(tapped.sizes("jobs_by_id")) < MOST


def test_a_peek_leaves_out_what_is_claimed_meanwhile(store: Store) -> None:
    large_jobs(store, 5)
    worker = store.a_worker()

    def take_two(call: Call) -> None:
        if call.name == "peek":
            worker.take(2)

    tapped = WatchedCalls(store, after=take_two)
    assert ids(tapped.run(queries.peek("default", limit=100))) == ["2", "3", "4"]


def test_a_claim_of_many_by_hand_learns_how_much_jobs_hold(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each job comes once, in order, under a lease of its own."""
    monkeypatch.setattr("windlass.store.operations.manual_claim._FIRST_CLAIM", 2)
    names = large_jobs(store, 12)
    tapped = WatchedCalls(store)
    taken = tapped.run(claim_many(11, queues=["default"], worker="me", token="t", ttl=TTL))
    assert ids(taken) == names[:11]
    assert [call.params["limit"] for call in tapped.calls] == [2, 4, 4, 1]
    assert max(tapped.sizes("manual_claim")) < MOST
    assert [job.seq for job in taken if store.end(job)] == []
    assert ids(tapped.run(claim_many(11, queues=["default"], worker="me", token="u", ttl=TTL))) == names[11:]


def test_a_claim_of_many_gives_what_it_has_when_the_store_goes_away(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was taken must not wait until its lease is over."""
    monkeypatch.setattr("windlass.store.operations.manual_claim._FIRST_CLAIM", 2)
    store.enqueue(*(new_job(f"{number}") for number in range(5)))
    tapped = WatchedCalls(store, before=never("manual_claim", lambda params: params["token"] != "t.0"))
    taken = tapped.run(claim_many(5, queues=["default"], worker="me", token="t", ttl=TTL))
    assert ids(taken) == ["0", "1"]


def test_a_search_for_a_text_ends_by_bytes_and_goes_on_behind(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page reads a part of what jobs hold; together they find every job."""
    monkeypatch.setattr("windlass.store.operations.queries._READ_BYTES", 3_500_000)
    large_jobs(store, 8)
    store.enqueue(new_job("small"))
    for wanted, expected in (("xxx", "76543210"), ("small", "small")):
        found, cursor, pages = "", None, 0
        while True:
            page = store.run(queries.matching(Filter(text=wanted), limit=100, cursor=cursor))
            found, cursor, pages = found + "".join(job.id for job in page.jobs), page.next, pages + 1
            if cursor is None:
                break
        assert found == expected
        assert pages >= 2
    assert len(store.run(queries.matching(Filter(task=new_job().task), limit=100)).jobs) == 9, "others read no texts"


def test_dead_letters_with_long_histories_are_grouped_as_far_as_bytes_reach(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Redis what went wrong is a field of its own, and no history is read."""
    monkeypatch.setattr(failures, "_READ_BYTES", 3 * len(LARGE))
    history = f'{{"faults":[{{"note":"{LARGE}","type":"ValueError"}}]}}'
    for _ in range(4):
        job = store.claimed()
        store.run(finish([Ending(job.seq, job.fence, State.FAILED, errors=history)], worker="w"))
    is_redis = store.place.url.startswith("redis")
    found = store.run(failures.dead_groups(most=failures.WINDOW))
    assert (found.groups[0].error, found.groups[0].count) == ("ValueError", 4 if is_redis else 2)
    assert (found.examined, found.is_whole) == ((4, True) if is_redis else (2, False))
    assert store.run(failures.dead_groups()).groups[0].count == 4, "the next call goes on"
    monkeypatch.setattr(failures, "_READ_BYTES", 1)
    assert store.run(failures.dead_groups(most=failures.WINDOW)).groups[0].count >= 1


def with_errors(store: Store, number: int) -> list[str]:
    """Jobs of a worker that is gone, each with a long history of errors."""
    names = [f"{index}" for index in range(number)]
    store.enqueue(*(new_job(name, attempts=50) for name in names))
    first, second = store.a_worker(), store.a_worker()
    errors = f'{{"faults":[],"note":"{LARGE}"}}'
    for job in first.take():
        store.run(finish([Ending(job.seq, job.fence, State.PENDING, errors=errors)], worker="w"))
    second.take()
    store.advance(2 * TTL)
    return names


def test_rescue_reads_and_writes_long_histories_in_pages(store: Store) -> None:
    """E3: five hundred jobs with a mebibyte of errors each are rescued like any others, only in more steps."""
    names = with_errors(store, 10)
    tapped = WatchedCalls(store)
    assert sorted(job.id for job in tapped.run(rescue(by="r", now=store.clock))) == sorted(names)
    assert max(tapped.sizes("expired")) < MOST
    assert all(store.job(name).state is State.PENDING for name in names)


def test_a_rescue_that_is_too_much_is_halved(store: Store) -> None:
    store.enqueue(*(new_job() for _ in range(9)))
    store.a_worker().take()
    store.advance(2 * TTL)
    tapped = WatchedCalls(store, before=too_much("rescue", "endings", most=3))
    assert len(tapped.run(rescue(by="r", now=store.clock))) == 9


def test_a_job_that_cannot_be_rescued_does_not_keep_the_others(store: Store) -> None:
    """E3: the same page must not come first for ever."""
    store.enqueue(*(new_job(f"{number}") for number in range(9)))
    store.a_worker().take()
    store.advance(2 * TTL)
    bad = store.job("4").seq
    tapped = WatchedCalls(
        store, before=never("rescue", lambda params: any(ending[0] == bad for ending in params["endings"]))
    )
    assert len(tapped.run(rescue(by="r", now=store.clock))) == 8
    assert store.job("4").state is State.RUNNING
    assert [job.id for job in store.rescue()] == ["4"]


def test_a_store_that_does_not_answer_is_not_asked_again_and_again(store: Store) -> None:
    store.claimed()
    store.advance(2 * TTL)

    def away(call: Call) -> None:
        if call.name != "expired":
            raise StoreUnavailable("gone fishing")

    tapped = WatchedCalls(store, before=away)
    with pytest.raises(StoreUnavailable):
        tapped.run(rescue(by="r", now=store.clock))
    assert tapped.names() == ["expired", "rescue", "resign"]


def test_a_walk_tells_sizes_in_bytes(store: Store) -> None:
    """B31: a move takes loads of a size that can travel."""
    store.enqueue(new_job("a", payload='"' + "ü" * 1000 + '"'))
    store.finished(raised(), new=new_job("b", attempts=1, priority=5))
    sizes = {stop.id: stop.size for stop in store.run(transfer.scan(after=0, queue=None)).stops}
    assert sizes["a"] == 2002
    assert sizes["b"] > 100


class Nowhere:
    """An archive of a user's own."""

    def keep(self, jobs: Sequence[ArchivedJob]) -> list[str]:
        return [job.id for job in jobs]


@pytest.mark.parametrize("archive", [TableArchive(), OutsideArchive(Nowhere())], ids=["table", "outside"])
def test_jobs_are_archived_in_portions_that_count_their_steps(store: Store, archive: ArchiveWriter) -> None:
    """A job may have 16 MiB of them: a page of 500 would take gigabytes of memory, and the store for as long."""
    worker = store.a_worker()
    for _ in range(10):
        job = store.claimed(by=worker)
        for number in (1, 2):
            step = NewStep(f"{number}", number, result=LARGE[: len(LARGE) // 2])
            assert store.run(record_step(job.seq, job.fence, step, worker="w"))
        assert not worker.end(job)
    store.advance(HOUR)
    policy, tapped = Retention(completed="1s"), WatchedCalls(store)
    cleaning = FinishedLineCleaning(FinishedLine("default", State.COMPLETED), policy, archive, "me")
    while not cleaning.is_done:
        tapped.run(cleaning.clean_page())
    assert (cleaning.archived, cleaning.deleted) == (10, 10)
    assert [len(call.params["jobs"]) for call in tapped.calls if call.name == "prune"] == [4, 4, 2]


def test_jobs_with_steps_are_removed_a_few_at_a_time(store: Store) -> None:
    """Each may have ten thousand of them: SQLite lets no one else write meanwhile, and PostgreSQL runs out of time."""
    worker = store.a_worker()
    for number in range(40):
        job = store.claimed(by=worker)
        if number < 35:
            assert store.run(record_step(job.seq, job.fence, NewStep("one", 1), worker="w"))
        assert not worker.end(job)
    line, after = FinishedLine("default", State.COMPLETED), OLDEST
    gone: list[int] = []
    while (pruned := store.run(prune_oldest(line, age=-HOUR, beyond=None, after=after))) is not None:
        gone.append(pruned.count)
        after = pruned.position
    # Redis frees what is removed beside its other work.
    assert gone == ([40] if store.place.url.startswith("redis") else [15, 15, 10])
