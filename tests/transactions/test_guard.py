"""``job.guard(connection)``: a caller's transaction that commits only while the job is its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from tests.cli.program import Program
from tests.ledger.apps import LONG_LEASE, await_first_beat
from tests.slow_shutdown import unhurried
from tests.transactions.callers.caller import Caller
from tests.transactions.places import KINDS, Kind, Shop
from tests.transactions.shop import Scene
from tests.waiting import PATIENCE, eventually
from windlass import ActiveJob, ClaimedJob, ConfigError, LeaseLost, State, Windlass, this_job
from windlass.testing import ManualClock, inline

pytestmark = pytest.mark.only_on("sqlite", "postgres")

every_kind = pytest.mark.parametrize("kind_name", KINDS)
one_kind_each = pytest.mark.parametrize("kind_name", ["psycopg", "sqlite3"])


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def other(scene: Scene, clock: ManualClock) -> Iterator[Windlass]:
    """The shop's jobs as another process has them, by a clock that the test moves."""
    with unhurried(Windlass(scene.shop.url, namespace=scene.shop.namespace, clock=clock)) as app:
        yield app


def claimed(app: Windlass) -> ClaimedJob:
    app.enqueue("receipt", 7)
    [one] = app.claim(lease="1m")
    return one


def taken_over(app: Windlass) -> ClaimedJob:
    """A claim of a job that has another owner by now."""
    old = claimed(app)
    app.lease(old.id, old.fence).release()
    [new] = app.claim(lease="1m")
    assert (new.id, new.fence > old.fence) == (old.id, True)
    return old


@every_kind
def test_what_the_owner_writes_is_committed(scene: Scene, caller: Caller) -> None:
    """F5: by every kind of connection, sync and async."""
    job = claimed(scene.app)
    caller.guarded(job, scene.order)
    caller.commit()
    assert scene.shop.order_count() == 1
    job.complete("paid")


@every_kind
def test_a_run_that_was_taken_over_writes_nothing(scene: Scene, caller: Caller) -> None:
    """F5: and its transaction can be rolled back as usual."""
    with pytest.raises(LeaseLost, match="does not hold it any more, it is running under fence"):
        caller.guarded(taken_over(scene.app), scene.order)
    caller.rollback()
    assert scene.shop.order_count() == 0
    caller.guarded(claimed(scene.app), scene.order)
    caller.commit()
    assert scene.shop.order_count() == 1


@one_kind_each
def test_a_run_whose_job_has_ended_or_is_gone_writes_nothing(scene: Scene, caller: Caller) -> None:
    job = claimed(scene.app)
    scene.app.lease(job.id, job.fence).complete()
    with pytest.raises(LeaseLost, match="it is completed"):
        caller.guarded(job, scene.order)
    job.job.delete()
    with pytest.raises(LeaseLost, match="it was deleted"):
        caller.guarded(job, scene.order)
    caller.rollback()
    assert scene.shop.order_count() == 0


@one_kind_each
def test_a_connection_to_another_database_is_refused(
    scene: Scene, kind: Kind, other_shop: Shop, opened: ExitStack
) -> None:
    """F5: a guard there would hold nothing."""
    elsewhere = kind.open(other_shop)
    opened.callback(elsewhere.close)
    with pytest.raises(ConfigError, match="is to another database"):
        elsewhere.guarded(claimed(scene.app), "SELECT 1")


@one_kind_each
def test_a_connection_in_autocommit_is_refused(scene: Scene, kind: Kind, opened: ExitStack) -> None:
    caller = kind.open(scene.shop, autocommit=True)
    opened.callback(caller.close)
    with pytest.raises(ConfigError, match="has no transaction open and commits every statement by itself"):
        caller.guarded(claimed(scene.app), scene.order)
    assert scene.shop.order_count() == 0


@pytest.mark.parametrize("kind_name", ["psycopg", "psycopg-async"])
def test_the_other_form_is_refused_and_named(scene: Scene, caller: Caller) -> None:
    guard = claimed(scene.app).guard(caller.connection)
    if caller.is_async:
        with pytest.raises(ConfigError, match=r"use `async with job\.guard"):
            guard.__enter__()
    else:
        with pytest.raises(ConfigError, match=r"use `with job\.guard"):
            guard.__aenter__().send(None)


