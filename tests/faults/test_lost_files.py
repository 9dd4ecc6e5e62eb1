"""Workers whose file is moved away or replaced: they wait for it, and leave any other file alone."""

from __future__ import annotations

import signal
from contextlib import closing

import pytest

from tests.faults.job_outcomes import await_all_done
from tests.faults.names import RECORD
from tests.faults.process import Processes
from tests.places.place import Place, SqlitePlace
from tests.store.sqlite.files import beside, move
from windlass import State, StoreUnavailable, Windlass

pytestmark = pytest.mark.only_on("sqlite")

NOTICED = "log store unavailable, trying until it is back: "


@pytest.fixture
def file(place: Place) -> SqlitePlace:
    assert isinstance(place, SqlitePlace)
    return place


def test_a_worker_waits_for_a_file_that_was_moved_and_goes_on(
    app: Windlass, processes: Processes, file: SqlitePlace
) -> None:
    """Q5: it says where its file is; when that is back it goes on without a restart (I8)."""
    worker = processes.worker(lease="30s")
    await_all_done([app.enqueue(RECORD, 1)])
    move(file, beside(file, "away.db"))
    assert f"was moved to {beside(file, 'away.db').path}" in worker.await_line(NOTICED)
    with pytest.raises(StoreUnavailable, match="was moved to"):
        app.enqueue(RECORD, 2)
    move(beside(file, "away.db"), file)
    await_all_done([app.enqueue(RECORD, 3)])


def test_a_worker_leaves_another_file_in_its_place_alone(
    app: Windlass, processes: Processes, file: SqlitePlace
) -> None:
    """Q5: its jobs are run by a worker that is started anew, and the one before stops in order."""
    other = beside(file, "other.db")
    with closing(Windlass(other.url)) as elsewhere:
        id = elsewhere.enqueue(RECORD, 1).id
    former = processes.worker(lease="30s", name="former")
    await_all_done([app.enqueue(RECORD, 2)])
    move(file, beside(file, "away.db"))
    other.path.rename(file.path)
    former.await_line(NOTICED)
    with closing(Windlass(file.url)) as anew:
        assert anew.job(id).state == State.PENDING
        assert not anew.workers()
        processes.worker(name="anew")
        await_all_done([anew.job(id)])
    former.signal(signal.SIGTERM)
    former.ends_within(20)
