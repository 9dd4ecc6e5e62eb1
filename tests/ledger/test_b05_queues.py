"""Looking into queues, emptying them, and bounding their length."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import work
from windlass import ConfigError, IllegalTransition, QueueFull, Retry, State, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="noop", queue="mail")
    def noop(*, fails: bool = False) -> None:
        if fails:
            raise OSError


def test_length_counts_what_is_ready(app: Windlass) -> None:
    """B5: pending jobs only."""
    noop = app.tasks[0]
    noop.enqueue_many([()] * 3)
    noop.options(delay="1h").enqueue()
    noop.options(queue="other").enqueue()
    assert app.queue("mail").length == 3


def test_peek_shows_claim_order_and_takes_nothing(app: Windlass) -> None:
    """B5: the next jobs, by priority and age."""
    noop = app.tasks[0]
    first, second = noop.enqueue(), noop.enqueue()
    urgent = noop.options(priority=1).enqueue()
    noop.options(delay="1h", priority=9).enqueue()
    mail = app.queue("mail")
    assert mail.peek() == [urgent, first, second]
    assert mail.peek(2) == [urgent, first]
    assert mail.length == 3
    assert [claimed.id for claimed in app.claim(3, queues=["mail"])] == [urgent.id, first.id, second.id]


def test_queues_are_listed(app: Windlass) -> None:
    """B5: each that has, or has had, jobs or settings."""
    app.enqueue("noop")
    app.queue("reports").configure(weight=3)
    assert [queue.name for queue in app.queues()] == ["mail", "reports"]


def test_jobs_are_listed_and_looked_up(app: Windlass) -> None:
    """B5: by queue and state, and by id."""
    noop = app.tasks[0]
    job, later = noop.enqueue(), noop.options(delay="1h").enqueue()
    noop.options(queue="other").enqueue()
    assert app.jobs(queue="mail") == [later, job]
    assert app.jobs(queue="mail", state="pending") == [job]
    assert app.job(later.id).state is State.SCHEDULED


def test_a_job_is_deleted(app: Windlass) -> None:
    """B5: in any state but running."""
    job = app.enqueue("noop")
    [claimed] = app.claim(queues=["mail"])
    with pytest.raises(IllegalTransition, match="running"):
        job.delete()
    assert job.refresh().state is State.RUNNING
    claimed.complete()
    job.delete()
    assert app.jobs() == []


def test_a_queue_is_purged(app: Windlass) -> None:
    """B5: what waits goes; what runs or is finished stays, and other queues are left alone."""
    noop = app.tasks[0]
    finished = noop.enqueue()
    retrying = noop.enqueue(fails=True)
    work(app)
    running, waiting = noop.enqueue(), noop.enqueue()
    app.claim(queues=["mail"])
    noop.options(delay="1h").enqueue()
    elsewhere = noop.options(queue="other").enqueue()
    assert app.queue("mail").purge() == 3
    assert set(app.jobs()) == {finished, running, elsewhere}
    assert waiting not in app.jobs()
    assert retrying not in app.jobs()


def test_a_queue_is_deleted(app: Windlass) -> None:
    """B5: with its finished jobs and settings, once nothing waits or runs there."""
    app.queue("mail").configure(weight=7)
    app.enqueue("noop")
    with pytest.raises(IllegalTransition, match="still has jobs"):
        app.queue("mail").delete()
    assert app.queue("mail").settings().weight == 7
    work(app)
    app.queue("mail").delete()
    assert "mail" not in [queue.name for queue in app.queues()]
    assert app.jobs() == []
    assert app.queue("mail").settings().weight is None


def test_deleting_a_queue_that_is_not_there_is_harmless(app: Windlass) -> None:
    """B5: there is nothing left to do; it does not come into being, and other queues keep their jobs."""
    app.enqueue("noop")
    app.queue("nowhere").delete()
    assert [queue.name for queue in app.queues()] == ["mail"]
    assert len(app.jobs()) == 1


def test_settings_are_kept_with_who_changed_them(app: Windlass) -> None:
    """B5: named settings change, others stay, None takes one back."""
    mail = app.queue("mail")
    mail.configure(weight=3, max_length=10, by="ada")
    mail.configure(weight=None, retry=Retry(attempts=2), by="bob")
    settings = mail.settings()
    assert (settings.weight, settings.max_length, settings.changed_by) == (None, 10, "bob")
    assert settings.retry == Retry(attempts=2)


@pytest.mark.parametrize("settings", [{"weight": 0}, {"weight": 1.5}, {"weight": 1001}, {"max_length": -1}])
def test_a_setting_that_makes_no_sense_is_refused(app: Windlass, settings: Any) -> None:
    """B5: the error names it; nothing changes."""
    with pytest.raises(ConfigError, match=next(iter(settings))):
        app.queue("mail").configure(**settings)
    assert app.queues() == []


@pytest.mark.parametrize("name", ["", "no spaces", "-leading", "ünicode", "x" * 129, "a/b", "*"])
def test_an_illegal_name_is_refused(app: Windlass, name: str) -> None:
    """B5: wherever it is given."""
    for attempt in (
        lambda: app.queue(name),
        lambda: app.tasks[0].options(queue=name),
        lambda: app.task(queue=name),
        lambda: app.worker(queues=[name]),
        lambda: app.claim(queues=[name]),
    ):
        with pytest.raises(ConfigError, match="queue name"):
            attempt()
    assert app.jobs() == []


def test_a_full_queue_takes_no_more(app: Windlass) -> None:
    """B5: QueueFull names queue and limit; pending, scheduled and retrying jobs count."""
    noop = app.tasks[0]
    noop.enqueue(fails=True)
    work(app)
    noop.enqueue()
    noop.options(delay="1h").enqueue()
    app.queue("mail").configure(max_length=3)
    with pytest.raises(QueueFull, match=r"'mail'.*3"):
        noop.enqueue()
    with pytest.raises(QueueFull):
        noop.options(delay="1h").enqueue()
    assert len(app.jobs()) == 3
    noop.options(queue="other").enqueue()


def test_finished_and_running_jobs_take_no_room(app: Windlass) -> None:
    """B5: only what waits counts."""
    app.queue("mail").configure(max_length=1)
    app.enqueue("noop")
    work(app)
    app.enqueue("noop")
    app.claim(queues=["mail"])
    app.enqueue("noop")
    with pytest.raises(QueueFull):
        app.enqueue("noop")


def test_a_bulk_that_does_not_fit_is_refused_as_a_whole(app: Windlass) -> None:
    """B5: nothing of it is stored."""
    app.queue("mail").configure(max_length=3)
    with pytest.raises(QueueFull):
        app.tasks[0].enqueue_many([()] * 4)
    assert app.jobs() == []
    assert len(app.tasks[0].enqueue_many([()] * 3)) == 3


def test_an_existing_job_needs_no_room(app: Windlass) -> None:
    """B5: enqueueing it again, by id or unique key, finds it."""
    noop = app.tasks[0]
    app.queue("mail").configure(max_length=2)
    job = noop.options(id="mine").enqueue()
    other = noop.options(unique="key").enqueue()
    assert noop.options(id="mine").enqueue() == job
    assert noop.options(unique="key").enqueue() == other


def test_retries_and_rescues_are_never_refused(app: Windlass, clock: ManualClock) -> None:
    """B5: a job that comes back always finds room."""
    noop = app.tasks[0]
    dead = noop.options(attempts=1).enqueue(fails=True)
    work(app)
    failing, rescued = noop.enqueue(fails=True), noop.options(priority=-1).enqueue()
    work_of_failing, _ = app.claim(2, queues=["mail"], lease="1m")
    noop.enqueue()
    app.queue("mail").configure(max_length=0)
    work_of_failing.fail("broken")
    clock.advance("2m")
    app.rescue()
    dead.retry()
    states = [job.refresh().state for job in (failing, rescued, dead)]
    assert states == [State.RETRYING, State.PENDING, State.PENDING]


@pytest.mark.asyncio
async def test_async_code_looks_into_queues_too(app: Windlass) -> None:
    """B5: list, peek, settings."""
    job = await app.aenqueue("noop")
    mail = app.queue("mail")
    await mail.aconfigure(max_length=1, by="ada")
    assert (await mail.asettings()).changed_by == "ada"
    assert await mail.apeek() == [job]
    assert [queue.name for queue in await app.aqueues()] == ["mail"]
    with pytest.raises(QueueFull):
        await app.aenqueue("noop")


def test_routes_hold_from_the_moment_in_which_they_are_set(app: Windlass) -> None:
    """B5: also for a task that has been enqueued before."""

    @app.task(name="reports.daily")
    def daily() -> None: ...

    before = daily.enqueue()
    app.configure(routes={"reports.": "reports"})
    after = daily.enqueue()
    assert (before.refresh().queue, after.refresh().queue) == ("default", "reports")
