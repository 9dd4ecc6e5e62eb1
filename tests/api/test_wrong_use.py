"""Every wrong call is refused with an error that names what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from windlass import ActiveJob, ConfigError, JobNotFound, Limits, Retry, Snooze, Windlass, current_job
from windlass.testing import drain, inline


@pytest.fixture
def app() -> Windlass:
    return Windlass("sqlite:///:memory:")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://host/db", "unknown kind 'mysql'"),
        ("windlass.db", "unknown kind"),
        ("sqlite://jobs.db", "three slashes"),
        ("sqlite:///", "names no file"),
        ("sqlite:///jobs.db?speed=high", "unknown option 'speed'"),
        ("sqlite:///jobs.db?durability=none", "durability must be full or normal"),
    ],
)
def test_a_store_url_that_means_nothing(url: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Windlass(url)


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as raised:
        Windlass("mysql://ada:s3cret@host/db")
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"namespace": "No Spaces"}, "namespace"),
        ({"namespace": ""}, "namespace"),
        ({"importable": "shop."}, "importable takes a list"),
        ({"types": [int]}, "types: int cannot be stored"),
        ({"types": ["Address"]}, "is not a class"),
        ({"archive": 42}, "archive must be"),
        ({"store_deadline": "soon"}, "store_deadline"),
    ],
)
def test_an_app_that_makes_no_sense(options: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Windlass("sqlite:///:memory:", **options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"queue": "no spaces"}, "queue name"),
        ({"timeout": 0}, "timeout must be longer than 0"),
        ({"timeout": "soon"}, "timeout"),
        ({"prefetch": 5}, "prefetch"),
        ({"isolation": "container"}, "isolation"),
        ({"name": "no spaces"}, "task name"),
        ({"name": ""}, "task name"),
    ],
)
def test_a_task_that_makes_no_sense(app: Windlass, options: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        app.task(**options)(_noop)


def _noop() -> None: ...


def test_only_functions_are_tasks(app: Windlass) -> None:
    task = app.task(_noop)
    for wrong in (task, 42, "noop"):
        with pytest.raises(ConfigError, match="decorates a function"):
            app.task(wrong)  # type: ignore[arg-type]


def test_the_job_of_no_task() -> None:
    with pytest.raises(ConfigError, match="inside a running task"):
        current_job()


def test_a_job_parameter_that_cannot_be_given_by_name(app: Windlass) -> None:
    def wants(job: ActiveJob, /) -> None: ...

    with pytest.raises(ConfigError, match="must be accepted by name"):
        app.task(wants)


@pytest.mark.parametrize("value", [-0.1, 1.1, 40])
def test_progress_beyond_its_bounds(app: Windlass, value: float) -> None:
    raised: list[ConfigError] = []

    @app.task
    def report() -> None:
        try:
            current_job().progress(value)
        except ConfigError as error:
            raised.append(error)

    report.enqueue()
    drain(app)
    assert "between 0 and 1" in str(raised[0])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda app: app.jobs(state="done"), "state must be one of"),
        (lambda app: app.jobs(limit=0), "limit"),
        (lambda app: app.jobs(since=datetime(2026, 1, 1)), "since: .*no time zone"),  # noqa: DTZ001
        (lambda app: app.jobs(until="yesterday"), "until must be a datetime"),
        (lambda app: app.purge(state="everything"), "state must be one of"),
        (lambda app: app.purge(state="failed", older_than="long"), "older_than"),
        (lambda app: app.retry_all(to_queue="no spaces"), "queue name"),
        (lambda app: app.queue("no spaces"), "queue name"),
        (lambda app: app.enqueue("no spaces"), "task name"),
        (lambda app: app.configure(routes={"a.": "no spaces"}), "queue name"),
        (lambda app: app.configure(archive=42), "archive must be"),
        (lambda app: app.worker(["q"], lease="soon"), "lease"),
        (lambda app: app.worker(["q"], lease=0), "lease|heartbeat"),
        (lambda app: app.worker(["q"], lease="30s", heartbeat="20s"), "heartbeat must be at most half"),
        (lambda app: app.worker(["q"], heartbeat=0), "heartbeat"),
        (lambda app: app.worker(["q"], heartbeat_failures=0), "heartbeat_failures"),
        (lambda app: app.worker(["q"], grace=-1), "grace"),
    ],
)
def test_a_call_that_makes_no_sense(app: Windlass, call: Callable[[Windlass], object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        call(app)


def test_a_wait_that_makes_no_sense(app: Windlass) -> None:
    task = app.task(_noop)
    with inline(app):
        job = task.enqueue()
    with pytest.raises(ConfigError, match="timeout"):
        job.result(timeout=-1)
    with pytest.raises(ConfigError, match="timeout"):
        job.wait(timeout="soon")


def test_a_retry_with_a_wrong_queue_changes_nothing(app: Windlass) -> None:
    job = app.task(_noop).enqueue()
    job.cancel()
    with pytest.raises(ConfigError, match="queue name"):
        job.retry(queue="no spaces")
    assert job.refresh().state == "cancelled"


def test_a_snooze_that_makes_no_sense_is_a_failed_attempt(app: Windlass) -> None:
    @app.task(retry=Retry(attempts=1))
    def snoozes() -> None:
        raise Snooze("soon")

    job = snoozes.enqueue()
    with pytest.raises(Exception, match="Snooze: delay"):
        drain(app)
    assert job.refresh().state == "failed"


def test_an_empty_id_is_nobody_s(app: Windlass) -> None:
    for id in ("", "'; DROP TABLE windlass_job; --", "x" * 10_000, "\0"):
        with pytest.raises(JobNotFound):
            app.job(id)


def test_limits_and_rules_are_values() -> None:
    assert Limits() == Limits()
    assert Retry(base="1s") == Retry(base=1)
    with pytest.raises(AttributeError):
        Retry().attempts = 7  # type: ignore[misc]


def test_an_instant_at_the_edge_of_time(app: Windlass) -> None:
    job = app.task(_noop).options(at=datetime(9999, 12, 31, tzinfo=UTC)).enqueue()
    assert job.refresh().run_at.year == 9999
    assert app.task(_noop).options(at=datetime(1, 1, 2, tzinfo=UTC)).enqueue().state == "pending"
