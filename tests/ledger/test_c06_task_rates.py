"""Rates of tasks and keys."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.ledger.apps import Apps, work
from tests.waiting import PATIENCE
from windlass import ConfigError, State, Throttled, Windlass
from windlass.testing import ManualClock


def begun(app: Windlass, clock: ManualClock, after: str) -> int:
    """How many jobs run once that time has passed."""
    clock.advance(after)
    app.promote()
    return work(app)


def test_a_task_has_a_rate(app: Windlass, clock: ManualClock) -> None:
    """C6: ``rate="30/min"`` on a task: no more of its jobs begin, and others of its queue do."""

    @app.task(name="sync", rate="30/min", burst=2)
    def sync(number: int) -> int:
        return number

    app.task(name="other")(abs)
    jobs = [sync.enqueue(number) for number in range(5)]
    other = app.enqueue("other", -7)
    assert work(app) == 3
    assert (other.result(), [job.result() for job in jobs[:2]]) == (7, [0, 1])
    assert [(job.refresh().state, job.reason) for job in jobs[2:]] == [(State.BLOCKED, "rate")] * 3
    until = clock.now() + timedelta(seconds=2)
    assert jobs[3].why() == (
        f"the rate of task 'sync' is out of tokens until {until:%Y-%m-%d %H:%M:%S} UTC; 1 job of the key comes first"
    )
    assert begun(app, clock, "1s") == 0
    assert begun(app, clock, "1s") == 1
    assert begun(app, clock, "1m") == 2
    assert [job.result() for job in jobs] == [0, 1, 2, 3, 4]


def test_a_rate_holds_for_each_key(app: Windlass, clock: ManualClock) -> None:
    """C6: ``rate_key=`` on the task, of its arguments, or on one job."""

    @app.task(name="call", rate="1/min", rate_key=lambda customer, **_: f"customer-{customer}")
    def call(customer: int, text: str = "") -> None: ...

    jobs = [call.enqueue(customer) for customer in (1, 1, 2, 2)] + [call.options(rate_key="vip").enqueue(1)]
    assert work(app) == 3
    assert [job.refresh().state for job in jobs] == ["completed", "blocked", "completed", "blocked", "completed"]
    assert [job.rate_key for job in jobs[2:]] == ["customer-2", "customer-2", "vip"]
    assert "the rate of task 'call' for the key 'customer-2' is out of tokens until" in jobs[3].why()
    clock.advance("1m")
    clock.advance("1m")
    assert "but no worker without --no-duties and no `windlass duties` runs that would let it go" in jobs[3].why()
    assert begun(app, clock, "1s") == 2


def test_all_processes_share_a_rate(app: Windlass, new_app: Apps) -> None:
    """C6: also those that claim by hand."""
    app.task(name="sync", rate="1/h", burst=3)(print)
    other = new_app()
    other.task(name="sync", rate="1/h", burst=3)(print)
    for number in range(6):
        app.enqueue("sync", number)
    assert len(other.claim(2)) == 2
    assert work(app) == 1
    assert other.claim(9) == []
    assert app.counts()["blocked"] == 3


def test_a_rate_that_a_task_loses_holds_nothing_back(app: Windlass, new_app: Apps) -> None:
    """C6: nothing is stuck when a deploy changes or removes a rate."""
    app.task(name="sync", rate="1/h")(print)
    jobs = [app.enqueue("sync", number) for number in range(3)]
    assert work(app) == 1
    deployed = new_app()
    deployed.task(name="sync")(print)
    with deployed.worker():
        deployed.promote()
        for job in jobs:
            job.result(timeout=PATIENCE)


def test_a_throttled_task_cools_its_rate_down_and_not_its_queue(app: Windlass, clock: ManualClock) -> None:
    """C6, C7: one 429 of one customer stops neither the queue nor the other customers."""

    @app.task(name="call", rate="10/s", rate_key=lambda customer: customer)
    def call(customer: str) -> None:
        if customer == "busy":
            raise Throttled("429", retry_after="90s")

    app.task(name="other")(abs)
    call.options(id="first").enqueue("busy")
    work(app)
    waiting, free, other = call.enqueue("busy"), call.enqueue("calm"), app.enqueue("other", -1)
    assert work(app) == 2
    assert (free.refresh().state, other.refresh().state) == (State.COMPLETED, State.COMPLETED)
    assert (waiting.refresh().state, waiting.reason) == (State.BLOCKED, "rate")
    assert "the rate of task 'call' for the key 'busy' cools down until" in waiting.why()
    assert "429" in waiting.why()
    [cooling] = app.overview().cooldowns
    assert (cooling.scope, cooling.name, cooling.reason) == ("task", "call (rate key 'busy')", "429")
    assert begun(app, clock, "89s") == 0
    assert begun(app, clock, "2s") >= 1


def test_mistakes_are_told_by_name(app: Windlass) -> None:
    """C6: and nothing is stored."""
    with pytest.raises(ConfigError, match=r"rate must look like '30/min'"):
        app.task(name="a", rate="thirty a minute")(print)
    with pytest.raises(ConfigError, match=r"rate_key='u' belongs to a rate"):
        app.task(name="a", rate_key="u")(print)
    with pytest.raises(ConfigError, match=r"burst=3 belongs to a rate"):
        app.task(name="a", burst=3)(print)
    with pytest.raises(ConfigError, match=r"rate_key must be a text or a function"):
        app.task(name="a", rate="1/s", rate_key=7)(print)  # type: ignore[call-overload]

    @app.task(name="divided", rate="1/s", rate_key=lambda number: str(1 // number))
    def divided(number: int) -> None: ...

    @app.task(name="long", rate="1/s", rate_key=lambda length: "x" * length)
    def long(length: int) -> None: ...

    free = app.task(name="free")(print)
    with pytest.raises(ConfigError, match=r"task 'divided': its rate_key raised ZeroDivisionError: .*; nothing was"):
        divided.enqueue(0)
    with pytest.raises(ConfigError, match=r"task 'long': rate key 'x+'\.\.\. of 10,000,000 characters: use 1 to 256"):
        long.enqueue(10_000_000)
    with pytest.raises(ConfigError, match=r"options: rate key '': use 1 to 256 printable characters"):
        long.options(rate_key="")
    with pytest.raises(ConfigError, match=r"task 'free' has no rate"):
        free.options(rate_key="u").enqueue()
    assert sum(app.counts().values()) == 0


def test_why_names_both_the_rate_and_the_concurrency_key(app: Windlass, clock: ManualClock) -> None:
    """C6, F2: whichever of them blocked the job, opening that one is not enough."""

    @app.task(name="call", rate="1/min", burst=2, concurrency_key=lambda customer: customer)
    def call(customer: str) -> None: ...

    jobs = []
    for customer in ("ada", "ada", "bob", "bob"):
        jobs.append(call.enqueue(customer))
        app.claim(1)
    first, by_key, other, by_rate = jobs
    assert [(job.refresh().state, job.reason) for job in (by_key, by_rate)] == [("blocked", "key"), ("blocked", "rate")]
    no_tokens = (
        f"the rate of task 'call' is out of tokens until {clock.now() + timedelta(minutes=1):%Y-%m-%d %H:%M:%S} UTC"
    )
    assert by_key.why() == f"it waits for its concurrency key 'ada', which is held by {first.id}; also, {no_tokens}"
    assert by_rate.why() == f"{no_tokens}; also, its concurrency key 'bob' is held by {other.id}"


def test_a_schedule_has_a_rate_key(app: Windlass, clock: ManualClock) -> None:
    """C6, B16: what a schedule makes lines up like all others."""
    app.task(name="sync", rate="1/h", rate_key="all")(print)
    schedule = app.add_schedule("often", "sync", every="1m", rate_key="hourly")
    jobs = [schedule.run_now() for _ in range(2)]
    assert [job.rate_key for job in jobs] == ["hourly", "hourly"]
    assert work(app) == 1
    assert jobs[1].refresh().state is State.BLOCKED
