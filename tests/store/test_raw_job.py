"""raw_job: what the store holds of one job, under its own names."""

from __future__ import annotations

from typing import Any

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations.diagnostics.raw_job import raw_job

LONG = '{"v":1,"args":["' + "x" * 20_000 + '"],"kwargs":{}}'


def fields_of(store: Store, id: str) -> dict[str, Any]:
    """All fields of all places together; those that are empty in one place may stand in another."""
    whole: dict[str, Any] = {}
    for record in store.run(raw_job(id)):
        whole |= {name: value for name, value in record.fields.items() if value not in ("", None)}
    return whole


def test_a_job_is_given_by_the_names_of_the_store(store: Store) -> None:
    """B24, B19: as it was stored, also a long payload and the key that it holds."""
    store.enqueue(new_job("a", payload=LONG, key="one", meta='{"meta":{"n":1}}'), new_job("b"))
    found = fields_of(store, "a")
    assert (found["task"], found["queue"], found["payload"]) == ("greet", "default", LONG)
    assert (found["meta"], found["unique_key"], found["until"]) == ('{"meta":{"n":1}}', "one", "finished")
    assert store.run(raw_job("none")) == []


def test_a_running_job_comes_with_its_lease(store: Store) -> None:
    worker = store.a_worker("w")
    store.enqueue(new_job("a"))
    [claimed] = worker.take(1)
    places = [record.place for record in store.run(raw_job("a"))]
    found = fields_of(store, "a")
    assert any("lease" in place for place in places)
    assert (int(found["fence"]), found["worker"]) == (claimed.fence, worker.id)
    assert "renewed_at" in found


def test_a_job_that_waits_and_one_that_has_ended(store: Store) -> None:
    store.enqueue(new_job("a", delay=5000))
    assert store.run(raw_job("a"))[0].fields["id"] == "a"
    done = store.finished()
    found = fields_of(store, done.id)
    assert (found["state"], int(found["finished_at"])) == ("completed", done.finished_at)
