"""At most one job of a kind."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import pytest

from tests.ledger.apps import Apps, gate, work
from tests.waiting import PATIENCE
from windlass import ConfigError, IllegalTransition, Job, State, Unique, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="send")
    def send(user_id: int, subject: str = "hello", **extra: str) -> None:
        if subject == "fail":
            raise OSError

    @app.task(name="other")
    def other(user_id: int, subject: str = "hello") -> None: ...


def test_a_key_that_is_held_gives_the_existing_job(app: Windlass) -> None:
    """B17: unique="text" is a key; the second enqueue gets the first one's job."""
    send = app.tasks[0].options(unique="user-42")
    first, second = send.enqueue(42), send.enqueue(43, "something else")
    assert (first.duplicate, second.duplicate) == (False, True)
    assert second.id == first.id
    assert second.state is State.PENDING
    assert app.jobs() == [first]


def test_a_text_is_a_key_across_tasks(app: Windlass) -> None:
    """B17: whatever the task."""
    first = app.tasks[0].options(unique="key").enqueue(1)
    assert app.tasks[1].options(unique="key").enqueue(1) == first


def test_task_and_all_arguments_make_the_key(app: Windlass) -> None:
    """B17: Unique() compares them all, and the task."""
    unique = Unique()
    first = app.tasks[0].options(unique=unique).enqueue(1, "a")
    assert app.tasks[0].options(unique=unique).enqueue(1, "a").duplicate
    assert not app.tasks[0].options(unique=unique).enqueue(1, "b").duplicate
    assert not app.tasks[1].options(unique=unique).enqueue(1, "a").duplicate
    assert app.job(first.id) == first


@pytest.mark.parametrize(
    ("args", "kwargs", "is_same"),
    [
        ((1, "b"), {}, True),
        ((), {"user_id": 1, "subject": "c"}, True),
        ((2, "a"), {}, False),
        ((), {"user_id": 2}, False),
    ],
)
def test_chosen_arguments_make_the_key(app: Windlass, args: Any, kwargs: Any, is_same: bool) -> None:
    """B17: by=(...) looks at those only, given by position or by name."""
    send = app.tasks[0].options(unique=Unique(by=("user_id",)))
    send.enqueue(1, "a")
    assert send.enqueue(*args, **kwargs).duplicate is is_same


def test_defaults_and_extra_keywords_count_as_given(app: Windlass) -> None:
    """B17: an argument that was left out has its default; **kwargs are named like others."""
    by_subject = app.tasks[0].options(unique=Unique(by=("subject",)))
    by_subject.enqueue(1)
    assert by_subject.enqueue(2, subject="hello").duplicate
    by_extra = app.tasks[0].options(unique=Unique(by=("channel",)))
    by_extra.enqueue(1, channel="sms")
    assert by_extra.enqueue(2, channel="sms").duplicate
    assert not by_extra.enqueue(2, channel="mail").duplicate


def test_different_arguments_make_different_keys(app: Windlass) -> None:
    """B17: a job that is unique by one argument does not stand for one that is unique by another of the same value."""

    @app.task(name="pair")
    def pair(user: int, account: int) -> None: ...

    rules = [Unique(by=("user",)), Unique(by=("account",)), Unique(by=("user", "account")), Unique()]
    jobs = [pair.options(unique=rule).enqueue(7, 7) for rule in rules]
    assert [job.duplicate for job in jobs] == [False] * 4


def test_a_task_may_say_it_for_all_its_jobs(app: Windlass) -> None:
    """B17: unique= of the task."""

    @app.task(unique=Unique(by=("user_id",)))
    def digest(user_id: int) -> None: ...

    first = digest.enqueue(1)
    assert digest.enqueue(1) == first
    assert not digest.enqueue(2).duplicate


def test_until_finished(app: Windlass) -> None:
    """B17: the default: held while it waits, runs and is retried; free again after the end."""
    send = app.tasks[0].options(unique="key")
    job = send.enqueue(1)
    [claimed] = app.claim()
    assert send.enqueue(1).duplicate
    claimed.fail("broken")
    assert job.refresh().state is State.RETRYING
    assert send.enqueue(1).duplicate
    job.retry()
    work(app)
    assert job.refresh().state is State.COMPLETED
    assert not send.enqueue(1).duplicate


