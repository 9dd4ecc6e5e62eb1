"""A round of cleaning, on a store of which parts fail: what is bad never keeps what is behind it from its turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.store.builders import DAY, new_job, raised
from tests.store.stores import Store
from tests.store.watched_calls import WatchedCalls, each_of, never, too_much
from windlass.admin.cleanup.cleanup import Cleaned, CleaningRound, clean
from windlass.archive.writers import ArchiveWriter
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.errors import StoreUnavailable
from windlass.retention import Retention
from windlass.store.operation import Call, Operation
from windlass.store.operations import jobs, queries
from windlass.store.operations.events import record_job_events
from windlass.store.operations.upkeep.tidy import FIRST_KEY
from windlass.store.pages import PAGE, PAGE_BYTES

LARGE = '"' + "x" * 1_000_000 + '"'


class Shelf:
    """Keeps everything, and what it was given at once."""

    def __init__(self) -> None:
        self.pages: list[list[str]] = []

    def write(self, records: Sequence[JobRecord]) -> Operation[list[int]]:
        yield from ()
        assert all(record.payload for record in records)
        self.pages.append([record.id for record in records])
        return [record.seq for record in records]


def cleaned(store: WatchedCalls, archive: ArchiveWriter | None = None, **retention: int) -> Cleaned:
    return store.run(clean(Retention(**retention), archive, by="leader", monotonic=lambda: 0.0))


def cancelled(store: Store, *names: str, queue: str = "default", payload: str = '""') -> None:
    for name in names:
        job = store.a_job(new_job(name, queue=queue, payload=payload))
        store.run(jobs.cancel([job.seq], by="me"))


def rest(store: Store) -> set[str]:
    return {job.id for job in store.run(queries.page(queries.Filter(), limit=100)).jobs}


def test_large_jobs_go_in_pages_and_none_of_their_bytes_is_read(store: Store) -> None:
    """A13: 520 jobs of a mebibyte each must not stop cleaning for ever."""
    cancelled(store, *"abcdefghij", payload=LARGE)
    store.advance(8 * DAY)
    tapped = WatchedCalls(store)
    assert cleaned(tapped).deleted == 10
    pages = [answer["pruned"][0][0] for name, answer in tapped.answers if name == "prune_oldest" and answer["pruned"]]
    assert pages == ([10] if store.place.url.startswith("redis") else [4, 4, 2]), "Redis frees a text in no time"
    assert all(size < 10_000 for name, _ in tapped.answers for size in tapped.sizes(name))


def test_an_archive_is_given_whole_jobs_a_page_at_a_time(store: Store) -> None:
    cancelled(store, *"abcdefghij", payload=LARGE)
    store.advance(8 * DAY)
    shelf, tapped = Shelf(), WatchedCalls(store)
    assert cleaned(tapped, shelf) == Cleaned(10, 10, 0.0)
    assert shelf.pages == [list("abcd"), list("efgh"), list("ij")]
    assert max(tapped.sizes("jobs_by_id")) < PAGE_BYTES + 2_000_000


def test_a_page_that_is_too_much_is_halved(store: Store) -> None:
    cancelled(store, *"abcdefghij")
    store.advance(8 * DAY)
    tapped = WatchedCalls(store, before=each_of(unseen, too_much("prune", "jobs", most=3)))
    assert cleaned(tapped).deleted == 10


def test_a_job_that_cannot_be_removed_does_not_keep_those_behind_it(store: Store) -> None:
    cancelled(store, *"abcde")
    bad = store.job("b").seq
    store.advance(8 * DAY)
    fails = never("prune", lambda params: bad in [row[0] for row in params["jobs"]])
    tapped = WatchedCalls(store, before=each_of(unseen, fails))
    assert cleaned(tapped).deleted == 4
    assert rest(store) == {"b"}


def test_a_page_that_failed_is_looked_at_and_the_next_one_is_not(store: Store) -> None:
    """The short way is left only for what it cannot remove."""
    store.enqueue(*(new_job() for _ in range(3 * PAGE - 1)))
    found = store.run(queries.matching(queries.Filter(), limit=3 * PAGE)).jobs
    for first in range(0, len(found), PAGE):
        store.run(jobs.cancel([job.seq for job in found[first : first + PAGE]], by="me"))
    store.advance(8 * DAY)
    left = [StoreUnavailable("the server took too long")]

    def once_too_slow(call: Call) -> None:
        if call.name == "prune_oldest" and call.params["state"] is State.CANCELLED and left:
            raise left.pop()

    tapped = WatchedCalls(store, before=once_too_slow)
    assert cleaned(tapped).deleted == 3 * PAGE - 1
    names = [call.name for call in tapped.calls if call.params.get("state") is State.CANCELLED]
    assert names == ["retention_position", "prune_oldest", "prunable", "prune", "prune_oldest", "prune_oldest"]


@pytest.mark.parametrize("call", ["retention_position", "prune_oldest"])
def test_a_queue_that_fails_keeps_neither_the_next_one_nor_the_tidying(store: Store, call: str) -> None:
    cancelled(store, "a", queue="a")
    cancelled(store, "b", queue="b")
    kept = store.a_job(new_job("kept", queue="c"))
    store.run(record_job_events([(kept.seq, 0, "refused", {})], worker="w"))
    store.advance(40 * DAY)
    tapped = WatchedCalls(store, before=each_of(never_in_a(call), never_in_a("prunable")))
    with pytest.raises(StoreUnavailable, match="too long"):
        cleaned(tapped)
    assert rest(store) == {"a", "kept"}
    assert store.kinds(kept.seq) == []


@pytest.mark.parametrize("part", ["tidy_events", "tidy_leftovers", "tidy_keys", "orphan_keys"])
def test_each_part_of_the_tidying_makes_progress_by_itself(store: Store, part: str) -> None:
    """A13: three million keys must not keep old events and workers for ever."""
    kept = store.a_job()
    store.run(record_job_events([(kept.seq, 0, "refused", {})], worker="w"))
    store.a_worker("lost")
    store.advance(40 * DAY)
    tapped = WatchedCalls(store, before=never(part, lambda params: True))
    with pytest.raises(StoreUnavailable):
        cleaned(tapped)
    expected = {"tidy_events", "tidy_leftovers", "tidy_keys", "orphan_keys"} - {part}
    assert expected <= {name for name, _ in tapped.answers}
    assert store.kinds(kept.seq) == (["refused"] if part == "tidy_events" else [])


@pytest.mark.parametrize("part", ["tidy_events", "tidy_leftovers", "tidy_keys", "orphan_keys"])
def test_a_part_of_the_tidying_that_is_too_much_is_done_in_smaller_steps(store: Store, part: str) -> None:
    """A13: a thousand events of a mebibyte each, say, must not stay for ever because they cannot go at once."""
    kept = store.a_job()
    store.run(record_job_events([(kept.seq, 0, "refused", {})], worker="w"))
    store.a_worker("lost")
    store.advance(40 * DAY)
    tapped = WatchedCalls(store, before=never(part, lambda params: params["limit"] > 10))
    assert cleaned(tapped) == Cleaned()
    assert part in {name for name, _ in tapped.answers}
    assert store.kinds(kept.seq) == []


@pytest.mark.only_on("sqlite", "postgres")
def test_a_page_of_keys_that_failed_does_not_count(store: Store) -> None:
    """Or a round would go on through all keys, however many pages it was to look at."""
    store.enqueue(*(new_job(f"{number}", key=f"key {number}") for number in range(12)))
    tapped = WatchedCalls(store, before=never("orphan_keys", lambda params: params["limit"] > 10))
    cleaning = CleaningRound(Retention(), None, by="me", key_pages=1)
    for step in cleaning.steps():
        tapped.run(step)
    assert [name for name, _ in tapped.answers].count("orphan_keys") == 1
    assert cleaning.next_key != FIRST_KEY


def test_a_store_that_is_away_ends_the_round(store: Store) -> None:
    cancelled(store, "a", queue="a")
    cancelled(store, "b", queue="b")
    store.advance(8 * DAY)

    def away(call: Call) -> None:
        if call.name != "queue_list":
            raise StoreUnavailable("gone fishing")

    tapped = WatchedCalls(store, before=away)
    with pytest.raises(StoreUnavailable, match="gone fishing"):
        cleaned(tapped)
    assert len(tapped.calls) <= 4


@pytest.mark.parametrize("archive", [None, Shelf()], ids=["deleted", "archived"])
def test_a_job_that_fails_anew_during_the_cleaning_stays(store: Store, archive: ArchiveWriter | None) -> None:
    """A13: it has its thirty days before it."""
    job = store.finished(raised(), new=new_job(attempts=1))
    store.advance(31 * DAY)
    tapped = WatchedCalls(
        store,
        before=unseen if archive is None else lambda call: None,
        after=once("prunable", State.FAILED, lambda: fail_anew(store, job)),
    )
    assert cleaned(tapped, archive).deleted == 0
    assert store.job(job.id).finished_at == store.clock()


def unseen(call: Call) -> None:
    """A store that cannot remove jobs in one call with the look at them."""
    never("prune_oldest", lambda params: True)(call)


def never_in_a(name: str) -> Callable[[Call], None]:
    return never(name, lambda params: params["queue"] == "a")


def once(name: str, state: State, act: Callable[[], None]) -> Callable[[Call], None]:
    """Does something between two calls, one time."""
    left = [act]

    def after(call: Call) -> None:
        if call.name == name and call.params["state"] is state and left:
            left.pop()()

    return after


def fail_anew(store: Store, job: JobRecord) -> None:
    store.run(jobs.retry([job.seq], by="operator"))
    [taken] = store.a_worker().take()
    store.end(taken, raised())


def test_what_is_kept_is_counted_once_in_a_round(store: Store) -> None:
    """S10: not once for every page, which would step over all that is kept each time."""
    store.enqueue(*(new_job() for _ in range(3 * PAGE)))
    jobs_found = store.run(queries.matching(queries.Filter(), limit=3 * PAGE)).jobs
    store.run(jobs.cancel([job.seq for job in jobs_found], by="me"))
    tapped = WatchedCalls(store)
    assert cleaned(tapped, at_most=10).deleted == 3 * PAGE - 10
    counted = [
        call for call in tapped.calls if call.name == "retention_position" and call.params["state"] is State.CANCELLED
    ]
    assert len(counted) == 1
    positions = [call.params["after_seq"] for call in tapped.calls if call.name == "prune_oldest"]
    assert len(set(positions)) >= 3, "each page goes on behind the last"
