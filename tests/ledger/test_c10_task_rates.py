"""Rates of tasks as operators see and set them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ledger.apps import Apps, work
from windlass import ConfigError, IllegalTransition, Retry, State, Throttled, Trip, Windlass
from windlass.testing import ManualClock


def test_an_operator_sets_the_rate_of_a_task(new_app: Apps) -> None:
    """C6, C10: for all machines, and deploys do not change it."""
    app, other = new_app(), new_app()
    for each in (app, other):
        each.task(name="sync", rate="1/h")(print)
    app.task_rate("sync").configure(rate="3/h", burst=3, by="ada")
    jobs = [app.enqueue("sync", number) for number in range(5)]
    assert work(other) == 3
    view = other.task_rate("sync").settings()
    assert (view.rate, view.burst, view.declared, view.declared_burst, view.changed_by) == ("3/h", 3, "1/h", 1, "ada")
    assert jobs[4].refresh().state is State.BLOCKED
    assert "; ada has set it to 3/h at " in jobs[4].why()
    app.task_rate("sync").configure(rate=None, by="eve")
    app.promote()
    assert work(other) == 2, "no limit, whatever the code says"
    app.task_rate("sync").reset()
    assert [(view.task, view.rate, view.changed_by) for view in app.task_rates()] == [("sync", "1/h", None)]


def test_an_operator_ends_the_cool_down_of_a_task(app: Windlass, clock: ManualClock) -> None:
    """C7."""

    @app.task(name="call", rate="10/s", rate_key=lambda customer: customer)
    def call(customer: str) -> None:
        if current["busy"]:
            raise Throttled("429", retry_after="1h")

    current = {"busy": True}
    first = call.enqueue("ada")
    work(app)
    current["busy"] = False
    waiting = call.enqueue("ada")
    work(app)
    assert waiting.refresh().state is State.BLOCKED
    [cooling] = app.task_rate("call").settings().cooldowns
    assert (cooling.name, cooling.reason) == ("call (rate key 'ada')", "429")
    assert app.task_rate("other").resume() == 0
    assert app.task_rate("call").resume() == 1
    clock.advance("1s")
    app.promote()
    assert work(app) == 2
    assert (first.refresh().state, waiting.refresh().state) == (State.COMPLETED, State.COMPLETED)


@pytest.mark.parametrize(
    "resume",
    [
        lambda app: app.resume_task("call", by="eve"),
        lambda app: app.task_rate("call").resume(by="eve") == 2,
    ],
    ids=["resume_task", "task_rate"],
)
def test_both_ways_to_resume_a_task_do_the_whole_of_it(app: Windlass, resume: Callable[[Windlass], bool]) -> None:
    """C7, F7: they end the cool-downs of the task and of its keys, and what was held back runs now."""

    @app.task(name="call", rate="10/s", rate_key=lambda customer: customer, trip=Trip(failures=2), retry=Retry(base=1))
    def call(customer: str) -> None:
        if upstream["is_away"] and customer == "ada":
            raise Throttled("429", retry_after="1h")
        if upstream["is_away"]:
            raise ConnectionError("away")

    upstream = {"is_away": True}
    throttled = call.enqueue("ada")
    work(app)
    for customer in ("bob", "cy"):
        call.enqueue(customer)
    work(app)
    held_back = call.enqueue("dan")
    work(app)
    assert {each.name for each in app.overview().cooldowns} == {"call", "call (rate key 'ada')"}
    assert {job.refresh().reason for job in (throttled, held_back)} == {"throttled"}
    upstream["is_away"] = False
    assert resume(app)
    assert app.overview().cooldowns == []
    work(app)
    assert {job.refresh().state for job in (throttled, held_back)} == {State.COMPLETED}
    assert ("retried", "eve") in [(entry.kind, entry.detail.get("by")) for entry in held_back.timeline()]
    assert not resume(app)


def test_two_operators_do_not_overwrite_each_other_unseen(app: Windlass) -> None:
    """C10."""
    app.task(name="sync", rate="1/h")(print)
    rate = app.task_rate("sync")
    rate.configure(rate="2/h", unchanged_since=None)
    with pytest.raises(IllegalTransition, match="the rate of task 'sync' was changed meanwhile"):
        rate.configure(rate="3/h", unchanged_since=None)
    rate.configure(rate="3/h", unchanged_since=rate.settings().changed_at)
    assert rate.settings().rate == "3/h"


def test_mistakes_are_told_by_name(app: Windlass) -> None:
    """C6: and nothing is stored."""
    app.task(name="sync", rate="1/h")(print)
    app.task(name="free")(print)
    with pytest.raises(ConfigError, match=r"task 'sync': rate must look like '30/min'"):
        app.task_rate("sync").configure(rate="often")
    with pytest.raises(ConfigError, match=r"burst must be"):
        app.task_rate("sync").configure(rate="1/s", burst=0)
    with pytest.raises(ConfigError, match=r"task 'sync': burst=3 belongs to a rate"):
        app.task_rate("sync").configure(rate=None, burst=3)
    with pytest.raises(ConfigError, match=r"task 'free' has no rate in the code"):
        app.task_rate("free").configure(rate="1/s")
    with pytest.raises(ConfigError, match="task"):
        app.task_rate("")
    assert app.task_rates() == []
