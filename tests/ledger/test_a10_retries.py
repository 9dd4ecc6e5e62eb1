"""When a failed attempt is repeated, and when not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.ledger.apps import Apps, work
from windlass import PROGRAMMING_ERRORS, ConfigError, Job, PermanentError, Retry, RetryableError, State, Windlass
from windlass.testing import ManualClock

pytestmark = pytest.mark.varied_on("sqlite")

NO_JITTER = Retry(jitter=0)


def failing(app: Windlass, error: BaseException | type[BaseException] = OSError, **options: Any) -> Job[Any]:
    """A job whose task always raises."""

    @app.task(name="fail", **options)
    def fail() -> None:
        raise error

    return fail.enqueue()


def delays(app: Windlass, clock: ManualClock, job: Job[Any]) -> list[float]:
    """Run all attempts of a job; the seconds it waited after each."""
    waited = []
    while not job.refresh().done:
        work(app)
        if job.refresh().state is State.RETRYING:
            wait = job.run_at - clock.now()
            waited.append(wait.total_seconds())
            clock.advance(wait)
    return waited


def test_four_runs_by_default(app: Windlass, clock: ManualClock) -> None:
    """A10: attempts counts runs."""
    job = failing(app)
    assert len(delays(app, clock, job)) == 3
    assert (job.attempt, job.max_attempts, len(job.errors)) == (4, 4, 4)
    assert (job.state, job.reason) == (State.FAILED, "attempts")


def test_one_attempt_is_never_repeated(app: Windlass) -> None:
    """A10: attempts=1, of the task or of the job."""
    job = failing(app, retry=Retry(attempts=1))
    other = app.tasks[0].options(attempts=1).enqueue()
    work(app)
    assert [(one.refresh().state, one.attempt) for one in (job, other)] == [(State.FAILED, 1)] * 2


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (NO_JITTER, [1, 2, 4]),
        (Retry(jitter=0, base=2, factor=3), [2, 6, 18]),
        (Retry(jitter=0, base=100, factor=10), [100, 300, 300]),
        (Retry(jitter=0, base=100, factor=10, cap="1h"), [100, 1000, 3600]),
        (Retry(jitter=0, base=0.001), [0.1, 0.1, 0.1]),
        (Retry(jitter=0, base=5, backoff="fixed"), [5, 5, 5]),
        (Retry(jitter=0, base=5, backoff="linear"), [5, 10, 15]),
        (Retry(jitter=0, custom=lambda attempt: 7.0 * attempt), [7, 14, 21]),
        (Retry(jitter=0, base="1m", attempts=2), [60]),
    ],
    ids=["default", "exponential", "cap", "own cap", "floor", "fixed", "linear", "custom", "attempts"],
)
def test_delays_follow_the_rule(app: Windlass, clock: ManualClock, rule: Retry, expected: list[float]) -> None:
    """A10: base × factor^(n-1), fixed, linear or a function of one's own; then floor and cap."""
    assert delays(app, clock, failing(app, retry=rule)) == expected


def test_jitter_spreads_by_ten_percent(app: Windlass, clock: ManualClock) -> None:
    """A10: by default each delay lies within 10 % of the rule, and they differ."""
    failing(app).cancel()
    jobs = app.tasks[0].enqueue_many([()] * 50)
    work(app)
    waits = [(job.refresh().run_at - clock.now()).total_seconds() for job in jobs]
    assert all(0.9 <= wait <= 1.1 for wait in waits)
    assert len(set(waits)) > 1


def test_a_rule_that_makes_no_sense_is_refused() -> None:
    """A10: the error names the part."""
    for options, part in [
        ({"attempts": 0}, "attempts"),
        ({"jitter": 2}, "jitter"),
        ({"factor": 0.5}, "factor"),
        ({"backoff": "random"}, "backoff"),
        ({"base": -1}, "base"),
        ({"floor": 10, "cap": 1}, "floor"),
    ]:
        with pytest.raises(ConfigError, match=f"Retry: {part}"):
            Retry(**options)  # type: ignore[arg-type]


def fixed(seconds: int) -> Retry:
    return Retry(base=seconds, backoff="fixed", jitter=0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("error", "job", "task", "queue", "app"), 1),
        (("job", "task", "queue", "app"), 2),
        (("task", "queue", "app"), 3),
        (("queue", "app"), 4),
        (("app",), 5),
    ],
    ids=lambda given: given[0] if isinstance(given, tuple) else "",
)
def test_the_nearest_rule_wins(new_app: Apps, clock: ManualClock, given: tuple[str, ...], expected: float) -> None:
    """A10: RetryableError(delay), job, task, queue, app, in this order."""
    app = new_app(retry=fixed(5))
    app.queue("default").configure(retry=fixed(4) if "queue" in given else None)

    @app.task(retry=fixed(3) if "task" in given else None)
    def fail() -> None:
        raise RetryableError("busy", delay=1 if "error" in given else None)

    options: Any = {"retry": fixed(2)} if "job" in given else {}
    job = fail.options(**options).enqueue()
    work(app)
    assert job.refresh().run_at - clock.now() == timedelta(seconds=expected)


