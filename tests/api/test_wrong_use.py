"""Every wrong call is refused with an error that names what is wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from windlass import ActiveJob, ConfigError, JobNotFound, Limits, Retry, Snooze, Unique, Windlass, current_job
from windlass.testing import drain, inline, manual


@pytest.fixture
def app() -> Windlass:
    return Windlass("sqlite:///:memory:")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://host/db", "unknown kind 'mysql'"),
        ("windlass.db", "unknown kind"),
        ("me:hush@host/db", "store URL 'host/db': unknown kind 'me'"),
        ("sqlite://jobs.db", "three slashes"),
        ("sqlite:///", "names no file"),
        ("sqlite:///jobs.db?speed=high", "unknown option 'speed'"),
        ("sqlite:///jobs.db?news=auto&news=poll", "option 'news' is given 2 times"),
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
        ({"namespace": 7}, "namespace 7"),
        ({"include": "shop.tasks"}, "include takes a list of texts"),
        ({"include": ["shop/tasks.py"]}, "include: 'shop/tasks.py' is no name of a module.*'shop.tasks'"),
        ({"importable": None}, "importable takes a list of texts.* got None"),
        ({"importable": [7]}, r"importable takes a list of texts.* got \[7\]"),
        ({"types": int}, "types takes a list of classes.* got <class 'int'>"),
        ({"archive": 42}, "archive must be"),
        ({"archive": ""}, "archive must be"),
        ({"early_cleaning": 85}, "early_cleaning must be a share between 0 and 1, such as 0.85, or None; got 85"),
        ({"early_cleaning": True}, "early_cleaning must be a share"),
        ({"store_deadline": "soon"}, "store_deadline"),
        ({"clock": 3}, "clock must be a function that gives milliseconds since 1970, got 3"),
        ({"store_deadline": 0}, "store_deadline must be longer than 0"),
        ({"retry": 3}, r"retry must be a Retry, as in Retry\(attempts=3\); got 3"),
        ({"retry": 0}, "retry must be a Retry.* got 0"),
        ({"retention": "7d"}, r"retention must be a Retention, as in Retention\(completed=\"7d\"\); got '7d'"),
        ({"limits": {"payload": 9}}, "limits must be a Limits"),
        ({"give_up_on": ValueError}, "give_up_on must be a tuple of exception classes"),
        ({"url": Path("jobs.db")}, "store URL must be a text such as 'sqlite:///jobs.db'"),
    ],
)
def test_an_app_that_makes_no_sense(options: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Windlass(**{"url": "sqlite:///:memory:"} | options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"queue": "no spaces"}, "queue name"),
        ({"timeout": 0}, "timeout must be longer than 0"),
        ({"timeout": "soon"}, "timeout"),
        ({"priority": "high"}, "priority must be .* got 'high'"),
        ({"retry": 3}, r"retry must be a Retry, as in Retry\(attempts=3\); got 3"),
        ({"unique": True}, r"unique must be a Unique, as in Unique\(by=\('user_id',\)\); got True"),
        ({"unique": "user_id"}, "unique must be a Unique"),
        ({"prefetch": 5}, "prefetch"),
        ({"isolation": "container"}, "isolation"),
        ({"recycle_after": 9}, "recycle_after=9 .* needs isolation='process'"),
        ({"max_memory": "1GB", "isolation": "thread"}, "max_memory='1GB' .* needs isolation='process'"),
        ({"recycle_after": 0, "isolation": "process"}, "recycle_after must be"),
        ({"max_memory": "much", "isolation": "process"}, "max_memory must be"),
        ({"retry_on": ValueError}, "retry_on must be a tuple of exception classes"),
        ({"give_up_on": None}, "give_up_on must be a tuple of exception classes"),
        ({"retry_abandoned": "no"}, "retry_abandoned must be True or False, got 'no'"),
        ({"keep_log": "no"}, "keep_log must be True or False, got 'no'"),
        ({"tags": "vip"}, "tags takes a list of texts"),
        ({"nme": "mail"}, "unknown task option 'nme'; did you mean 'name'"),
        ({"name": "no spaces"}, "task name"),
        ({"name": ""}, "task name"),
    ],
)
def test_a_task_that_makes_no_sense(app: Windlass, options: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        app.task(**options)(_noop)


def _noop() -> None: ...


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"meta": [1]}, r"meta must be a dict.* got \[1\]"),
        ({"meta": "tenant"}, "meta must be a dict"),
        ({"retry": 3}, "retry must be a Retry"),
        ({"tags": "vip"}, r"tags takes a list of texts, as in \['vip'\], or a dict, .*; got 'vip'"),
        ({"tags": [7]}, "tags takes a list of texts"),
        ({"tags": 7}, "tags takes a list of texts"),
        ({"tags": [""]}, "tag '': use 1 to 128 printable characters"),
        ({"tags": ["x" * 129]}, "use 1 to 128 printable"),
        ({"tags": ["a\nb"]}, "use 1 to 128 printable"),
        ({"tags": [" a"]}, "spaces at the ends"),
        ({"tags": ['say "hi"']}, "no quotation marks"),
        ({"tags": ["a\\b"]}, "backslashes"),
        ({"tags": ["\ud800"]}, "use 1 to 128 printable"),
        ({"tags": [f"{number}" for number in range(21)]}, "tags: a job has at most 20, got 21"),
        ({"tags": {"plan": None}}, "tags: the value of 'plan' must be a text or a whole number, got None"),
        ({"tags": {"plan": True}}, "tags: the value of 'plan' must be"),
        ({"tags": {7: "x"}}, "tags: the key 7 must be a text without '='"),
        ({"tags": {"a=b": "x"}}, "tags: the key 'a=b' must be"),
        ({"correlation_id": 7}, "correlation_id must be a text, got 7"),
        ({"delay": "soon"}, "delay must look like"),
        ({"at": "tomorrow"}, "at must be a datetime, got 'tomorrow'"),
        ({"timeout": 0}, "timeout must be longer than 0"),
        ({"unique": True}, "unique must be a text or a Unique, got True"),
        ({"attempts": 0}, "attempts must be"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_is_enqueued(
    app: Windlass, options: Any, says: str
) -> None:
    task = app.task(_noop)
    with pytest.raises(ConfigError, match=says):
        task.options(**options)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Retry(jitter="much"), "Retry: jitter must lie between 0 and 1, got 'much'"),  # type: ignore[arg-type]
        (lambda: Retry(factor=None), "Retry: factor must be a number"),  # type: ignore[arg-type]
        (lambda: Retry(custom=3), "Retry: custom must be a function"),  # type: ignore[arg-type]
        (lambda: Unique(by="user_id"), "Unique: by takes a list of texts"),  # type: ignore[arg-type]
        (lambda: Unique(by=(7,)), "Unique: by takes a list of texts"),  # type: ignore[arg-type]
        (lambda: Limits(payload="1MB"), "Limits: payload must be a whole number"),  # type: ignore[arg-type]
        (lambda: Limits(depth=0), "Limits: depth must be a whole number"),
    ],
)
def test_a_rule_that_makes_no_sense(make: Callable[[], object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make()


def test_names_of_arguments_may_come_as_a_list() -> None:
    assert Unique(by=["user_id"]) == Unique(by=("user_id",))  # type: ignore[arg-type]


def test_only_functions_are_tasks(app: Windlass) -> None:
    task = app.task(_noop)
    for wrong in (task, 42, "noop"):
        with pytest.raises(ConfigError, match="decorates a function"):
            app.task(wrong)  # type: ignore[arg-type]


def test_a_function_that_has_no_name_of_its_own_needs_one(app: Windlass) -> None:
    with pytest.raises(ConfigError, match="pass another one as name="):
        app.task(partial(print, "a"))
    assert app.task(name="prints")(partial(print, "a")).name == "prints"


_TYPED = """
from windlass import ConfigError, Windlass

