"""Of the jobs of a task with the same key only so many run at once, as operators see and set it."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps
from windlass import ConfigError, State, Windlass


def test_an_operator_sets_how_many_jobs_of_a_key_run(new_app: Apps) -> None:
    """C3: for all machines, and deploys do not change it."""
    app, other = new_app(), new_app()
    for each in (app, other):
        each.task(name="sync", concurrency=2, concurrency_key=lambda user, **_: f"user-{user}")(lambda user: user)
    app.concurrency("sync").configure(limit=3, by="ada")
    app.enqueue_many([app.request("sync", [7]) for _ in range(6)])
    assert len(app.claim(9)) == 3
    assert other.claim(9) == []
    view = other.concurrency("sync").settings()
    assert (view.limit, view.declared, view.changed_by) == (3, 2, "ada")
    app.concurrency("sync").configure(limit=5)
    assert len(other.claim(9)) == 2, "what waited goes on at once"
    app.concurrency("sync").configure(limit=None)
    assert [(view.task, view.limit, view.changed_by) for view in app.concurrency_limits()] == [("sync", 2, None)]


def test_keys_that_are_held_are_listed(app: Windlass) -> None:
    """C3: with holders, and how many wait; in pages."""
    app.enqueue_many([app.request("sync", [n], concurrency_key=f"user-{n % 3}") for n in range(9)])
    claimed = app.claim(9)
    page = app.busy_keys(limit=2)
    rest = app.busy_keys(limit=2, cursor=page.next)
    assert [(busy.task, busy.key, busy.limit, busy.held, busy.waiting) for busy in [*page, *rest]] == [
        ("sync", f"user-{n}", 1, 1, 2) for n in range(3)
    ]
    assert [busy.holders for busy in [*page, *rest]] == [[(one.id, State.RUNNING)] for one in claimed]
    assert rest.next is None
    assert app.busy_keys(task="other") == []
    for one in claimed:
        one.discard("done")
    app.cancel_all(state=State.BLOCKED)
    app.cancel_all(state=State.PENDING)
    assert app.busy_keys() == []


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "8"])
def test_a_limit_of_keys_that_makes_no_sense_is_refused(app: Windlass, limit: object) -> None:
    """C3."""
    with pytest.raises(ConfigError, match="limit"):
        app.concurrency("sync").configure(limit=limit)  # type: ignore[arg-type]
    assert app.concurrency_limits() == []
