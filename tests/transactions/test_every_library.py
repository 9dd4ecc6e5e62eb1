"""What holds for every kind of connection that a caller may bring."""

from __future__ import annotations

from contextlib import ExitStack
from threading import Thread
from typing import Any

import pytest
from msgspec.structs import replace

from tests.ledger.apps import work
from tests.store.builders import new_job
from tests.transactions.callers.caller import Caller
from tests.transactions.places import KINDS, POSTGRES, Kind, Shop
from tests.transactions.shop import Scene
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, IdConflict, QueueFull, StoreUnavailable
from windlass.store.driver import DataRejected
from windlass.store.operations import enqueue

every_kind = pytest.mark.parametrize("kind_name", KINDS)
every_kind_on_postgres = pytest.mark.parametrize("kind_name", POSTGRES)


@every_kind
def test_committed_means_exactly_one_job(scene: Scene, caller: Caller) -> None:
    caller.execute(scene.order)
    job = caller.enqueue(scene.app, scene.receipt, 7)
    caller.commit()
    assert scene.stored() == [job.id]
    assert scene.shop.order_count() == 1
    assert work(scene.app) == 1
    assert job.result(timeout=PATIENCE) == "receipt 7"


@every_kind
def test_tags_are_part_of_the_transaction(scene: Scene, caller: Caller) -> None:
    """B37: found from the commit on, and never after a rollback."""
    tagged = scene.receipt.options(tags={"shop": "x"})
    caller.enqueue(scene.app, tagged, 7)
    caller.rollback()
    assert scene.app.jobs(tag="shop=x") == []
    job = caller.enqueue(scene.app, tagged, 8)
    caller.commit()
    assert (scene.app.jobs(tag="shop=x"), job.tags) == ([job], ("shop=x",))


@every_kind
def test_rolled_back_means_no_job(scene: Scene, caller: Caller) -> None:
    caller.execute(scene.order)
    caller.enqueue(scene.app, scene.receipt, 7)
    caller.rollback()
    assert scene.stored() == []
    assert scene.shop.order_count() == 0
    again = caller.enqueue(scene.app, scene.receipt, 8)
    caller.commit()
    assert scene.stored() == [again.id]


@every_kind
def test_a_connection_that_is_closed_before_the_commit_leaves_no_job(scene: Scene, kind: Kind) -> None:
    caller = kind.open(scene.shop)
    caller.enqueue(scene.app, scene.receipt, 7)
    caller.close()
    assert scene.stored() == []


@every_kind
def test_nobody_sees_the_job_before_the_commit(scene: Scene, caller: Caller) -> None:
    job = caller.enqueue(scene.app, scene.receipt, 7)
    assert scene.stored() == []
    caller.commit()
    assert scene.stored() == [job.id]


@every_kind_on_postgres
def test_a_worker_runs_it_after_the_commit_and_not_before(scene: Scene, caller: Caller) -> None:
    with scene.app.worker():
        job = caller.enqueue(scene.app, scene.receipt, 7)
        # A job that came later has run, so the worker has looked since.
        assert scene.receipt.enqueue(8).result(timeout=PATIENCE) == "receipt 8"
        assert job.id not in scene.stored()
        caller.commit()
        assert job.result(timeout=PATIENCE) == "receipt 7"


@every_kind
def test_a_savepoint_that_is_rolled_back_takes_its_jobs_along(scene: Scene, caller: Caller) -> None:
    kept = caller.enqueue(scene.app, scene.receipt, 1)
    caller.execute("SAVEPOINT theirs")
    caller.enqueue(scene.app, scene.receipt, 2)
    caller.execute("ROLLBACK TO SAVEPOINT theirs")
    later = caller.enqueue(scene.app, scene.receipt, 3)
    caller.commit()
    assert scene.stored() == sorted([kept.id, later.id])


@every_kind
def test_many_jobs_are_stored_by_an_option_too(scene: Scene, caller: Caller) -> None:
    three = caller.enqueue_many(scene.receipt, [(1,), (2,), (3,)])
    assert scene.stored() == []
    caller.commit()
    assert scene.stored() == sorted(job.id for job in three)
    assert work(scene.app) == 3


@every_kind
def test_a_connection_in_autocommit_is_refused(scene: Scene, kind: Kind, opened: ExitStack) -> None:
    caller = kind.open(scene.shop, autocommit=True)
    opened.callback(caller.close)
    with pytest.raises(ConfigError, match="has no transaction open and commits every statement by itself"):
        caller.enqueue(scene.app, scene.receipt, 7)
    assert scene.stored() == []


@every_kind
def test_a_connection_to_another_database_is_refused_and_stays_usable(
    scene: Scene, kind: Kind, other_shop: Shop, opened: ExitStack
) -> None:
    other = opened.enter_context(Scene(other_shop))
    caller = kind.open(other_shop)
    opened.callback(caller.close)
    with pytest.raises(ConfigError, match="is to another database"):
        caller.enqueue(scene.app, scene.receipt, 7)
    caller.execute(other.order)
    caller.commit()
    assert other.shop.order_count() == 1
    assert scene.stored() == other.stored() == []