def test_a_rescue_passes_a_guarded_job_by_and_comes_again(
    scene: Scene, caller: Caller, other: Windlass, clock: ManualClock
) -> None:
    """F5: also when the lease is long over; others of the same lease are rescued."""
    job, unguarded = claimed(other), claimed(other)
    caller.guarded(job, scene.order)
    clock.advance("1h")
    assert [rescued.id for rescued in other.rescue()] == [unguarded.id]
    assert other.rescue() == []
    assert other.job(job.id).state is State.RUNNING
    caller.commit()
    assert scene.shop.order_count() == 1
    assert [rescued.id for rescued in other.rescue()] == [job.id]


def test_the_owner_ends_a_guarded_job_and_says_how_far_it_is(scene: Scene, caller: Caller, other: Windlass) -> None:
    """F5: a transaction that stays open holds up neither its worker nor a cancel request."""
    job = claimed(other)
    caller.guarded(job, scene.order)
    job.progress(0.5)
    job.extend("5m")
    assert other.cancel(job.id)
    job.complete("done")
    assert other.job(job.id).state is State.COMPLETED
    caller.commit()


def test_an_old_snapshot_does_not_deceive(scene: Scene, caller: Caller, clock: ManualClock, other: Windlass) -> None:
    """F5: a transaction in REPEATABLE READ sees the job as it was when it began."""
    job = claimed(other)
    caller.rollback()
    caller.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    caller.execute("SELECT 1")
    clock.advance("1h")
    assert other.rescue()
    with pytest.raises(LeaseLost):
        caller.guarded(job, scene.order)


def test_a_guard_waits_for_a_rescue_under_way_and_then_finds_the_job_lost(
    scene: Scene, caller: Caller, other: Windlass, clock: ManualClock
) -> None:
    """F5: it is the lock that counts, not which of the two asked first."""
    job = claimed(other)
    clock.advance("1h")
    schema = scene.shop.namespace
    with psycopg.connect(scene.shop.database) as slow:
        slow.execute(
            f"SELECT pg_advisory_xact_lock(hashtextextended('\"{schema}\".guard ' || seq, 0)) "
            f'FROM "{schema}".running'.encode()
        )
        # What rescue does, in a transaction that takes its time.
        slow.execute(f'UPDATE "{schema}".running SET fence = fence + 1'.encode())
        committing = Thread(target=_commit_when_awaited, args=(slow, scene.shop))
        committing.start()
        with pytest.raises(LeaseLost):
            caller.guarded(job, scene.order)
        committing.join(PATIENCE)


def _commit_when_awaited(slow: psycopg.Connection[Any], shop: Shop) -> None:
    try:
        eventually(lambda: shop.execute(_WAITING), "the guard waits")
    finally:
        slow.commit()


_WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"


@one_kind_each
def test_a_zombie_cannot_write_to_the_user_s_table(
    scene: Scene, kind: Kind, other: Windlass, clock: ManualClock
) -> None:
    """F5: its lease was lost, another worker has run the job; what it would write now is refused."""
    stalled, go_on, refused = Event(), Event(), list[BaseException]()
    order = scene.order

    @other.task(name="pay", timeout=None, interrupt=False)
    def pay(job: ActiveJob = this_job) -> int:
        if job.attempt == 1:
            stalled.set()
            assert go_on.wait(PATIENCE)
        with closing(kind.open(scene.shop)) as mine:
            try:
                mine.guarded(job, order)
            except LeaseLost as lost:
                refused.append(lost)
                raise
            mine.commit()
        return job.attempt

    with unhurried(Windlass(scene.shop.url, namespace=scene.shop.namespace, clock=clock)) as successor:
        successor.task(name="pay", timeout=None)(pay.function)
        job = pay.enqueue()
        with other.worker(concurrency=1, lease="1m", heartbeat="30s", name="zombie", duties=False):
            assert stalled.wait(PATIENCE)
            eventually(lambda: job.refresh().started_at, "the run is marked as started")
            await_first_beat(other)
            clock.advance("1h")
            with successor.worker(concurrency=1, lease=LONG_LEASE, name="successor"):
                assert job.result(timeout=PATIENCE) == 2
                go_on.set()
                eventually(lambda: refused, "the zombie has tried")
    assert scene.shop.order_count() == 1


