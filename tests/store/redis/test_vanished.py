"""Servers that forget: everything, or their last second."""

from __future__ import annotations

import logging

import pytest

from tests.ledger.apps import at_once
from tests.servers.redis_node import RedisNode, redis_node
from tests.store.builders import new_job
from tests.store.stores import Store, open_store
from windlass.core.state import State
from windlass.store.operations import queries

DURABLE = {"appendonly": "yes", "appendfsync": "always"}


def losses(caplog: pytest.LogCaptureFixture) -> int:
    return sum(
        "has lost its jobs" in record.getMessage() for record in caplog.records if record.levelno == logging.ERROR
    )


def emptied(store: Store) -> int:
    return sum(event.kind == "emptied" for event in store.run(queries.notices()))


def test_a_store_that_was_emptied_says_so_and_goes_on(node: RedisNode, caplog: pytest.LogCaptureFixture) -> None:
    """R2: FLUSHALL. Every process that had seen the jobs reports it, once."""
    with open_store(node.url) as store, open_store(node.url) as other:
        worker, running = store.a_worker(), store.claimed()
        other.enqueue(new_job())
        node.command("FLUSHALL")
        store.enqueue(new_job("after"))
        assert losses(caplog) == 1
        other.enqueue(new_job("another"))
        assert losses(caplog) == 2
        assert worker.end(running), "its job is gone"
        replacement = store.a_worker()
        assert [job.id for job in replacement.take()] == ["after", "another"]
        assert emptied(store) == 1, "for those who come later, however many have noticed"
        node.command("FLUSHDB")
        other.enqueue(new_job())
        assert emptied(other) == 1, "the new loss; the notice of the last went with the data"
    assert losses(caplog) == 3


def test_a_stranger_that_came_first_does_not_hide_the_loss(node: RedisNode) -> None:
    """R2: a process that knows of nothing begins the new epoch; the one that misses its jobs still tells."""
    with open_store(node.url) as store, open_store(node.url) as stranger:
        store.enqueue(new_job())
        node.command("FLUSHALL")
        stranger.enqueue(new_job())
        assert emptied(stranger) == 0
        store.enqueue(new_job())
        assert emptied(stranger) == 1


def test_the_threads_of_a_process_report_a_loss_once(node: RedisNode, caplog: pytest.LogCaptureFixture) -> None:
    """R2: whichever of them finds out."""
    with open_store(node.url) as store:
        at_once(*[lambda: store.enqueue(new_job())] * 8)
        for flushed in range(1, 6):
            node.command("FLUSHALL")
            at_once(*[lambda: store.enqueue(new_job())] * 8)
            assert (losses(caplog), emptied(store)) == (flushed, 1)


def test_fences_do_not_repeat_in_a_store_that_was_emptied(node: RedisNode) -> None:
    """R2, I2, I3: an owner of before the loss cannot end a job of after it, even one with the same number."""
    with open_store(node.url) as store:
        before = store.claimed()
        node.command("FLUSHALL")
        after = store.claimed()
        assert after.fence > before.fence
        assert store.end(before)
        assert store.job(after.id).state is State.RUNNING


def test_a_server_that_came_back_empty_says_so_and_goes_on(node: RedisNode, caplog: pytest.LogCaptureFixture) -> None:
    """R2: it was restarted and has kept nothing."""
    with open_store(node.url) as store:
        before = store.claimed()
        node.kill()
        node.start()
        after = store.claimed()
        assert (losses(caplog), emptied(store)) == (1, 1)
        assert after.fence > before.fence
        assert store.end(before)
        assert not store.end(after)


def test_a_restart_without_loss_is_no_loss(caplog: pytest.LogCaptureFixture) -> None:
    """R1, S2: killed, with everything on disk that was acknowledged."""
    with redis_node(settings=DURABLE) as node, open_store(node.url) as store:
        running = store.claimed()
        node.kill()
        node.start()
        assert not store.end(running), "its fence still holds"
        store.enqueue(new_job())
        assert emptied(store) == 0
    assert not losses(caplog)


@pytest.mark.parametrize("is_same_process", [True, False])
def test_fences_do_not_repeat_after_a_server_lost_its_last_second(node: RedisNode, is_same_process: bool) -> None:
    """R1: what was handed out in the lost second is refused, whoever claims after the restart."""
    with open_store(node.url) as store, open_store(node.url) as stranger:
        worker = store.a_worker()
        store.enqueue(new_job("a"))
        node.command("SAVE")
        [lost] = worker.take()
        node.kill()
        node.start()

        [found] = (store if is_same_process else stranger).a_worker().take()
        assert found.id == lost.id
        assert found.fence > lost.fence
        assert worker.end(lost), "the old owner's ending is refused"
        assert store.job("a").state is State.RUNNING
        assert not store.end(found)
        assert store.run(queries.counts()) == {"default": {State.COMPLETED: 1}}


def test_jobs_do_not_repeat_after_a_server_lost_its_last_second(node: RedisNode) -> None:
    """R1: a job of after the loss is not taken for one that was lost, whose owner still runs it."""
    with open_store(node.url) as store:
        worker = store.a_worker()
        node.command("SAVE")
        store.enqueue(new_job("lost"))
        [lost] = worker.take()
        node.kill()
        node.start()
        found = store.claimed(new_job("found"))
        assert found.seq != lost.seq
        assert worker.end(lost)
        assert store.job("found").state is State.RUNNING


def test_epochs_do_not_repeat_when_the_restart_itself_is_lost(node: RedisNode) -> None:
    """R1: several restarts in a row from the same snapshot, with fences handed out in between."""
    with open_store(node.url) as store:
        store.a_worker()
        store.enqueue(new_job("a"))
    node.command("SAVE")
    fences = []
    for _ in range(4):
        node.kill()
        node.start()
        with open_store(node.url) as store:
            [job] = store.a_worker().take()
            fences.append(job.fence)
    assert sorted(set(fences)) == fences


def test_a_change_of_lineage_begins_one_epoch(caplog: pytest.LogCaptureFixture) -> None:
    """R3: connections of before and after it agree; they do not begin epochs against each other."""
    with redis_node(settings={"enable-debug-command": "local"}) as node, open_store(node.url) as old:
        worker = old.a_worker()
        worker.renew()
        node.command("DEBUG", "CHANGE-REPL-ID")
        with open_store(node.url) as new:
            new.enqueue(new_job())
            begun = node.command("HGET", "{windlass}:epoch", "epoch")
            for _ in range(5):
                old.enqueue(new_job())
                worker.renew()
                new.enqueue(new_job())
            assert node.command("HGET", "{windlass}:epoch", "epoch") == begun
    assert not losses(caplog)
