"""At most so many jobs run at once in the whole app."""

from __future__ import annotations

from threading import Event, Lock

from tests.ledger.apps import Apps, at_once
from windlass import State, Windlass
from windlass.testing import ManualClock


def test_all_queues_of_all_workers_together_run_no_more(new_app: Apps) -> None:
    """E4."""
    apps = [new_app() for _ in range(2)]
    apps[0].configure(max_running=3, by="ada")
    running, worst, lock = 0, 0, Lock()

    def body() -> None:
        nonlocal running, worst
        with lock:
            running += 1
            worst = max(worst, running)
        Event().wait(0.002)
        with lock:
            running -= 1

    for app in apps:
        app.task(name="mail", queue="mail")(body)
        app.task(name="report", queue="report")(body)
    jobs = [job for task in apps[0].tasks for job in task.enqueue_many([()] * 20)]
    at_once(*(lambda app=app: app.worker(["mail", "report"], concurrency=4).run_until_empty() for app in apps))
    assert {job.refresh().state for job in jobs} == {State.COMPLETED}
    assert worst <= 3
    assert apps[1].overview().everywhere.changed_by == "ada"


def test_an_expired_lease_gives_its_place_back_at_the_next_claim(app: Windlass, clock: ManualClock) -> None:
    """E4: expired leases do not count."""
    app.configure(max_running=2)
    app.enqueue_many([app.request("anything") for _ in range(4)])
    assert len(app.claim(9, lease="1m")) == 2
    clock.advance("59s")
    assert app.claim(9) == []
    clock.advance("1s")
    assert len(app.claim(9)) == 2


def test_the_limit_is_taken_back(app: Windlass) -> None:
    """E4."""
    app.configure(max_running=1)
    app.enqueue_many([app.request("anything") for _ in range(3)])
    app.claim(9)
    app.configure(max_running=None)
    assert len(app.claim(9)) == 2


def test_why_names_the_limit_of_the_app(app: Windlass) -> None:
    """E4."""
    app.configure(max_running=1)
    first, second = app.enqueue_many([app.request("anything") for _ in range(2)])
    app.claim(1)
    with app.worker(["default"]):
        assert second.why() == f"as many jobs run as may run at once, 1 in all, held by job {first.id}"