@every_kind
def test_an_id_conflict_leaves_the_transaction_usable(scene: Scene, caller: Caller) -> None:
    scene.receipt.options(id="seven").enqueue(7)
    caller.execute(scene.order)
    with pytest.raises(IdConflict):
        caller.enqueue(scene.app, scene.receipt.options(id="seven"), 8)
    caller.enqueue(scene.app, scene.receipt.options(id="nine"), 9)
    caller.commit()
    assert scene.stored() == ["nine", "seven"]
    assert scene.shop.order_count() == 1


@every_kind
def test_a_full_queue_leaves_the_transaction_usable(scene: Scene, caller: Caller) -> None:
    scene.app.queue("narrow").configure(max_length=1)
    narrow = scene.receipt.options(queue="narrow")
    caller.execute(scene.order)
    with pytest.raises(QueueFull):
        caller.enqueue_many(narrow, [(1,), (2,)])
    job = caller.enqueue(scene.app, narrow, 3)
    caller.commit()
    assert scene.stored() == [job.id]
    assert scene.shop.order_count() == 1


@every_kind
def test_data_that_the_store_refuses_leave_the_transaction_usable(scene: Scene, caller: Caller) -> None:
    poisonous = replace(new_job(), priority="many")  # no caller of the app gets that far
    caller.execute(scene.order)
    with pytest.raises(DataRejected):
        caller.run_in(scene.app, enqueue.enqueue([new_job(), poisonous], {}))
    caller.commit()
    assert scene.stored() == []
    assert scene.shop.order_count() == 1


@every_kind
def test_a_duplicate_is_told_like_anywhere_else(scene: Scene, caller: Caller) -> None:
    first = caller.enqueue(scene.app, scene.receipt.options(unique="order-7"), 7)
    second = caller.enqueue(scene.app, scene.receipt.options(unique="order-7"), 7)
    caller.commit()
    assert (first.duplicate, second.duplicate) == (False, True)
    assert first.id == second.id
    assert scene.stored() == [first.id]


@every_kind
def test_a_cached_result_is_found_inside_a_transaction(scene: Scene, caller: Caller) -> None:
    """B29: and a job that is rolled back is shared with no later call."""
    draw = scene.app.task(name="draw", cache="10m")(_drawn)
    caller.enqueue(scene.app, draw, 1)
    caller.rollback()
    first = caller.enqueue(scene.app, draw, 1)
    caller.commit()
    assert not first.duplicate
    assert work(scene.app) == 1
    again = caller.enqueue(scene.app, draw, 1)
    caller.commit()
    assert (again.id, again.duplicate, again.result(timeout=PATIENCE)) == (first.id, True, "drawing 1")


def _drawn(number: int) -> str:
    return f"drawing {number}"


@every_kind
def test_delays_and_options_hold(scene: Scene, caller: Caller) -> None:
    job = caller.enqueue(scene.app, scene.receipt.options(delay="1h", queue="slow", priority=9), 7)
    caller.commit()
    job.refresh()
    assert (str(job.state), job.record.queue, job.record.priority) == ("scheduled", "slow", 9)


@every_kind
def test_the_other_form_is_refused_and_named(scene: Scene, caller: Caller) -> None:
    task = scene.receipt.options(connection=caller.connection)
    if caller.is_async:
        with pytest.raises(ConfigError, match="await aenqueue"):
            task.enqueue(7)
    else:
        with pytest.raises(ConfigError, match=r"call enqueue\("):
            _finish(task.aenqueue(7))


def _finish(work: Any) -> None:
    """Run a coroutine that has nothing to wait for."""
    with pytest.raises(StopIteration):
        work.send(None)


@every_kind_on_postgres
def test_a_transaction_that_has_failed_is_a_clear_error(scene: Scene, caller: Caller) -> None:
    with pytest.raises(Exception, match="division by zero"):
        caller.execute("SELECT 1/0")
    with pytest.raises(StoreUnavailable, match=r"ended this transaction|broken this atomic"):
        caller.enqueue(scene.app, scene.receipt, 7)
    caller.rollback()
    job = caller.enqueue(scene.app, scene.receipt, 8)
    caller.commit()
    assert scene.stored() == [job.id]


@every_kind_on_postgres
def test_what_others_commit_meanwhile_is_seen_and_the_transaction_stays_usable(
    scene: Scene, caller: Caller, opened: ExitStack
) -> None:
    """The second waits for the first, whose commit makes everything that the second has looked at outdated."""
    once = scene.receipt.options(unique="order-7")
    first = POSTGRES["psycopg"].open(scene.shop)
    opened.callback(first.close)
    holder = first.enqueue(scene.app, once, 7)

    def commit_when_awaited() -> None:
        try:
            eventually(lambda: scene.shop.execute(_WAITING), "nobody waits for the first transaction")
        finally:
            first.commit()

    committing = Thread(target=commit_when_awaited)
    committing.start()
    caller.execute(scene.order)
    found = caller.enqueue(scene.app, once, 7)
    caller.commit()
    committing.join(PATIENCE)
    assert (found.id, found.duplicate) == (holder.id, True)
    assert scene.stored() == [holder.id]
    assert scene.shop.order_count() == 1


_WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
