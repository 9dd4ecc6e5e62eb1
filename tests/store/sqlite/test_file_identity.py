"""Files that are deleted, moved or replaced while they are open: everybody finds out, nothing is lost in silence."""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path
from time import monotonic

import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import TTL, new_job
from tests.store.processes import Process, running
from tests.store.sqlite.files import beside, is_intact, move
from tests.store.sqlite.writing_process import BATCH, ask_to_write
from tests.store.stores import Store, open_store
from windlass.errors import StoreUnavailable
from windlass.store.operations.leases import WorkerReport, open_lease

SECONDS = 10
"""Far longer than anybody needs to find out that a log is gone."""


def with_jobs(place: SqlitePlace, *ids: str) -> SqlitePlace:
    with open_store(place) as store:
        store.enqueue(*map(new_job, ids))
    return place


def refusal(store: Store) -> str:
    """What each kind of call is refused with."""
    beat = open_lease(WorkerReport("w", "w", "idle", "{}"), lease="l", ttl=TTL)
    told = []
    for call in (lambda: store.enqueue(new_job()), store.count, lambda: store.run(beat)):
        with pytest.raises(StoreUnavailable) as raised:
            call()
        told.append(str(raised.value))
    assert set(told) == {told[0]}
    return told[0]


def enqueue_until_refused(store: Store) -> tuple[list[str], str]:
    """The ids that were acknowledged, and why there are no more."""
    acknowledged: list[str] = []
    until = monotonic() + SECONDS
    while monotonic() < until:
        id = f"late{len(acknowledged)}"
        try:
            store.enqueue(new_job(id))
        except StoreUnavailable as error:
            return acknowledged, str(error)
        acknowledged.append(id)
    raise AssertionError("nobody found out")


def test_a_file_that_was_deleted_is_missed(place: SqlitePlace) -> None:
    """Q5: no silent loss, and no empty file in its place."""
    with open_store(place) as store:
        store.enqueue(new_job())
        for suffix in ("", "-wal", "-shm"):
            place.path.with_name(place.path.name + suffix).unlink()
        told = refusal(store)
        assert told.startswith(f"{place.path}: was deleted while in use")
        assert not list(place.path.parent.iterdir())
    assert not list(place.path.parent.iterdir())


def test_a_file_that_comes_back_is_used_again(place: SqlitePlace) -> None:
    """Q5: one that was moved away is named, and works again where it was, without a restart (I8)."""
    away = beside(place, "away.db")
    with open_store(place) as store:
        store.enqueue(new_job())
        move(place, away)
        told = refusal(store)
        assert told.startswith(f"{place.path}: was moved to {away.path} while in use")
        assert not place.path.exists()
        move(away, place)
        store.enqueue(new_job())
        assert store.count() == 2
    assert is_intact(place)


def test_another_file_in_its_place_is_left_alone(place: SqlitePlace) -> None:
    """Q5: nothing is written to the wrong file; a store that is opened anew works with it."""
    away, other = beside(place, "away.db"), with_jobs(beside(place, "other.db"), "other")
    with open_store(place) as store:
        store.enqueue(new_job("ours"))
        move(place, away)
        other.path.rename(place.path)
        before = place.path.read_bytes()
        told = refusal(store)
        assert told.startswith(f"{place.path}: is another file than before; the one in use was moved to {away.path}")
        assert place.path.read_bytes() == before
        with open_store(place) as anew:
            assert anew.count() == 1
            anew.enqueue(new_job())
            assert anew.count() == 2
        refusal(store)
    assert is_intact(place)
    with open_store(away) as store:
        assert store.count() == 1


def test_a_link_that_leads_elsewhere_is_noticed(place: SqlitePlace) -> None:
    """Q5: the path is what counts."""
    link, other = beside(place, "link.db"), with_jobs(beside(place, "other.db"), "other")
    with_jobs(place, "ours")
    link.path.symlink_to(place.path)
    with open_store(link) as store:
        assert store.count() == 1
        link.path.unlink()
        link.path.symlink_to(other.path)
        assert "is another file than before" in refusal(store)


def test_a_file_that_was_deleted_before_it_was_opened_is_made_anew(place: SqlitePlace) -> None:
    """A store that nobody has used yet has no file to miss."""
    with_jobs(place, "a")
    with open_store(place) as store:
        place.path.unlink()
        assert store.count() == 0


# The log, and the log's index.


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_log_that_was_deleted_is_missed_and_its_jobs_are_saved(place: SqlitePlace, suffix: str) -> None:
    """Q5: what was acknowledged is in the file, even if the process that still has the log dies at once."""
    saved = beside(place, "saved.db")
    with open_store(place) as store:
        store.enqueue(new_job("early"))
        log = Path(f"{place.path}{suffix}")
        log.unlink()
        acknowledged, told = enqueue_until_refused(store)
        assert told.startswith(f"{log}: deleted while in use")
        assert refusal(store) == told
        assert not log.exists()
        shutil.copy(place.path, saved.path)
        with open_store(saved) as rescued:
            assert rescued.count() == 1 + len(acknowledged)
    with open_store(place) as store:
        assert store.count() == 1 + len(acknowledged)
    assert is_intact(place)


def write_until_refused(writer: Process) -> tuple[int, str]:
    """How many batches were acknowledged, and why there are no more."""
    until = monotonic() + SECONDS
    for number in count():
        if (told := ask_to_write(writer)) != "written":
            return number, told
        assert monotonic() < until, "nobody found out"
    raise AssertionError("numbers do not end")


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_who_has_a_log_that_others_made_anew_does_no_harm(place: SqlitePlace, suffix: str) -> None:
    """Q5: what others stored meanwhile is not overwritten by whoever still has the old log, not even at its end."""
    log = Path(f"{place.path}{suffix}")
    with running("tests.store.sqlite.writing_process", place.url, "asked") as former:
        assert ask_to_write(former) == "written"
        log.unlink()
        late, told = write_until_refused(former)
        assert told.startswith(f"{log}: deleted while in use; stop all")
        with running("tests.store.sqlite.writing_process", place.url, "asked") as newcomer:
            assert [ask_to_write(newcomer) for _ in range(20)] == ["written"] * 20
            newcomer.kill()
        assert ask_to_write(former).startswith(f"{log}: deleted while in use, and made anew")
        assert former.end() == 0
    assert is_intact(place)
    with open_store(place) as store:
        assert store.count() == BATCH * (1 + late + 20)


def test_a_process_that_has_a_replaced_log_cannot_begin_anew(place: SqlitePlace) -> None:
    """Q5: SQLite would take up what it still has open."""
    with open_store(place) as store:
        store.enqueue(new_job())
        Path(f"{place.path}-wal").unlink()
        enqueue_until_refused(store)
        with running("tests.store.sqlite.writing_process", place.url, "asked") as newcomer:
            assert ask_to_write(newcomer) == "written"
        assert "made anew by another process" in refusal(store)
    with open_store(place) as store, pytest.raises(StoreUnavailable, match=r"log was replaced .* restart it"):
        store.count()
