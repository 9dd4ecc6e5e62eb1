"""The store's own consistency, with repair."""

from __future__ import annotations

from tests.ledger.apps import work
from tests.places.raw_store import RawStore
from windlass import Windlass


def test_a_store_in_use_is_consistent(app: Windlass) -> None:
    """F8: jobs in many states; nothing is wrong, and all were looked at."""

    @app.task(name="noop")
    def noop() -> None: ...

    @app.task(name="fail")
    def fail() -> None:
        raise ValueError

    app.enqueue_many([app.request("noop", tags=["vip"]), app.request("fail", attempts=1), app.request("fail")])
    work(app)
    app.enqueue("noop")
    app.claim()
    found = app.check()
    assert (found.damages, found.examined) == ([], 4)


def test_a_difference_is_found_and_repaired(app: Windlass, raw_store: RawStore) -> None:
    """F8: a counter that says something else than the jobs."""
    app.configure(max_running=8)
    app.enqueue("noop")
    raw_store.miscount("*", 3)
    [damage] = app.check().left
    assert (damage.kind, damage.subject) == ("limit", "*")
    mended = app.check(repair=True)
    assert (len(mended.mended), mended.left) == (1, [])
    assert app.check().damages == []


def test_a_text_that_is_damaged_is_found_by_its_checksum(app: Windlass, raw_store: RawStore) -> None:
    """F8: every stored text carries a checksum; what is lost for good stays reported."""
    job = app.enqueue("noop", "ann")
    text = raw_store.text(job, "payload").decode()
    raw_store.damage(job, payload=text.replace("ann", "bob"))
    found = app.check(repair=True)
    assert [(one.kind, one.subject, one.detail) for one in found.left] == [("text", job.id, "payload")]
