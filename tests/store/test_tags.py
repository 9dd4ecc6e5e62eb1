"""Tags: jobs are found by them through an index, which follows the jobs wherever they go."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.places.place import SqlitePlace
from tests.places.raw_store import RawStore
from tests.store.builders import HOUR, OWN_ID, ids, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass import Retention
from windlass.admin.cleanup.cleanup import clean
from windlass.core.meta import read_tags
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.diagnostics.consistency import repair, strays
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.queries import WINDOW, Filter
from windlass.store.operations.transfer import export, store_batch
from windlass.store.operations.upkeep.prune import FinishedLine, prunable, prune, prune_oldest

LONGEST = tuple(f"{number:02}" + "ü" * 126 for number in range(20))


def tagged(store: Store, tag: str, **other: object) -> list[str]:
    """The ids of the jobs that have a tag, the newest first."""
    return ids(store.run(queries.page(Filter(tag=tag, **other), limit=100)).jobs)  # type: ignore[arg-type]  # any filter


def rows(store: Store) -> int:
    """How many pairs of a tag and a job the store keeps."""
    if isinstance(store.place, SqlitePlace):
        return int(store.place.execute("SELECT count(*) FROM windlass_tag")[0][0])
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()
    return RawStore(store.place).tags()


def test_jobs_are_found_by_their_tags(store: Store) -> None:
    store.enqueue(
        new_job("a", tags=("vip", "plan=pro")), new_job("b"), new_job("c", tags=("vip",)), new_job("d", tags=("VIP",))
    )
    assert tagged(store, "vip") == ["c", "a"]
    assert (tagged(store, "plan=pro"), tagged(store, "VIP"), tagged(store, "plan")) == (["a"], ["d"], [])
    assert [read_tags(store.job(id)) for id in "ab"] == [("vip", "plan=pro"), ()]


def test_tags_are_stored_as_they_are(store: Store) -> None:
    odd = ("%", "'", "{x}", "a b", "*", "tag:1", "漢字", "-- ;", "[", "\N{GRINNING FACE}")
    store.enqueue(new_job("odd", tags=odd), new_job("long", tags=LONGEST), new_job("other"))
    assert all(tagged(store, tag) == ["odd"] for tag in odd)
    assert all(tagged(store, tag) == ["long"] for tag in LONGEST)
    assert (read_tags(store.job("odd")), read_tags(store.job("long"))) == (odd, LONGEST)


def test_the_other_filters_hold_too(store: Store) -> None:
    store.enqueue(new_job("a", tags=("x",)), new_job("b", tags=("x",), queue="mail"), new_job("c", queue="mail"))
    assert tagged(store, "x", queue="mail") == ["b"]
    assert tagged(store, "x", states=(State.FAILED,)) == []
    store.run(jobs.cancel([store.job("a").seq], by="me"))
    assert tagged(store, "x", states=(State.CANCELLED,)) == ["a"]


def test_a_text_is_looked_for_in_tags(store: Store) -> None:
    store.enqueue(new_job("a", tags=("vip", "plan=Pro")), new_job("b"))
    assert ids(store.run(queries.page(Filter(text="PLAN=p"), limit=9)).jobs) == ["a"]
    assert tagged(store, "vip", text="greet") == ["a"]
    assert tagged(store, "vip", text="other") == []


def test_pages_of_a_tag_follow_each_other(store: Store) -> None:
    store.enqueue(*(new_job(f"{number}", tags=("x",) if number % 3 == 0 else ()) for number in range(20)))
    found, cursor = [], None
    while True:
        page = store.run(queries.page(Filter(tag="x"), limit=2, cursor=cursor))
        found += ids(page.jobs)
        cursor = page.next
        if cursor is None:
            break
    assert found == ["18", "15", "12", "9", "6", "3", "0"]


def test_a_tag_is_found_behind_more_jobs_than_a_page_looks_at(store: Store) -> None:
    """B37: by index; a filter without one would look at so many and come back with nothing."""
    store.enqueue(new_job("needle", tags=("x",)))
    store.enqueue(*(new_job() for _ in range(WINDOW + 1)))
    page = store.run(queries.page(Filter(tag="x"), limit=2))
    assert (ids(page.jobs), page.next) == (["needle"], None)


def test_a_job_that_is_there_already_gets_no_more_tags(store: Store) -> None:
    """B18: what the second call asks for besides is dropped; a repeat after a lost reply changes nothing."""
    first = new_job("a", tags=("x",))
    store.enqueue(first, naming=OWN_ID)
    store.enqueue(new_job("a", tags=("y",)), naming=OWN_ID)
    store.enqueue(new_job("b", tags=("z",), key="k"), new_job("c", tags=("y",), key="k"))
    store.enqueue(new_job("d", tags=("x",)), new_job("d", tags=("y",)), naming=OWN_ID)
    assert (tagged(store, "x"), tagged(store, "y"), tagged(store, "z")) == (["d", "a"], [], ["b"])
    store.enqueue(first)
    assert (tagged(store, "x"), rows(store)) == (["d", "a"], 3)


def test_a_job_that_takes_other_arguments_keeps_its_tags(store: Store) -> None:
    """B17: it takes the arguments, and nothing else."""
    store.enqueue(new_job("a", tags=("x",), key="k"))
    store.enqueue(new_job(tags=("y",), key="k", payload='"new"'), naming=Uniqueness(on_conflict="replace"))
    assert (tagged(store, "x"), tagged(store, "y"), store.job("a").payload) == (["a"], [], '"new"')
    store.end(store.a_worker().take()[0])
    store.run(jobs.delete([(store.job("a").seq, "a")]))
    assert rows(store) == 0


def test_tags_stay_through_a_life(store: Store) -> None:
    """A claim, a failed attempt, a retry by hand."""
    claimed = store.claimed(new_job("a", tags=("x",), attempts=1))
    store.end(claimed, raised())
    assert store.job("a").state is State.FAILED
    store.run(jobs.retry([claimed.seq], by="me"))
    assert (tagged(store, "x", states=(State.PENDING,)), read_tags(store.job("a"))) == (["a"], ("x",))


def test_deleting_a_job_deletes_its_tags(store: Store) -> None:
    gone, kept = store.a_job(new_job(tags=("x", "y"))), store.a_job(new_job("kept", tags=("x",)))
    store.run(jobs.delete([(gone.seq, gone.id)]))
    assert (tagged(store, "x"), tagged(store, "y"), rows(store)) == ([kept.id], [], 1)


@pytest.mark.parametrize("way", ["oldest", "seen"])
def test_retention_takes_tags_along(store: Store, way: str) -> None:
    """A13: everything that belongs to a job goes with it."""
    finished = [store.finished(new=new_job(tags=("x",))) for _ in range(3)]
    line = FinishedLine("default", State.COMPLETED)
    store.advance(HOUR)
    if way == "oldest":
        store.run(prune_oldest(line, age=0, beyond=None, limit=2))
    else:
        store.run(prune(line, store.run(prunable(line, age=0, beyond=None, limit=2))))
    assert (tagged(store, "x"), rows(store)) == ([finished[2].id], 1)


def test_a_job_whose_body_is_gone_leaves_no_tags(store: Store) -> None:
    """On SQLite, where a job has no body apart from its row, only ``windlass check`` looks for them."""
    gone = store.a_job(new_job(tags=("x", "y")))
    if isinstance(store.place, SqlitePlace):
        store.place.execute("DELETE FROM windlass_job WHERE id = ?", (gone.id,))
    else:
        RawStore(store.place).remove(gone.id)
    assert tagged(store, "x") == []
    store.a_worker().take()
    store.run(clean(Retention(), None, by="leader", monotonic=lambda: 0.0))
    if isinstance(store.place, SqlitePlace):
        store.run(repair(store.run(strays())))
    assert rows(store) == 0


@pytest.mark.parametrize("state", [state for state in State if state not in (State.RUNNING, State.BLOCKED)])
def test_another_store_takes_them_over(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    load = store.run(export([job.id]))
    store.run(jobs.delete([(job.seq, job.id)]))
    moved = replace(load, jobs=[replace(job, tags='["x","ü=ü"]')])
    assert (store.run(store_batch(moved)), store.run(store_batch(moved))) == (1, 0)
    assert (tagged(store, "x"), tagged(store, "ü=ü"), rows(store)) == ([job.id], [job.id], 2)
    assert read_tags(store.job(job.id)) == ("x", "ü=ü")
