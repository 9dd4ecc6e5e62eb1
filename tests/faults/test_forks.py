"""Forks: children may enqueue; workers stay with their parents."""

from __future__ import annotations

from tests.faults.names import NOTE
from tests.faults.process import Processes
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE
from windlass import State, Windlass


def test_forked_children_enqueue_while_their_parent_does(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """W14: no hang, no id twice, no damage to the store, whatever lock was held at the fork."""
    lines = processes.start("forks", "enqueue").rest()
    assert lines[-1] == "done"
    assert [line for line in lines if "failed" in line] == []
    children = [line.removeprefix("child ") for line in lines if line.startswith("child ")]
    assert len(children) == len(set(children)) == 40
    assert all(app.job(id).state == State.PENDING for id in children)
    raw_store.check()


def test_a_child_that_closes_its_app_leaves_the_parents_worker_alone(app: Windlass, processes: Processes) -> None:
    """W14: neither its lease nor its jobs nor its news are the child's to end."""
    parent = processes.start("forks", "close")
    assert parent.await_line("child") == "0"
    assert parent.await_line("same lease") == "True"
    assert parent.await_line("result") == "1"
    parent.await_line("ready")
    assert app.enqueue(NOTE, 5).result(timeout=PATIENCE) == 5
    parent.write_line()
    assert parent.rest()[-1] == "done"


def test_a_worker_does_not_run_in_a_forked_child_but_one_of_its_own_does(processes: Processes) -> None:
    """W14: a worker after a fork refuses with ConfigError; a new one works."""
    lines = processes.start("forks", "work").rest()
    assert len([line for line in lines if line.startswith("refused")]) == 2, lines
    assert "own True 3" in lines
    assert "child 0" in lines