@pytest.mark.parametrize("ending", ["completed", "failed", "cancelled", "deleted", "crashed"])
def test_every_end_frees_the_key(app: Windlass, clock: ManualClock, ending: str) -> None:
    """B17: also a failure, a cancel, a delete and a crash."""
    send = app.tasks[0].options(unique="key", attempts=1)
    job = send.enqueue(1, "fail" if ending == "failed" else "hello")
    if ending == "cancelled":
        job.cancel()
    elif ending == "deleted":
        job.delete()
    elif ending == "crashed":
        app.claim(lease="1s")
        clock.advance("2s")
        app.rescue()
    else:
        work(app)
    again = send.enqueue(1)
    assert not again.duplicate
    assert again != job


def test_until_started(app: Windlass) -> None:
    """B17: held only while it waits, so that a change during the run is not missed."""
    with gate() as busy:

        @app.task(unique=Unique(until="started"))
        def refresh() -> None:
            busy.wait()

        first = refresh.enqueue()
        assert refresh.enqueue() == first
        with app.worker(concurrency=1):
            busy.await_entered()
            second = refresh.enqueue()
            assert not second.duplicate
            assert refresh.enqueue() == second
            busy.open()


def test_a_window(app: Windlass, clock: ManualClock) -> None:
    """B17: held for a time from the enqueue on, whatever becomes of the job."""
    send = app.tasks[0].options(unique=Unique(window="10m"))
    first = send.enqueue(1)
    work(app)
    clock.advance("599s")
    assert send.enqueue(1) == first
    clock.advance("1s")
    assert not send.enqueue(1).duplicate


def test_the_first_in_a_bulk_holds_the_key(app: Windlass) -> None:
    """B17: the others of the same call get its job."""
    send = app.tasks[0].options(unique=Unique(by=("user_id",)))
    jobs = send.enqueue_many([(1, "a"), (2, "b"), (1, "c")])
    assert [job.duplicate for job in jobs] == [False, False, True]
    assert jobs[2] == jobs[0]
    assert len(app.jobs()) == 2


def test_a_released_key_is_not_taken_again(app: Windlass) -> None:
    """B17: a retry by hand of a job whose key another holds is reported, not forced."""
    send = app.tasks[0].options(unique="key", attempts=1)
    dead = send.enqueue(1, "fail")
    work(app)
    holder = send.enqueue(1)
    with pytest.raises(IllegalTransition, match=holder.id):
        dead.retry()
    assert dead.refresh().state is State.FAILED
    assert app.retry_all() == 0
    work(app)
    dead.retry()
    assert dead.state is State.PENDING


