"""archived_*: reads jobs of the store's own archive."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.store.builders import HOUR, new_job, raised
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently
from windlass.core.state import State
from windlass.errors import ConfigError
from windlass.store.operations.archive.archived import (
    ArchiveFilter,
    archived_page,
    archived_texts,
    archived_weeks,
    find_archived,
)
from windlass.store.operations.upkeep.prune import archive
from windlass.store.redis.driver import RedisDriver

WEEK, OTHER = "2026-W02", "2026-W01"
EVERY = ArchiveFilter()


def archived(store: Store, id: str, week: str = WEEK, **job: Any) -> None:
    """A completed job that lies in the archive."""
    done = store.finished(new=new_job(id, **job))
    assert store.run(archive([(done.seq, week)])) == [done.seq]


def ids(store: Store, filter: ArchiveFilter = EVERY, *, week: str = WEEK, window: int = 500) -> set[str]:
    """All that a filter finds in a week, page by page; each once."""
    cursor, found = None, list[str]()
    while True:
        page = store.run(archived_page(week, filter, cursor=cursor, window=window))
        found += [json.loads(text)["id"] for _, text in store.run(archived_texts(page.places))]
        cursor = page.next
        if cursor is None:
            assert len(found) == len(set(found))
            return set(found)


def test_weeks_with_archived_jobs_are_known(store: Store) -> None:
    archived(store, "a")
    archived(store, "b", OTHER)
    assert store.run(archived_weeks(["2026-W03", WEEK, OTHER])) == [WEEK, OTHER]
    assert store.run(archived_weeks([])) == []


@pytest.mark.parametrize("window", [1, 3, 500])
def test_a_week_is_read_in_pages(store: Store, window: int) -> None:
    for number in range(30):
        archived(store, f"job-{number}")
    archived(store, "elsewhere", OTHER)
    assert ids(store, window=window) == {f"job-{number}" for number in range(30)}


def test_jobs_are_found_by_task_queue_and_state(store: Store) -> None:
    archived(store, "a", task="mail")
    archived(store, "b", task='odd "é"/\\', queue="slow")
    failed = store.finished(FailedPermanently(raised().fault, "unknown_task"), new_job("c", task="mail"))
    store.run(archive([(failed.seq, WEEK)]))
    assert ids(store, ArchiveFilter(task="mail")) == {"a", "c"}
    assert ids(store, ArchiveFilter(task='odd "é"/\\')) == {"b"}
    assert ids(store, ArchiveFilter(queue="slow")) == {"b"}
    assert ids(store, ArchiveFilter(task="mail", state=State.FAILED)) == {"c"}
    assert ids(store, ArchiveFilter(task="mail", queue="slow")) == set()


def test_what_users_wrote_is_no_field(store: Store) -> None:
    archived(store, "a", task="mail", payload='{"v":1,"args":[{"task":"report","finished_at":1,"id":"z"}],"kwargs":{}}')
    assert ids(store, ArchiveFilter(task="report")) == set()
    assert ids(store, ArchiveFilter(until=2)) == set()
    assert store.run(find_archived("z", [WEEK])) is None


def test_jobs_are_found_by_the_time_they_finished(store: Store) -> None:
    archived(store, "early")
    store.advance(HOUR)
    archived(store, "late")
    at = store.job("late").finished_at
    assert at is not None
    assert ids(store, ArchiveFilter(since=at)) == {"late"}
    assert ids(store, ArchiveFilter(until=at)) == {"early"}
    assert ids(store, ArchiveFilter(since=at - HOUR, until=at + 1)) == {"early", "late"}


def test_a_page_that_begins_at_a_job_has_it(store: Store) -> None:
    for number in range(25):
        archived(store, f"job-{number}")
    places = store.run(archived_page(WEEK, EVERY)).places
    for place in places:
        again = store.run(archived_page(WEEK, EVERY, cursor=place.cursor, window=1))
        assert place.seq in {other.seq for other in again.places}


@pytest.mark.parametrize("id", ["a", 'odd "é"'])
def test_one_is_found_by_its_id(store: Store, id: str) -> None:
    for other in range(15):
        archived(store, f"{id}{other}")
    archived(store, id, OTHER)
    place = store.run(find_archived(id, [WEEK, OTHER]))
    assert place is not None
    [(_, text)] = store.run(archived_texts([place]))
    assert (place.week, json.loads(text)["id"]) == (OTHER, id)


def test_an_id_that_is_not_there_is_not_found(store: Store) -> None:
    archived(store, "a")
    assert store.run(find_archived("b", [WEEK, OTHER])) is None


def test_a_search_that_would_take_too_long_is_told(store: Store) -> None:
    """Where there is no index of ids."""
    archived(store, "other")
    archived(store, "a", OTHER)
    if isinstance(store.driver, RedisDriver):
        with pytest.raises(ConfigError, match="say when it finished, with since and until"):
            store.run(find_archived("a", [WEEK, OTHER], steps=1))
    else:
        assert store.run(find_archived("a", [WEEK, OTHER], steps=1)) is not None
    assert store.run(find_archived("a", [OTHER], steps=1)) is not None


def test_one_that_is_gone_is_left_out(store: Store) -> None:
    archived(store, "a")
    [place] = store.run(archived_page(WEEK, EVERY)).places
    assert store.run(archived_texts([place, type(place)(OTHER, 4711, 1, "")]))[1:] == []