app = Windlass("sqlite:///:memory:")

def greet() -> None: ...

for declare in (app.task, app.enqueue):
    try:
        declare(greet)
    except ConfigError as error:
        print(error)
"""


def test_a_program_that_is_typed_has_no_module_that_could_name_its_tasks() -> None:
    typed = subprocess.run([sys.executable, "-"], input=_TYPED, capture_output=True, text=True, check=True)
    task, plain = typed.stdout.splitlines()
    assert "task name '<stdin>.greet'" in task
    assert task.endswith("pass another one as name=")
    assert plain.endswith("register it with @app.task")


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

    with manual(app):
        report.enqueue()
        drain(app)
    assert "between 0 and 1" in str(raised[0])


async def _routes_later(task: str) -> str:
    return "mail"


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
        (lambda app: app.configure(routes=["a."]), "routes must be a dict"),
        (lambda app: app.configure(routes={7: "a"}), "routes must be a dict"),
        (lambda app: app.configure(routes="mail"), "routes must be a dict, .* or a function"),
        (lambda app: app.configure(routes=_routes_later), "routes must be a plain function"),
        (lambda app: Windlass(routes=["a."]), "routes must be a dict"),  # type: ignore[arg-type]
        (lambda app: app.configure(archive=42), "archive must be"),
        (lambda app: app.configure(retention="7d"), "retention must be a Retention"),
        (lambda app: app.queue("q").configure(retention="7d"), "retention must be a Retention"),
        (lambda app: app.queue("q").configure(retry=3), "retry must be a Retry"),
        (lambda app: app.request("a.b", "42"), "args takes a list of arguments"),
        (lambda app: app.request("a.b", [], ["x"]), "kwargs takes a dict"),
        (lambda app: app.enqueue_many([42]), "enqueue_many takes requests"),
        (lambda app: app.claim(queues="mail"), "claim: queues takes a list of texts"),
        (lambda app: app.worker(3), "queues must name"),
        (lambda app: app.worker("q"), "queues must name"),
        (lambda app: app.worker(["q"], duties="no"), "duties must be True or False"),
        (lambda app: app.worker(["q"], allow_commands="x"), "allow_commands must be True or False"),
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

    with manual(app):
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


LONG = "k" * 1_000_000


@pytest.mark.parametrize(
    "wrong",
    [
        lambda app: app.task(_noop).options(unique=LONG),
        lambda app: app.task(_noop).options(concurrency_key=LONG),
        lambda app: app.task(_noop).options(rate_key=LONG),
        lambda app: app.task(_noop).options(tags=[LONG]),
        lambda app: app.task(_noop).options(tags=LONG),
        lambda app: app.task(_noop).options(id=LONG),
        lambda app: app.queue(LONG).pause(),
        lambda app: app.limit(LONG),
        lambda app: app.request(LONG),
        lambda app: app.add_schedule(LONG, "noop", every="1m"),
    ],
)
def test_what_is_far_too_long_is_not_repeated_in_full(app: Windlass, wrong: Callable[[Windlass], object]) -> None:
    """A log line of a megabyte helps nobody."""
    with pytest.raises(ConfigError, match="1,000,000 characters") as raised:
        wrong(app)
    assert len(str(raised.value)) < 400