def test_a_worker_goes_on_beside_a_guard_and_renews_its_lease(scene: Scene, kind: Kind) -> None:
    """F5: jobs behind it are claimed, run and ended meanwhile."""
    opened, go_on = Event(), Event()

    @scene.app.task(name="slow", timeout=None)
    def slow(job: ActiveJob = this_job) -> int:
        with closing(kind.open(scene.shop)) as mine:
            mine.guarded(job, scene.order)
            opened.set()
            assert go_on.wait(PATIENCE)
            mine.commit()
        return job.attempt

    with scene.app.worker(concurrency=2, heartbeat="0.2s"):
        job = slow.enqueue()
        assert opened.wait(PATIENCE)
        began = scene.app.workers()[0].seen_at
        assert scene.receipt.enqueue(1).result(timeout=PATIENCE) == "receipt 1"
        eventually(lambda: (scene.app.workers()[0].seen_at - began).total_seconds() > 0.5, "the lease was renewed")
        assert scene.receipt.enqueue(2).result(timeout=PATIENCE) == "receipt 2"
        go_on.set()
        assert job.result(timeout=PATIENCE) == 1
    assert scene.shop.order_count() == 1


@pytest.mark.parametrize("kind_name", ["sqlite3"])
def test_a_run_that_was_abandoned_is_stopped_at_the_end_of_the_block(scene: Scene, kind: Kind) -> None:
    """F5: its job has ended without it."""
    is_over, ends = Event(), list[str]()

    @scene.app.task(name="deaf", timeout=0.05, interrupt=False)
    def deaf(job: ActiveJob = this_job) -> None:
        mine = kind.open(scene.shop)
        try:
            guard = job.guard(mine.connection)
            with guard:
                mine.rollback()  # nothing is held any more, so that the worker can write
                assert is_over.wait(PATIENCE)
                mine.execute(scene.order)
            mine.commit()
        except LeaseLost as lost:
            ends.append(str(lost))
        finally:
            mine.close()

    with scene.app.worker(concurrency=1, stop_patience="0.1s") as worker:
        job = deaf.options(attempts=1).enqueue()
        job.wait(timeout=PATIENCE)
        assert worker.status().abandoned == 1
        is_over.set()
        eventually(lambda: ends, "the block was left")
    assert "the worker has ended this run" in ends[0]
    assert scene.shop.order_count() == 0


def test_on_redis_the_error_says_why(redis_url: str) -> None:
    """F5: a transaction of another database cannot be part of it."""
    with (
        Windlass(redis_url, namespace="guarded") as app,
        closing(sqlite3.connect(":memory:")) as shop,
        pytest.raises(ConfigError, match="Redis store cannot take part in a transaction of your database"),
    ):
        app.lease("any", 1).guard(shop).__enter__()


def test_a_file_of_our_own_says_which_switch_it_needs(tmp_path: Path) -> None:
    with (
        Windlass(f"sqlite:///{tmp_path / 'own.db'}") as app,
        closing(sqlite3.connect(":memory:")) as shop,
        pytest.raises(ConfigError, match=r"\?driver=stdlib"),
    ):
        app.lease("any", 1).guard(shop).__enter__()


@pytest.mark.parametrize("kind_name", ["sqlite3"])
def test_a_test_block_checks_the_fence_and_leaves_the_connection_alone(scene: Scene, caller: Caller) -> None:
    @scene.app.task(name="pay")
    def pay(job: ActiveJob) -> None:
        with job.guard(caller.connection):
            caller.execute(scene.order)

    with inline(scene.app):
        scene.app.enqueue(pay).result()
    caller.commit()
    assert scene.shop.order_count() == 1


_ISOLATED = """
import sqlite3
from windlass import ActiveJob, Windlass

app = Windlass("sqlite:///shop.db?driver=stdlib")


@app.task(name="pay", isolation="process")
def pay(job: ActiveJob) -> int:
    shop = sqlite3.connect("shop.db")
    with shop, job.guard(shop):
        shop.execute("INSERT INTO orders VALUES (1)")
    return job.attempt


@app.task(name="pay_late", isolation="process", retry=False)
def pay_late(job: ActiveJob) -> None:
    job.fence -= 1
    shop = sqlite3.connect("shop.db")
    with shop, job.guard(shop):
        shop.execute("INSERT INTO orders VALUES (1)")
"""


def test_child_processes_have_it_too(tmp_path: Path) -> None:
    """F5: through a connection of the child's own."""
    windlass = Program(tmp_path)
    windlass.write("jobs.py", _ISOLATED)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as shop:
        shop.execute("CREATE TABLE orders (id integer)")
        with Windlass(f"sqlite:///{tmp_path / 'shop.db'}?driver=stdlib") as app:
            good, bad = app.enqueue("pay"), app.enqueue("pay_late")
            assert windlass("worker", "-A", "jobs", "--burst").code == 0
            assert good.result() == 1
            assert bad.refresh().errors[-1].type.endswith("LeaseLost")
        assert shop.execute("SELECT count(*) FROM orders").fetchone() == (1,)
    windlass.app.close()
