"""What is different behind a pooler, and a worker that lives there."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, closing
from queue import SimpleQueue
from time import monotonic

import psycopg
import pytest

from tests.ledger.apps import Apps, gate
from tests.leeway import leeway
from tests.places.place import ServerPlace, wipe_postgres
from tests.store.builders import new_job
from tests.store.postgres.database import Database
from tests.store.stores import Store
from tests.waiting import PATIENCE, eventually
from windlass import State
from windlass.store.driver import Topic
from windlass.store.open import open_driver


@pytest.fixture
def apps(place: ServerPlace) -> Iterator[Apps]:
    with Apps(place) as apps:
        yield apps


def test_nobody_listens_and_one_line_says_so(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """G7: LISTEN would stay behind on a connection of others."""
    heard: SimpleQueue[Topic] = SimpleQueue()
    store.enqueue(new_job())
    with caplog.at_level(logging.INFO, logger="windlass"), closing(store.driver.listen(heard.put)):
        eventually(lambda: "found by polling" in caplog.text)
        store.another().driver.notify(Topic.WORK)
        store.enqueue(new_job())
    assert caplog.text.count("found by polling") == 1
    assert heard.empty()


def test_prepared_statements_are_used_until_the_pooler_loses_them(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """G7: no call fails of it, and it is said once at the most: newer ones carry them along."""
    worker = store.a_worker()
    with caplog.at_level(logging.WARNING, logger="windlass"):
        for _ in range(20):
            store.enqueue(new_job())
            [job] = worker.take()
            assert not worker.end(job)
            assert worker.renew().is_open
    assert [record.getMessage() for record in caplog.records if "?prepare=off" not in record.getMessage()] == []
    assert len(caplog.records) <= 1


def test_nothing_is_said_where_the_url_says_it(
    place: ServerPlace, behind_pooler: Database, caplog: pytest.LogCaptureFixture
) -> None:
    new = f"{place.namespace}_new"
    with (
        ExitStack() as made,
        caplog.at_level(logging.WARNING, logger="windlass"),
        closing(open_driver(f"{place.url}?prepare=off", namespace=new)) as driver,
    ):
        made.callback(wipe_postgres, behind_pooler.url, new)
        assert driver.migrate()
    assert caplog.records == []


def test_no_setting_is_left_to_others(store: Store, place: ServerPlace) -> None:
    """G7: they share the server's connections."""
    store.enqueue(new_job())
    store.a_worker()
    with psycopg.connect(place.url, autocommit=True) as other:
        other.prepare_threshold = None
        for setting, usual in (("plan_cache_mode", "auto"), ("search_path", '"$user", public')):
            assert other.execute(f"SELECT current_setting('{setting}')").fetchone() == (usual,)


def test_a_worker_finds_the_jobs_of_others_by_looking(apps: Apps) -> None:
    """C4, G7: every second, as nobody tells it."""
    served, producer = apps(), apps()

    @served.task(name="double")
    def double(number: int) -> int:
        return 2 * number

    with served.worker(lease="2s"):
        eventually(lambda: served.workers(), "it has begun")
        for number in range(3):
            began = monotonic()
            assert producer.enqueue("double", number).result(timeout=PATIENCE) == 2 * number
            assert monotonic() - began < leeway(5)
        jobs = producer.enqueue_many([producer.request("double", (number,)) for number in range(500)])
        eventually(lambda: producer.counts()[State.COMPLETED] == 503, "all have run")
    assert {job.refresh().attempt for job in jobs} == {1}
    assert producer.workers() == []


def test_a_run_is_cancelled_and_a_lease_kept_through_the_pooler(apps: Apps) -> None:
    """A8, C5: for longer than the lease."""
    served, other = apps(), apps()
    with gate() as held:

        @served.task(name="wait")
        def wait() -> None:
            held.wait()

        @served.task(name="idle")
        async def idle() -> None:
            import asyncio

            await asyncio.Event().wait()

        with served.worker(lease="1s"):
            kept, cancelled = other.enqueue("wait"), other.enqueue("idle")
            held.await_entered()
            eventually(lambda: cancelled.refresh().state == State.RUNNING, "it runs")
            before = other.workers()[0].seen_at
            eventually(lambda: (other.workers()[0].seen_at - before).total_seconds() > 2, "its lease is renewed")
            assert cancelled.cancel()
            eventually(lambda: cancelled.refresh().state == State.CANCELLED, "it was stopped")
            held.open()
            assert kept.result(timeout=PATIENCE) is None
    assert (kept.refresh().attempt, kept.record.rescues, kept.record.crashes) == (1, 0, 0)
