"""Concurrency keys through the public API: enqueue, workers, why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from threading import Event, Lock

import pytest

from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, IllegalTransition, State, Windlass


def test_of_each_key_one_job_runs_at_a_time(app: Windlass) -> None:
    """C3: with many slots and two workers, and all jobs end."""
    running: Counter[int] = Counter()
    most: Counter[int] = Counter()
    lock = Lock()

    @app.task(concurrency=1, concurrency_key=lambda user_id, **_: f"user-{user_id}")
    def sync(user_id: int, page: int) -> None:
        with lock:
            running[user_id] += 1
            most[user_id] = max(most[user_id], running[user_id])
        with lock:
            running[user_id] -= 1

    jobs = sync.enqueue_many([(number % 4, number) for number in range(60)])
    with app.worker(concurrency=8), app.worker(concurrency=8):
        for job in jobs:
            job.wait(timeout=PATIENCE)
    assert app.counts()[State.COMPLETED] == 60
    assert set(most.values()) == {1}


def test_jobs_of_other_keys_go_on(app: Windlass) -> None:
    started, go = Event(), Event()

    @app.task(concurrency_key=lambda user_id: f"user-{user_id}")
    def sync(user_id: int) -> None:
        if user_id == 1:
            started.set()
            assert go.wait(PATIENCE)

    with app.worker(concurrency=4):
        first = sync.enqueue(1)
        assert started.wait(PATIENCE)
        waits = [sync.enqueue(1) for _ in range(30)]
        sync.enqueue(2).result(timeout=PATIENCE)
        eventually(lambda: waits[-1].refresh().state is State.BLOCKED, "it waits for the first")
        assert waits[0].why() == f"it waits for its concurrency key 'user-1', which is held by {first.id}"
        assert waits[2].why().endswith("; 2 jobs of the key come first")
        with pytest.raises(IllegalTransition, match="blocked"):
            waits[0].retry()
        go.set()
        for job in waits:
            job.result(timeout=PATIENCE)


def test_a_whole_task_may_have_a_limit(app: Windlass) -> None:
    @app.task(concurrency=2)
    def heavy() -> None: ...

    heavy.enqueue_many([()] * 5)
    assert len(app.claim(5)) == 2
    assert app.counts()[State.BLOCKED] == 3


def test_a_job_may_have_a_key_of_its_own(app: Windlass) -> None:
    @app.task
    def sync(user_id: int) -> None: ...

    job = sync.options(concurrency_key="user-42").enqueue(42)
    sync.options(concurrency_key="user-42").enqueue(43)
    assert job.concurrency_key == "user-42"
    assert len(app.claim(5)) == 1


def test_a_key_function_gets_the_arguments_by_name_with_defaults(app: Windlass) -> None:
    @app.task(concurrency_key=lambda user, region, **_: f"{region}/{user}")
    def sync(user: int, *, region: str = "eu", full: bool = False) -> None: ...

    assert sync.enqueue(7, full=True).concurrency_key == "eu/7"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda user: 1 // 0, "its concurrency_key raised ZeroDivisionError"),
        (lambda nobody: "x", "its concurrency_key raised TypeError"),
        (lambda user: user, "concurrency key 7: use 1 to 256"),
        (lambda user: "", "concurrency key '': use 1 to 256"),
        (lambda user: "x" * 10_000_000, r"'x{60}'... of 10,000,000 characters: use 1 to 256"),
        (lambda user: "a\nb", "printable"),
    ],
    ids=["raises", "other arguments", "number", "empty", "10 MB", "two lines"],
)
def test_a_key_that_cannot_be_made_stores_nothing(app: Windlass, rule: Callable[..., str], message: str) -> None:
    """The error names the task, and is short."""

    @app.task(name="shop.sync", concurrency_key=rule)
    def sync(user: int) -> None: ...

    with pytest.raises(ConfigError, match=f"task 'shop.sync': .*{message}") as raised:
        sync.enqueue_many([(7,), (8,)])
    assert len(str(raised.value)) < 250
    app.migrate()
    assert sum(app.counts().values()) == 0


@pytest.mark.parametrize(
    "settings", [{"concurrency": 0}, {"concurrency": "1"}, {"concurrency_key": 7}, {"concurrency_key": "x" * 257}]
)
def test_settings_that_make_no_sense_are_rejected(app: Windlass, settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="concurrency"):
        app.task(**settings)(lambda: None)  # type: ignore[call-overload]
    with pytest.raises(ConfigError, match="concurrency key"):
        app.request("any", concurrency_key="x" * 257)


def test_what_the_code_says_is_in_the_store_before_the_first_claim(app: Windlass) -> None:
    @app.task(name="sync", concurrency=3, concurrency_key="all")
    def sync() -> None: ...

    sync.enqueue_many([()] * 5)
    assert len(app.claim(5)) == 3