def test_only_one_of_many_at_once(app: Windlass, new_app: Apps) -> None:
    """B17: threads of two processes enqueue the same key; one job comes of it."""
    together = Barrier(8)
    jobs: list[Job[Any]] = []

    def enqueue(where: Windlass, name: str) -> None:
        [request] = [where.request(name, (1,), unique="key")]
        together.wait(PATIENCE)
        jobs.extend(where.enqueue_many([request]))

    apps = [app, new_app()] * 4
    threads = [Thread(target=enqueue, args=(one, "send")) for one in apps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({job.id for job in jobs}) == 1
    assert sorted(job.duplicate for job in jobs) == [False] + [True] * 7
    assert len(app.jobs()) == 1


REFRESH = Unique(by=("user_id",), until="started", on_conflict="replace")
DEBOUNCE = Unique(by=("user_id",), until="started", on_conflict="postpone", max_wait="1m")


def test_a_job_that_waits_takes_the_newest_arguments(app: Windlass) -> None:
    """B17: on_conflict="replace"; everything else stays."""
    send = app.tasks[0].options(unique=REFRESH)
    first = send.options(priority=5).enqueue(1, "old")
    second = send.options(queue="other").enqueue(1, "new")
    assert (second.id, second.duplicate, second.replaced) == (first.id, True, True)
    assert (first.replaced, second.args, second.priority, second.queue) == (False, (1, "new"), 5, "default")
    assert [entry.kind for entry in second.timeline()] == ["created", "replaced"]
    assert len(app.jobs()) == 1


def test_a_job_that_runs_is_kept(app: Windlass) -> None:
    """B17: so is one that is retried; the enqueue is a duplicate."""
    send = app.tasks[0].options(unique=Unique(by=("user_id",), on_conflict="replace"))
    send.enqueue(1, "old")
    [claimed] = app.claim()
    second = send.enqueue(1, "new")
    assert (second.duplicate, second.replaced, second.args) == (True, False, (1, "old"))
    claimed.fail("broken")
    third = send.enqueue(1, "newer")
    assert (third.duplicate, third.replaced, third.args) == (True, False, (1, "old"))


def test_debounce(app: Windlass, clock: ManualClock) -> None:
    """B17: on_conflict="postpone" waits for a quiet moment, at most for max_wait."""
    send = app.tasks[0].options(unique=DEBOUNCE, delay="10s")
    for number in range(7):
        job = send.enqueue(1, f"{number}")
        clock.advance("9s")
    app.promote()
    assert (job.refresh().state, job.args) == (State.PENDING, (1, "6"))
    created = job.record.created_at
    assert job.record.run_at == created + 60_000
    work(app)
    assert not send.enqueue(1, "after").duplicate


def test_the_last_in_a_bulk_replaces(app: Windlass) -> None:
    """B17: of the jobs of one call with the same key one is stored, with the last arguments."""
    send = app.tasks[0].options(unique=REFRESH)
    jobs = send.enqueue_many([(1, "a"), (2, "b"), (1, "c")])
    assert jobs[0] == jobs[2]
    assert [job.duplicate for job in jobs] == [True, False, False]
    again = send.enqueue_many([(1, "d"), (3, "e"), (1, "f")])
    assert again[2] == jobs[2]
    assert [job.replaced for job in again] == [False, False, True]
    assert sorted(job.args for job in app.jobs()) == [(1, "f"), (2, "b"), (3, "e")]


def test_fifty_producers_debounce_one_job(app: Windlass, new_app: Apps) -> None:
    """B17: many threads of several processes; one job comes of it, with the arguments of one of them."""
    producers = 50
    together = Barrier(producers)
    apps = [app, new_app(), new_app()]
    jobs: list[Job[Any]] = []

    def enqueue(number: int) -> None:
        request = app.tasks[0].options(unique=DEBOUNCE, delay="10s").request(1, f"{number}")
        together.wait(60)
        jobs.extend(apps[number % 3].enqueue_many([request]))

    threads = [Thread(target=enqueue, args=(number,)) for number in range(producers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((job.duplicate, job.replaced) for job in jobs) == [(False, False)] + [(True, True)] * 49
    [job] = app.jobs()
    assert job.args[0] == 1


@pytest.mark.asyncio
async def test_async_code_replaces_too(app: Windlass) -> None:
    """B17: the same."""
    send = app.tasks[0].options(unique=REFRESH)
    await send.aenqueue(1, "old")
    assert (await send.aenqueue(1, "new")).replaced
    assert app.jobs()[0].args == (1, "new")


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: Unique(on_conflict="ignore"), "on_conflict must be 'keep', 'replace' or 'postpone', got 'ignore'"),  # type: ignore[arg-type]
        (lambda: Unique(on_conflict="replace", max_wait="1m"), "max_wait .* needs on_conflict='postpone'"),
        (lambda: Unique(on_conflict="postpone", max_wait="soon"), "max_wait"),
        (lambda: Unique(until="later"), "until"),  # type: ignore[arg-type]
        (lambda: Unique(by="user_id"), "by takes a list of texts"),  # type: ignore[arg-type]
        (lambda: Unique(window="soon"), "window"),
    ],
)
def test_a_unique_that_makes_no_sense_is_refused(make: Any, names: str) -> None:
    """B17: the error names the part."""
    with pytest.raises(ConfigError, match=names):
        make()


def test_an_argument_that_is_not_there_is_refused(app: Windlass) -> None:
    """B17: by= must name arguments of the call; nothing is stored."""
    with pytest.raises(ConfigError, match="'colour'"):
        app.tasks[0].options(unique=Unique(by=("colour",))).enqueue(1)
    with pytest.raises(ConfigError, match="not registered here"):
        app.enqueue_many([app.request("elsewhere", (1,), unique=Unique(by=("user_id",)))])
    assert app.jobs() == []


@pytest.mark.asyncio
async def test_async_code_finds_duplicates_too(app: Windlass) -> None:
    """B17: the same job."""
    send = app.tasks[0].options(unique="key")
    first, second = await send.aenqueue(1), await send.aenqueue(2)
    assert (second, second.duplicate) == (first, True)
