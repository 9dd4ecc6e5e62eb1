"""A task that is throttled cools down what it names, for all workers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, work
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, Cooldown, Job, State, Throttled, Windlass
from windlass.testing import ManualClock


def declare(app: Windlass, **throttled: Any) -> None:
    @app.task(name="call", queue="github")
    def call(text: str) -> str:
        if text == "429":
            raise Throttled("429 from github", **throttled)
        return text

    @app.task(name="other", queue="github")
    def other() -> str:
        return "done"


def due_in(job: Job[Any], clock: ManualClock) -> float:
    assert job.refresh().run_at is not None
    return (job.run_at - clock.now()).total_seconds()


def test_the_whole_queue_cools_down(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """C7: for every worker and for claims by hand; no attempt is lost, and other queues go on."""
    elsewhere = new_app()
    for each in (app, elsewhere):
        declare(each)
    throttled = app.enqueue("call", "429")
    assert work(app) == 1
    waiting = app.enqueue("call", "ok")
    [free] = app.enqueue_many([app.request("call", ["ok"], queue="mail")])
    assert work(elsewhere, queues=["github", "mail"]) == 1
    assert app.claim(queues=["github"]) == []
    assert (throttled.refresh().state, throttled.reason, throttled.attempt) == (State.SCHEDULED, "throttled", 0)
    assert due_in(throttled, clock) == 60
    assert (waiting.refresh().state, free.result()) == (State.PENDING, "ok")
    clock.advance("60s")
    app.promote()
    assert work(elsewhere) == 2
    assert waiting.result() == "ok"


def test_reason_and_end_are_visible(app: Windlass, clock: ManualClock) -> None:
    """C7: in `why`, in the overview and in the timeline."""
    declare(app)
    throttled = app.enqueue("call", "429")
    work(app)
    waiting = app.enqueue("other")
    end = f"{clock.now().replace(microsecond=0)}"[:10]
    for job in (throttled, waiting):
        assert "queue 'github' cools down until" in job.why()
        assert end in job.why()
        assert "429 from github" in job.why()
    [cooling] = app.overview().cooldowns
    assert (cooling.scope, cooling.name, cooling.reason, cooling.job) == (
        "queue", "github", "429 from github", throttled.id,
    )  # fmt: skip
    assert (cooling.until - cooling.since).total_seconds() == 60
    [told] = [entry for entry in throttled.timeline() if entry.kind == "throttled"]
    assert told.detail == {"cools": "queue github", "seconds": 60.0, "reason": "429 from github"}


def test_it_doubles_and_decays(app: Windlass, clock: ManualClock) -> None:
    """C7: 60 s doubling to 30 min, shorter again after two quiet minutes."""
    declare(app)
    job, seconds = app.enqueue("call", "429"), []
    for pause in (0, 0, 0, 0, 0, 0, 130, 600):
        work(app)
        seconds.append(due_in(job, clock))
        clock.advance(seconds[-1] + pause)
        app.promote()
    work(app)
    seconds.append(due_in(job, clock))
    assert seconds == [60, 120, 240, 480, 960, 1800, 1800, 900, 60]
    assert job.refresh().attempt == 0


def test_the_upstream_may_say_how_long(app: Windlass, clock: ManualClock) -> None:
    """C7: as long as ``retry_after`` says."""
    declare(app, retry_after="90s")
    job = app.enqueue("call", "429")
    work(app)
    assert due_in(job, clock) == 90
    assert (app.overview().cooldowns[0].until - clock.now()).total_seconds() == 90


def test_a_task_cools_down_alone(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """C7: one 429 of one upstream does not stop a shared queue, and every worker puts the task's jobs off."""
    elsewhere = new_app()
    for each in (app, elsewhere):
        declare(each, scope="task")
    throttled = app.enqueue("call", "429")
    work(app)
    waiting, free = app.enqueue("call", "ok"), app.enqueue("other")
    with elsewhere.worker(lease=LONG_LEASE):
        assert free.result(timeout=PATIENCE) == "done"
        eventually(lambda: waiting.refresh().state is State.SCHEDULED, "it is put off")
    assert (waiting.reason, waiting.attempt) == ("throttled", 0)
    assert "task 'call' cools down until" in waiting.why()
    clock.advance("61s")
    app.promote()
    assert work(elsewhere) == 2
    assert waiting.result() == "ok"
    assert throttled.refresh().state is State.SCHEDULED


