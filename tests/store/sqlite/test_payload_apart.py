"""Large payloads lie apart from their jobs, and are written once."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.ledger.apps import work
from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.sqlite.files import is_intact
from tests.store.stores import open_store
from windlass import Windlass
from windlass.core.codec import Codec, NewerFormat
from windlass.store.operations import jobs, queries

LARGE = '{"v":1,"args":["' + "x" * 10_000 + '"],"kwargs":{}}'


@pytest.fixture(params=["", "?driver=stdlib"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> SqlitePlace:
    return SqlitePlace(tmp_path / "jobs.db", request.param)


def apart(place: SqlitePlace) -> list[str]:
    return [payload for (payload,) in place.execute("SELECT payload FROM windlass_payload")]


def test_a_run_does_not_write_its_payload_again(tmp_path: Path) -> None:
    """S10: neither the claim nor the ending; measured by what is added to the log."""
    app = Windlass(f"sqlite:///{tmp_path}/jobs.db")

    @app.task
    def task(text: str) -> None:
        """Nothing."""

    with closing(app):
        task.enqueue("small")
        work(app)
        log = tmp_path / "jobs.db-wal"
        with closing(SqlitePlace(tmp_path / "jobs.db").connect()) as reader:
            reader.execute("BEGIN")
            list(reader.execute("SELECT 1 FROM windlass_job"))  # as long as somebody reads, the log only grows
            task.enqueue_many([("x" * 10_000,)] * 100)
            before = log.stat().st_size
            work(app)
            per_job = (log.stat().st_size - before) / 100
    assert per_job < 5_000


def test_only_what_is_large_lies_apart(place: SqlitePlace) -> None:
    with open_store(place) as store:
        store.enqueue(new_job("a", payload=LARGE), new_job("b"))
        store.enqueue(new_job("c", payload=LARGE))
        assert apart(place) == [LARGE, LARGE]
        assert {id: job.payload for id, job in store.run(queries.find(["a", "b", "c"])).items()} == {
            "a": LARGE,
            "b": new_job().payload,
            "c": LARGE,
        }


def test_it_goes_with_its_job(place: SqlitePlace) -> None:
    """A13."""
    with open_store(place) as store:
        store.enqueue(new_job("a", payload=LARGE), new_job("b", payload=LARGE))
        found = store.run(queries.find(["a", "b"]))
        store.run(jobs.delete([(found["a"].seq, "a")]))
        assert len(apart(place)) == 1
        store.run(jobs.delete([(found["b"].seq, "b")]))
        assert apart(place) == []
    assert is_intact(place)


def test_one_that_somebody_deleted_fails_its_job_alone(place: SqlitePlace) -> None:
    """I11."""
    app = Windlass(place.url)

    @app.task
    def task(text: str) -> int:
        return len(text)

    with closing(app):
        job, other = task.enqueue("x" * 5_000), task.enqueue("y" * 5_000)
        place.execute("DELETE FROM windlass_payload WHERE seq = (SELECT min(seq) FROM windlass_payload)")
        work(app)
        assert (job.refresh().state, job.reason) == ("failed", "undecodable")
        assert other.result() == 5_000


def test_a_process_that_knows_nothing_of_it_leaves_such_jobs_to_others(place: SqlitePlace) -> None:
    """B32: one that was started before the file was brought up to date reads what stands in the row."""
    with open_store(place) as store:
        store.enqueue(new_job(payload=LARGE))
    [(in_the_row,)] = place.execute("SELECT payload FROM windlass_job")
    with pytest.raises(NewerFormat):
        Codec().decode_call(None, in_the_row)
