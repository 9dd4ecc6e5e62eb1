"""queues.pause: who paused a queue, since when and why."""

from __future__ import annotations

from tests.manual_clock import START
from tests.store.builders import SECOND, new_job
from tests.store.stores import Store
from windlass.store.operations import queues
from windlass.store.operations.queues import QueueRecord


def pause(store: Store, *, by: str = "me", reason: str | None = "maintenance", is_paused: bool = True) -> QueueRecord:
    store.run(queues.pause("mail", by=by, reason=reason, is_paused=is_paused))
    return store.run(queues.settings("mail"))["mail"]


def test_who_and_why_is_kept(store: Store) -> None:
    """B10: who and why is shown."""
    found = pause(store)
    assert (found.paused_at, found.paused_by, found.paused_reason) == (START, "me", "maintenance")
    assert (found.changed_at, found.changed_by) == (START, "me")


def test_a_second_pause_keeps_the_time_of_the_first(store: Store) -> None:
    pause(store)
    store.advance(SECOND)
    found = pause(store, by="you", reason="still")
    assert (found.paused_at, found.paused_by, found.paused_reason) == (START, "you", "still")


def test_a_resumed_queue_shows_no_pause(store: Store) -> None:
    """B10: resume."""
    pause(store)
    found = pause(store, by="you", reason=None, is_paused=False)
    assert (found.paused_at, found.paused_by, found.paused_reason) == (None, None, None)
    assert found.changed_by == "you"


def test_other_settings_stay(store: Store) -> None:
    store.run(queues.change("mail", {"weight": 3}, by="operator"))
    assert pause(store).weight == 3


def test_a_queue_with_jobs_may_be_paused(store: Store) -> None:
    store.enqueue(new_job(queue="mail"))
    assert pause(store).paused_at == START
