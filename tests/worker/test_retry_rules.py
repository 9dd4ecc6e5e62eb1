"""Which retry rule applies: the nearest one."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps
from windlass import Retry, RetryableError, State
from windlass.testing import ManualClock


def fixed(seconds: float) -> Retry:
    return Retry(base=seconds, backoff="fixed", jitter=0)


@pytest.mark.parametrize(
    ("levels", "delay"),
    [
        (("app",), 50_000),
        (("app", "queue"), 40_000),
        (("app", "queue", "task"), 30_000),
        (("app", "queue", "task", "job"), 20_000),
        (("app", "queue", "task", "job", "error"), 10_000),
        (("app", "queue", "error"), 10_000),
        (("app", "job"), 20_000),
    ],
    ids=lambda value: "<".join(value) if isinstance(value, tuple) else None,
)
def test_the_nearest_rule_wins(new_app: Apps, levels: tuple[str, ...], delay: int) -> None:
    """A10: RetryableError(delay), job, task, queue, app."""
    clock = ManualClock()
    app = new_app(clock=clock, retry=fixed(50))
    if "queue" in levels:
        app.queue("default").configure(retry=fixed(40))

    @app.task(retry=fixed(30) if "task" in levels else None)
    def fail() -> None:
        raise RetryableError("again", delay="10s" if "error" in levels else None)

    job = (fail.options(retry=fixed(20)) if "job" in levels else fail).enqueue()
    app.worker().run_until_empty()
    assert job.refresh().state == State.RETRYING
    assert job.record.run_at - clock() == delay


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, 6), ({"retry": Retry(attempts=3)}, 3), ({"retry": Retry(attempts=3), "attempts": 2}, 2)],
)
def test_the_nearest_budget_wins(new_app: Apps, options: dict[str, object], expected: int) -> None:
    """A10: attempts of the job, its rule, its task's rule, the app's."""
    app = new_app(retry=Retry(attempts=5))

    @app.task(retry=Retry(attempts=6))
    def task() -> None: ...

    @app.task
    def plain() -> None: ...

    assert task.options(**options).enqueue().max_attempts == expected  # type: ignore[call-overload]  # a table of keywords
    assert plain.enqueue().max_attempts == 5
