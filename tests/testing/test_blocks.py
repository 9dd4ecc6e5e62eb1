"""The user's own app in a test: on a store of the block's own, and back on its own store afterwards."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.slow_shutdown import unhurried
from tests.waiting import PATIENCE, eventually
from windlass import AppClosed, ConfigError, JobNotFound, Retention, State, StoreNotFound, Unique, Windlass, current_job
from windlass.task import Task
from windlass.testing import ManualClock, assert_enqueued, drain, inline, manual


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Windlass]:
    """An app as a user has it: on a file of its own, at the top of a module."""
    with unhurried(Windlass(f"sqlite:///{tmp_path}/own.db", archive=tmp_path / "archive")) as app:
        app.migrate()
        yield app


@pytest.fixture
def note(app: Windlass) -> Task[[str], str]:
    @app.task(name="note")
    def note(text: str) -> str:
        return text

    return note


@pytest.mark.parametrize("mode", [inline, manual])
def test_the_app_s_own_store_is_not_even_opened(tmp_path: Path, mode) -> None:  # type: ignore[no-untyped-def]  # both are context managers
    app = unhurried(Windlass(f"sqlite:///{tmp_path}/own.db"))
    with mode(app):
        app.enqueue("a")
        app.enqueue_many([app.request("b"), app.request("c")])
        app.queue("default").pause()
        app.jobs()
        app.workers()
        drain(app)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreNotFound):
        app.counts()
    app.close()


@pytest.mark.parametrize("url", ["postgresql://nobody@nowhere.invalid/shop", "redis://nowhere.invalid/0"])
def test_an_app_whose_server_is_not_there_is_tested_all_the_same(url: str) -> None:
    app = unhurried(Windlass(url))

    @app.task
    def double(number: int) -> int:
        return 2 * number

    with inline(app):
        assert double.enqueue(21).result() == 42
    app.close()


def test_what_is_in_the_app_s_own_store_is_not_seen(app: Windlass, note: Task[[str], str]) -> None:
    own = note.options(unique="only-one").enqueue("own")
    with manual(app) as jobs:
        assert app.counts()["pending"] == 0
        with pytest.raises(JobNotFound):
            app.job(own.id)
        with pytest.raises(AssertionError, match="no jobs at all"):
            assert_enqueued(app, note)
        inside = note.options(unique="only-one").enqueue("inside")
        assert not inside.duplicate
        assert list(jobs) == [inside]
        assert drain(app) == 1
    assert own.refresh().state is State.PENDING
    assert [job.id for job in app.jobs()] == [own.id]


def test_an_earlier_test_does_not_help(app: Windlass, note: Task[[str], str]) -> None:
    with manual(app):
        note.enqueue("welcome")
        assert_enqueued(app, note, "welcome")
    with manual(app), pytest.raises(AssertionError):
        assert_enqueued(app, note, "welcome")


@pytest.mark.parametrize("act", [drain, lambda app: assert_enqueued(app, "note")])
def test_outside_of_a_block_the_app_s_own_jobs_are_left_alone(app: Windlass, note: Task[[str], str], act) -> None:  # type: ignore[no-untyped-def]  # any function of an app
    own = note.enqueue("own")
    with pytest.raises(ConfigError, match=r"inside `with manual\(app\):`.*own.db"):
        act(app)
    with manual(app):
        pass
    with pytest.raises(ConfigError, match="windlass_app"):
        act(app)
    assert own.refresh().state is State.PENDING


def test_jobs_can_be_looked_at_after_the_block_until_the_next(app: Windlass, note: Task[[str], str]) -> None:
    with inline(app) as jobs:
        job = note.enqueue("a")
    assert (job.result(), job.timeline()[0].kind) == ("a", "created")
    assert [one.state for one in jobs] == [State.COMPLETED]
    with manual(app), pytest.raises(AppClosed, match="test block that is over"):
        job.refresh()


def test_a_handle_stays_with_the_store_that_its_job_is_in(app: Windlass, note: Task[[str], str]) -> None:
    own = note.enqueue("own")
    [claimed] = app.claim()
    with manual(app):
        inside = note.enqueue("inside")
        claimed.complete("done")
        assert own.result() == "done"
    assert inside.cancel()
    assert inside.refresh().state is State.CANCELLED
    assert app.counts()["cancelled"] == 0


def test_blocks_are_nested(app: Windlass, note: Task[[str], str]) -> None:
    with manual(app) as outer:
        first = note.enqueue("outer")
        with inline(app) as inner:
            assert note.enqueue("inner").result() == "inner"
            with pytest.raises(AssertionError):
                assert_enqueued(app, note, "outer")
        assert [job.args for job in inner] == [("inner",)]
        second = note.enqueue("outer again")
        assert list(outer) == [first, second]
        assert drain(app) == 2


def test_blocks_that_end_in_another_order_leave_the_app_where_it_was(app: Windlass, note: Task[[str], str]) -> None:
    """As fixtures do that are torn down late, and generators that nobody has finished."""
    early, late = ExitStack(), ExitStack()
    early.enter_context(manual(app))
    jobs = late.enter_context(manual(app))
    early.close()
    inside = note.enqueue("inside")
    late.close()
    own = note.enqueue("own")
    assert list(jobs) == [inside]
    assert [job.id for job in app.jobs()] == [own.id]


def test_a_worker_rests_until_the_last_of_such_blocks_is_over(app: Windlass, note: Task[[str], str]) -> None:
    with app.worker() as worker:
        early, late = ExitStack(), ExitStack()
        early.enter_context(manual(app))
        late.enter_context(manual(app))
        early.close()
        was_paused = worker.is_paused
        late.close()
        assert (was_paused, worker.is_paused) == (True, False)
        assert note.enqueue("own").result(timeout=PATIENCE) == "own"


def test_an_exception_in_the_block_puts_the_app_back(app: Windlass, note: Task[[str], str]) -> None:
    with pytest.raises(ZeroDivisionError), manual(app):
        note.enqueue(f"{1 / 0}")
    assert app.jobs() == []


def test_a_block_that_cannot_begin_leaves_the_app_alone(app: Windlass) -> None:
    with pytest.raises(TypeError):
        manual(app, clock="noon").__enter__()  # type: ignore[arg-type]  # refused
    assert app.jobs() == []
    with manual(app) as jobs:
        assert len(jobs) == 0


def test_all_threads_are_redirected(app: Windlass, note: Task[[str], str]) -> None:
    goes_on, has_enqueued = Event(), Event()

    def work() -> None:
        goes_on.wait(60)
        note.enqueue("from a thread of before")
        has_enqueued.set()

    thread = Thread(target=work)
    thread.start()
    with manual(app) as jobs:
        goes_on.set()
        assert has_enqueued.wait(60)
        assert [job.args for job in jobs] == [("from a thread of before",)]
    thread.join()
    assert app.jobs() == []


@pytest.mark.asyncio
async def test_async_tests_are_redirected_too(app: Windlass, note: Task[[str], str]) -> None:
    async def sign_up() -> None:
        await note.aenqueue("a")

    with manual(app) as jobs:
        await asyncio.gather(sign_up(), sign_up())
        assert (await app.acounts())["pending"] == 2
        assert drain(app) == 2
        assert [await job.aresult() for job in jobs] == ["a", "a"]
    assert await app.ajobs() == []


def test_a_worker_in_the_block_works_on_the_block_s_store(app: Windlass, note: Task[[str], str]) -> None:
    own = note.enqueue("own")
    with manual(app):
        inside = note.enqueue("inside")
        assert app.worker().run_until_empty() == 1
        assert inside.result() == "inside"
    assert own.refresh().state is State.PENDING


def test_a_worker_of_before_goes_on_with_the_app_s_own_store(app: Windlass, note: Task[[str], str]) -> None:
    """Also in the time after the block, and by its own clock."""
    with app.worker() as worker:
        with manual(app, clock=ManualClock(datetime(2000, 1, 1, tzinfo=UTC))):
            inside = note.enqueue("inside")
            assert worker.is_paused
        assert note.enqueue("own").result(timeout=PATIENCE) == "own"
        assert inside.refresh().state is State.PENDING


def test_a_block_has_its_own_clock(app: Windlass, note: Task[[str], str]) -> None:
    clock = ManualClock(datetime(2100, 1, 1, tzinfo=UTC))
    with manual(app, clock=clock):
        job = note.options(delay="10m").enqueue("later")
        assert job.created_at == clock.now()
        clock.advance("10m")
        assert drain(app) == 1
        with inline(app):
            assert note.enqueue("nested").refresh().created_at == clock.now()
    own = note.enqueue("own")
    assert own.id < job.id  # ids go by the time, and that of the test is not carried over
    assert own.created_at.year < 2100


def test_what_is_configured_in_the_block_is_undone(app: Windlass, note: Task[[str], str]) -> None:
    app.configure(routes={"note": "notes"})
    with manual(app):
        assert note.enqueue("a").queue == "notes"
        app.configure(routes={"note": "other"}, retention=Retention(completed="1s"))
        assert note.enqueue("a").queue == "other"
    assert note.enqueue("a").queue == "notes"
    assert app.client.retention == Retention()


def test_jobs_of_a_test_do_not_reach_the_archive(app: Windlass, note: Task[[str], str], tmp_path: Path) -> None:
    clock = ManualClock()
    with manual(app, clock=clock):
        note.enqueue("a")
        drain(app)
        clock.advance("365d")
        assert app.clean().deleted == 1
    assert not (tmp_path / "archive").exists()


def test_code_that_closes_the_app_is_tested_too(app: Windlass, note: Task[[str], str]) -> None:
    """As web frameworks do when a test client leaves them."""
    with manual(app) as jobs:
        with app:
            note.enqueue("a")
        with pytest.raises(AppClosed):
            note.enqueue("b")
        assert_enqueued(app, note, "a")
        assert drain(app) == 1
        assert jobs[0].result() == "a"
    assert jobs[0].done
    assert note.enqueue("own").refresh().state is State.PENDING


def test_a_closed_app_is_closed_again_after_the_block(app: Windlass, note: Task[[str], str]) -> None:
    app.close()
    with inline(app):
        assert note.enqueue("a").result() == "a"
    with pytest.raises(AppClosed, match="make a new Windlass"):
        note.enqueue("b")


def test_an_app_that_is_closed_takes_the_last_block_along(app: Windlass, note: Task[[str], str]) -> None:
    with manual(app):
        job = note.enqueue("a")
    app.close()
    with pytest.raises(AppClosed):
        job.refresh()


def test_what_a_task_enqueues_stays_in_the_block(app: Windlass, note: Task[[str], str]) -> None:
    @app.task(unique=Unique())
    def parent() -> str:
        return str(note.enqueue(current_job().task).result())

    with inline(app) as jobs:
        assert parent.enqueue().result().endswith("parent")
    assert len(jobs) == 2
    assert app.jobs() == []


def _order(note: Task[[str], str]) -> None:
    note.enqueue("a")
    assert note.options(id="kept").enqueue("before").duplicate
    raise ZeroDivisionError


class TestTransactions:
    """Jobs of the caller's transactions: in the block's store, without a look at the caller's database."""

    @pytest.fixture
    def shop(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(":memory:")
        yield connection
        connection.close()

    def test_they_are_enqueued_in_the_block(
        self, app: Windlass, note: Task[[str], str], shop: sqlite3.Connection
    ) -> None:
        with inline(app) as jobs:
            with shop, app.transaction(shop):
                job = note.enqueue("a")
                assert job.refresh().state is State.PENDING  # it does not run before the commit
            note.options(connection=shop).enqueue("b")
            assert drain(app) == 2
        assert [job.args for job in jobs] == [("a",), ("b",)]
        assert shop.execute("SELECT name FROM sqlite_master").fetchall() == []

    def test_a_block_that_fails_leaves_no_job(
        self, app: Windlass, note: Task[[str], str], shop: sqlite3.Connection
    ) -> None:
        with manual(app) as jobs:
            kept = note.options(id="kept").enqueue("before")
            with pytest.raises(ZeroDivisionError), shop, app.transaction(shop):
                _order(note)
            assert list(jobs) == [kept]

    def test_what_is_no_connection_is_refused(self, app: Windlass) -> None:
        with manual(app), pytest.raises(ConfigError, match="a transaction takes"):
            app.transaction("shop")


def test_stores_of_blocks_do_not_pile_up(app: Windlass, note: Task[[str], str]) -> None:
    for _ in range(5):
        with manual(app):
            note.enqueue("a")
    assert len(app.client.home.test_blocks) == 1


def test_a_result_that_is_awaited_on_another_thread_comes(app: Windlass, note: Task[[str], str]) -> None:
    results: list[str] = []
    with manual(app):
        job = note.enqueue("a")
        thread = Thread(target=lambda: results.append(job.result(timeout=60)))
        thread.start()
        eventually(lambda: bool(job._client.waiter._awaited), "the thread waits")  # noqa: SLF001
        drain(app)
        thread.join()
    assert results == ["a"]
