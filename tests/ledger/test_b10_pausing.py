"""Pausing queues and workers."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps, gate, work
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, State, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    declare(app)


def declare(app: Windlass) -> None:
    @app.task(name="noop", queue="mail")
    def noop() -> int:
        return 1


def test_a_paused_queue_gives_no_jobs(app: Windlass, new_app: Apps) -> None:
    """B10: to nobody, neither worker nor pull API, of any process; other queues go on."""
    other = new_app()
    declare(other)
    app.queue("mail").pause()
    paused = app.enqueue("noop")
    [running] = app.enqueue_many([app.request("noop", queue="other")])
    assert work(other, queues=["mail", "other"]) == 1
    assert app.claim(queues=["mail"]) == []
    assert (paused.refresh().state, running.refresh().state) == (State.PENDING, State.COMPLETED)


def test_a_resumed_queue_goes_on(app: Windlass, new_app: Apps) -> None:
    """B10: workers that run notice by themselves."""
    app.queue("mail").pause()
    job = app.enqueue("noop")
    with app.worker():
        new_app().queue("mail").resume()
        assert job.result(timeout=PATIENCE) == 1


def test_a_running_worker_follows_a_pause_at_once(app: Windlass, new_app: Apps) -> None:
    """B10: the next claim gives nothing."""
    with app.worker():
        app.enqueue("noop").result(timeout=PATIENCE)
        new_app().queue("mail").pause()
        job = app.enqueue("noop")
        [sign] = app.enqueue_many([app.request("noop", queue="default")])
        sign.result(timeout=PATIENCE)
        assert job.refresh().state is State.PENDING


def test_what_runs_goes_on(app: Windlass) -> None:
    """B10: a pause stops claims, not runs."""
    with gate() as busy:

        @app.task(queue="mail")
        def slow() -> str:
            busy.wait()
            return "done"

        job = slow.enqueue()
        with app.worker():
            busy.await_entered()
            app.queue("mail").pause()
            busy.open()
            assert job.result(timeout=PATIENCE) == "done"


def test_who_paused_and_why_is_shown(app: Windlass, clock: ManualClock) -> None:
    """B10: in the queue's settings, and in why."""
    app.queue("mail").pause("card provider is down", by="ada")
    job = app.enqueue("noop")
    settings = app.queue("mail").settings()
    assert settings.paused
    assert (settings.paused_at, settings.paused_by) == (clock.now(), "ada")
    assert settings.paused_reason == "card provider is down"
    assert job.why().startswith("queue 'mail' is paused by ada: card provider is down; also, ")
    app.queue("mail").resume(by="bob")
    settings = app.queue("mail").settings()
    assert (settings.paused, settings.paused_by, settings.paused_reason) == (False, None, None)
    assert settings.changed_by == "bob"


def test_a_second_pause_keeps_the_first_one_s_time(app: Windlass, clock: ManualClock) -> None:
    """B10: paused since when stays true."""
    since = clock.now()
    app.queue("mail").pause()
    clock.advance("1h")
    app.queue("mail").pause("still")
    settings = app.queue("mail").settings()
    assert (settings.paused_at, settings.paused_reason) == (since, "still")


def test_all_queues_are_paused_at_once(app: Windlass) -> None:
    """B10: those that come later too; queues that were paused by themselves stay so afterwards."""
    app.queue("mail").pause()
    app.pause("maintenance", by="ada")
    in_mail = app.enqueue("noop")
    [elsewhere] = app.enqueue_many([app.request("noop", queue="new")])
    assert work(app, queues=["mail", "new"]) == 0
    assert elsewhere.why() == "all queues are paused by ada: maintenance; also, no worker serves queue 'new'"
    app.resume()
    assert work(app, queues=["mail", "new"]) == 1
    assert (in_mail.refresh().state, elsewhere.refresh().state) == (State.PENDING, State.COMPLETED)


def test_a_pause_of_all_is_no_queue(app: Windlass) -> None:
    """B10: it does not appear among the queues."""
    app.pause()
    assert app.queues() == []


def test_jobs_may_be_enqueued_meanwhile(app: Windlass) -> None:
    """B10: a pause refuses nothing."""
    app.queue("mail").pause()
    app.tasks[0].enqueue_many([()] * 3)
    assert app.queue("mail").length == 3


@pytest.mark.parametrize("by_name", [True, False])
def test_one_worker_is_paused_from_elsewhere(app: Windlass, new_app: Apps, by_name: bool) -> None:
    """B10: by name or id; it claims no more, others go on, and who did it is shown."""
    operator = new_app()
    with app.worker(queues=["mail"], name="alpha") as alpha:
        [view] = app.workers()
        assert operator.pause_worker(view.name if by_name else view.id, by="ada") == 1
        eventually(lambda: alpha.status().state == "paused", "the worker follows")
        job = app.enqueue("noop")
        [view] = operator.workers()
        assert (view.signal, view.signalled_by) == ("pause", "ada")
        assert job.refresh().state is State.PENDING
        other = new_app()
        declare(other)
        work(other)
        assert job.result() == 1
        assert operator.resume_worker(view.id) == 1
        eventually(lambda: alpha.status().state != "paused", "the worker goes on")
        assert app.enqueue("noop").result(timeout=PATIENCE) == 1


def test_a_worker_that_nobody_knows(app: Windlass) -> None:
    """B10: reaches none."""
    assert app.pause_worker("nobody") == 0
    assert app.resume_worker("nobody") == 0


def test_pauses_from_code_and_from_elsewhere_are_apart(app: Windlass, new_app: Apps) -> None:
    """B10: a worker goes on when neither wants it paused."""
    with app.worker() as worker:
        worker.pause()
        new_app().pause_worker(worker.name)
        eventually(lambda: new_app().workers()[0].signal == "pause", "the word is left")
        worker.resume()
        eventually(lambda: worker.status().state == "paused", "the operator's pause holds")
        new_app().resume_worker(worker.name)
        eventually(lambda: worker.status().state == "idle", "the worker goes on")


@pytest.mark.asyncio
async def test_async_code_pauses_too(app: Windlass) -> None:
    """B10: and resumes."""
    mail = app.queue("mail")
    await mail.apause("a while", by="ada")
    assert (await mail.asettings()).paused_by == "ada"
    await mail.aresume()
    assert not (await mail.asettings()).paused
    assert await app.aworkers() == []


def test_a_queue_is_paused_before_its_first_job(app: Windlass) -> None:
    """B10: a name is enough; an illegal one is refused."""
    app.queue("future").pause()
    assert app.queue("future").settings().paused
    with pytest.raises(ConfigError, match="queue name"):
        app.queue("no spaces").pause()


def test_why_tells_of_workers_that_take_nothing(app: Windlass) -> None:
    """B10: a job of a queue whose workers are all paused is not next in line for anybody."""
    with app.worker() as worker:
        assert app.pause_worker(worker.name, by="ada") == 1
        worker.pause()  # waits until it claims no more
        job = app.enqueue("noop")
        taken_by = "the only worker that serves queue 'mail' takes no jobs now"
        assert job.why() == f"{taken_by}: {worker.name} is paused by ada"