def test_a_limit_cools_down_for_all_that_use_it(app: Windlass, clock: ManualClock) -> None:
    """C7: its queue goes on."""
    limit = app.limit("upstream", rate="10/s")
    declare(app, limit="upstream")
    app.enqueue("call", "429")
    free = app.enqueue("other")
    work(app)
    assert free.result() == "done"
    assert not limit.try_acquire()
    found = limit.status().cooldown
    assert found is not None
    assert (found.reason, (found.until - clock.now()).total_seconds()) == ("429 from github", 60)
    clock.advance("60s")
    assert limit.try_acquire()


def test_a_queue_has_a_rule_of_its_own(app: Windlass, clock: ManualClock) -> None:
    """C7: bounds, or a flat minute; followed at once."""
    declare(app)
    queue, job, seconds = app.queue("github"), app.enqueue("call", "429"), []
    queue.configure(cooldown=Cooldown(base=10, max=15))
    for _ in range(3):
        work(app)
        seconds.append(due_in(job, clock))
        clock.advance(seconds[-1])
        app.promote()
        if len(seconds) == 2:
            queue.configure(cooldown=Cooldown(enabled=False))
    assert seconds == [10, 15, 60]
    assert queue.settings().cooldown == Cooldown(enabled=False, base=60.0, max=60.0)
    queue.configure(cooldown=None)
    assert queue.settings().cooldown is None
    with pytest.raises(ConfigError, match="cooldown: base must be at least 1 s"):
        queue.configure(cooldown=Cooldown(base=0))


def test_an_operator_ends_a_cool_down(app: Windlass) -> None:
    """C7: ``resume`` of a queue, or of a limit."""
    declare(app)
    app.enqueue("call", "429")
    work(app)
    waiting = app.enqueue("other")
    app.queue("github").resume()
    assert work(app) == 1
    assert waiting.result() == "done"
    assert app.overview().cooldowns == []


def test_a_worker_goes_on_by_itself_at_the_end(app: Windlass, clock: ManualClock) -> None:
    """C7: no notification tells it."""
    declare(app)
    with app.worker(lease=LONG_LEASE):
        throttled = app.enqueue("call", "429")
        eventually(lambda: throttled.refresh().reason == "throttled", "it is throttled")
        waiting = app.enqueue("other")
        clock.advance("60s")
        assert waiting.result(timeout=PATIENCE) == "done"


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"scope": "app"}, "scope must be 'task' or 'queue', got 'app'"),
        ({"scope": "task", "limit": "a"}, "give a limit or a scope, not both"),
        ({"limit": "no such name"}, "limit name 'no such name'"),
        ({"retry_after": "soon"}, "Throttled: retry_after must look like"),
    ],
)
def test_an_impossible_wish_is_a_failed_attempt(app: Windlass, wish: dict[str, Any], message: str) -> None:
    """C7: and nothing cools down."""
    declare(app, **wish)
    job = app.enqueue("call", "429")
    work(app)
    assert message in job.refresh().errors[0].message
    assert app.overview().cooldowns == []


def test_a_limit_that_does_not_exist_is_named_in_the_log(
    app: Windlass, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """C7: the job goes back all the same."""
    declare(app, limit="upstraem")
    job = app.enqueue("call", "429")
    work(app)
    assert due_in(job, clock) == 60
    eventually(lambda: "limit 'upstraem', which is not set up" in caplog.text, "it is logged")