@pytest.mark.parametrize("given", ["job", "task", "queue", "app"])
def test_a_manually_claimed_job_follows_the_same_rules(new_app: Apps, clock: ManualClock, given: str) -> None:
    """A10: the rule is the job's, whoever runs it."""
    app = new_app(retry=fixed(5) if given == "app" else None)
    app.queue("default").configure(retry=fixed(5) if given == "queue" else None)

    @app.task(retry=fixed(5) if given == "task" else None)
    def fail() -> None: ...

    options: Any = {"retry": fixed(5)} if given == "job" else {}
    job = fail.options(**options).enqueue()
    [claimed] = app.claim()
    claimed.fail("broken")
    assert job.refresh().run_at - clock.now() == timedelta(seconds=5)


def test_a_permanent_error_is_never_repeated(app: Windlass) -> None:
    """A10: PermanentError ends the job with attempts left."""
    job = failing(app, PermanentError("no such account"))
    work(app)
    assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "permanent", 1)
    assert job.errors[0].message == "no such account"


@pytest.mark.parametrize(
    ("options", "error", "state"),
    [
        ({"give_up_on": (LookupError,)}, KeyError, State.FAILED),
        ({"give_up_on": (LookupError,)}, OSError, State.RETRYING),
        ({"retry_on": (OSError,)}, ConnectionError, State.RETRYING),
        ({"retry_on": (OSError,)}, KeyError, State.FAILED),
        ({"retry_on": (Exception,), "give_up_on": (OSError,)}, OSError, State.FAILED),
        ({"retry_on": ()}, OSError, State.FAILED),
        ({"give_up_on": PROGRAMMING_ERRORS}, TypeError, State.FAILED),
        ({}, TypeError, State.RETRYING),
        ({"give_up_on": (OSError,)}, RetryableError, State.RETRYING),
    ],
)
def test_errors_that_a_task_lists(app: Windlass, options: Any, error: type[Exception], state: State) -> None:
    """A10: retry_on and give_up_on, subclasses included; giving up wins."""
    job = failing(app, error, **options)
    work(app)
    assert job.refresh().state is state
    assert job.reason == ("permanent" if state is State.FAILED else None)


@pytest.mark.parametrize("error", PROGRAMMING_ERRORS)
def test_programming_errors_are_final_with_one_line_for_the_app(new_app: Apps, error: type[Exception]) -> None:
    """A10: give_up_on=PROGRAMMING_ERRORS of the app holds for all its tasks."""
    app = new_app(give_up_on=PROGRAMMING_ERRORS)
    job = failing(app, error)
    work(app)
    assert (job.refresh().state, job.reason) == (State.FAILED, "permanent")


def test_programming_errors_are_a_known_list() -> None:
    """A10: the seven that running again does not mend."""
    assert set(PROGRAMMING_ERRORS) == {
        TypeError,
        ValueError,
        AttributeError,
        KeyError,
        ImportError,
        SyntaxError,
        AssertionError,
    }


@pytest.mark.parametrize("error", PROGRAMMING_ERRORS)
def test_programming_errors_are_repeated_by_default(app: Windlass, error: type[Exception]) -> None:
    """A10: nothing is final unless somebody says so."""
    job = failing(app, error)
    work(app)
    assert job.refresh().state is State.RETRYING


@pytest.mark.parametrize("errors", [ValueError, [ValueError], ("ValueError",), (1,)])
@pytest.mark.parametrize("option", ["give_up_on", "retry_on"])
def test_a_list_of_errors_that_is_none_is_refused(app: Windlass, option: str, errors: Any) -> None:
    """A10: the error names the option."""
    with pytest.raises(ConfigError, match=option):
        app.task(**{option: errors})


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, BaseException])
def test_whatever_a_task_raises_is_a_failed_attempt(app: Windlass, error: type[BaseException]) -> None:
    """A10: not even SystemExit harms the worker; the next job runs."""
    job = failing(app, error)

    @app.task
    def noop() -> int:
        return 1

    other = noop.enqueue()
    assert work(app) == 2
    assert job.refresh().state is State.RETRYING
    assert other.result() == 1


def test_a_custom_delay_stays_with_the_task(app: Windlass) -> None:
    """A10: a function cannot be stored with a job or a queue, and the error says where it goes."""
    job = failing(app)
    rule = Retry(custom=lambda attempt: 1.0)
    refused: list[Callable[[], object]] = [
        lambda: app.tasks[0].options(retry=rule),
        lambda: app.queue("default").configure(retry=rule),
    ]
    for attempt in refused:
        with pytest.raises(ConfigError, match="set it on the task"):
            attempt()
    job.cancel()
