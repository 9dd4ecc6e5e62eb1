"""Tasks, hooks and settings that could never work are refused where they are declared, with the remedy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from windlass import ActiveJob, ConfigError, Job, JobTimeout, Retention, Unique, Windlass
from windlass.client.config import _from_pyproject
from windlass.testing import ManualClock


@pytest.fixture
def app() -> Iterator[Windlass]:
    with Windlass("sqlite:///:memory:") as app:
        yield app


def _numbers() -> Iterator[int]:
    yield 1


async def _anumbers() -> AsyncIterator[int]:
    yield 1


class _Report:
    def send(self) -> None: ...

    @staticmethod
    def count(number: int) -> int:
        return number + 1


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (_numbers, "is a generator.*return a list"),
        (_anumbers, "is a generator.*return a list"),
        (_Report, "got the class '_Report'; declare a function"),
        (_Report.send, "'_Report.send' is a method.*at the top level"),
    ],
)
def test_what_would_never_do_its_work_is_no_task(app: Windlass, function: Callable[..., object], says: str) -> None:
    """A generator would not be run, a class or a method has no object."""
    with pytest.raises(ConfigError, match=says):
        app.task(function)
    assert app.tasks == []


def test_a_static_method_is_a_function(app: Windlass) -> None:
    counted = app.task(_Report.count).enqueue(1)
    app.worker().run_until_empty()
    assert counted.result(timeout=5) == 2


def test_a_hook_without_a_yield_is_refused(app: Windlass) -> None:
    """It would run before the task and fail every job of the app."""

    def log_run(job: ActiveJob) -> None:
        if job.attempt > 1:
            return
        print(job.id)

    with pytest.raises(ConfigError, match=r"hook .*log_run has no yield"):
        app.around_run(log_run)  # type: ignore[type-var]


def test_a_hook_that_makes_context_managers_is_welcome(app: Windlass) -> None:
    runs: list[str] = []

    @contextmanager
    def noted(job: ActiveJob) -> Iterator[None]:
        runs.append(job.task)
        yield

    app.around_run(noted)
    app.around_run(lambda job: noted(job))

    @app.task(name="noop")
    def noop() -> None: ...

    noop.enqueue()
    app.worker().run_until_empty()
    assert runs == ["noop", "noop"]


_TYPED = """
import sys
from windlass import ConfigError, Windlass
app = Windlass("sqlite:///:memory:")
exec(compile("def greet(): return 1", "<input-1>", "exec"))
first = app.task(name="greet")(greet)
exec(compile("def greet(): return 2", "<input-2>", "exec"))
second = app.task(name="greet")(greet)
job = app.enqueue("greet")
app.worker().run_until_empty()
print(job.result(timeout=5))
try:
    app.task(isolation="process", name="other")(greet)
except ConfigError as error:
    print(error)
"""


def test_a_task_that_is_typed_in_may_be_typed_in_again() -> None:
    """As in a notebook: the newest counts. A child process could not find it, which is said at once."""
    done = subprocess.run([sys.executable, "-c", _TYPED], capture_output=True, text=True, check=True)
    result, refusal = done.stdout.splitlines()
    assert result == "2"
    assert "isolation='process' needs a function" in refusal
    assert "put it into a file" in refusal


@pytest.mark.parametrize("given", [True, False])
def test_an_empty_store_url_is_refused(monkeypatch: pytest.MonkeyPatch, given: bool) -> None:
    """A variable that a deployment left empty must not become a file in the working folder."""
    monkeypatch.setenv("WINDLASS_URL", "")
    with pytest.raises(ConfigError, match="the store URL is empty"):
        Windlass("" if given else None)


def test_a_misspelt_setting_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WINDLASS_URL", raising=False)
    (tmp_path / "pyproject.toml").write_text("[tool.windlass]\nurls = 'sqlite:///jobs.db'\n")
    monkeypatch.chdir(tmp_path)
    _from_pyproject.cache_clear()
    with pytest.raises(ConfigError, match=r"\[tool\.windlass\] has no setting 'urls'; did you mean 'url'"):
        Windlass()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("eta", "use at="),
        ("countdown", "use delay="),
        ("defer", "use delay="),
        ("max_retries", "use attempts="),
        ("depends_on", r"use after=\[job\]"),
        ("acks_late", "leave it out: a job is always kept until it has ended"),
    ],
)
def test_options_of_other_systems_name_ours(app: Windlass, name: str, says: str) -> None:
    """On a task, in options, and where they were given among the arguments."""

    @app.task
    def noop() -> None: ...

    declarations: list[Any] = [app.task, noop.options]
    for declare in declarations:
        with pytest.raises(ConfigError, match=f"option '{name}'; {says}"):
            declare(**{name: 3})
    with pytest.raises(TypeError, match=f"options go before the call.*{says}"):
        noop.enqueue(**{name: 3})
    with pytest.raises(TypeError, match=r"options go before the call: task\.options\(delay="):
        noop.enqueue(delay=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "says"),
    [("at", r"task\.options\(at="), ("after", r"task\.options\(after="), ("attempts", r"use retry=Retry\(attempts=")],
)
def test_an_option_of_one_job_on_a_task_says_where_it_goes(app: Windlass, name: str, says: str) -> None:
    """What the hints for people from elsewhere name is not told to be unknown again."""
    declare: Any = app.task
    with pytest.raises(ConfigError, match=f"unknown task option '{name}'; .*{says}"):
        declare(**{name: 3})


@pytest.mark.parametrize(
    ("name", "says"),
    [("apply_async", r"task\.options\(\.\.\.\)\.enqueue"), ("send", "enqueue"), ("defer", "enqueue"), ("s", "request")],
)
def test_methods_of_other_systems_name_ours(app: Windlass, name: str, says: str) -> None:
    """The error is still the one that ``hasattr`` and ``getattr`` expect."""

    @app.task
    def noop() -> None: ...

    # Events are sent by the app.
    for one in (noop, noop.options(priority=1), *(() if name == "send" else (app,))):
        assert not hasattr(one, name)
        with pytest.raises(AttributeError, match=f"no attribute '{name}'; use .*{says}"):
            getattr(one, name)
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        _ = noop.nonsense  # type: ignore[attr-defined]


def test_a_wait_that_is_over_tells_what_holds_the_job(app: Windlass) -> None:
    @app.task(queue="mail")
    def noop() -> None: ...

    job: Job[None] = noop.enqueue()
    with pytest.raises(JobTimeout, match="it is pending: no worker serves queue 'mail'"):
        job.result(timeout=0.01)
    later = noop.options(delay="1h").enqueue()
    with pytest.raises(JobTimeout, match="s; it is scheduled, due in 1:00:00"):
        later.result(timeout=0.01)


def test_a_handle_shows_its_arguments(app: Windlass) -> None:
    @app.task
    def add(a: int, b: int = 0) -> int:
        return a + b

    job = add.enqueue(1, b=2)
    assert (app.job(job.id).args, job.kwargs) == ((1,), {"b": 2})


def test_no_retry_means_one_attempt(app: Windlass) -> None:
    """On a task and on one job."""

    @app.task(retry=False)
    def once() -> None: ...

    @app.task
    def often() -> None: ...

    jobs = [once.enqueue(), often.options(retry=False).enqueue(), often.enqueue()]
    assert [job.max_attempts for job in jobs] == [1, 1, 4]


@pytest.mark.parametrize("state", ["completed", "failed", "cancelled"])
def test_a_retention_of_nothing_could_mean_two_things(state: str) -> None:
    with pytest.raises(ConfigError, match=f"None keeps {state} jobs for ever, '1s' deletes them after a second"):
        Retention(**{state: 0})


def test_how_long_manual_claims_last_can_be_set_for_the_app() -> None:
    clock = ManualClock()
    with Windlass("sqlite:///:memory:", claim_lease="1m", clock=clock) as app:
        app.enqueue("noop")
        app.enqueue("noop")
        [short], [long] = app.claim(), app.claim(lease="10m")
        clock.advance("2m")
        assert [rescued.id for rescued in app.rescue()] == [short.id]
        assert long.id != short.id
    with pytest.raises(ConfigError, match="claim_lease must be longer than 0"):
        Windlass("sqlite:///:memory:", claim_lease=0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cache": "0s"}, "cache must be longer than 0"),
        ({"cache": "soon"}, "cache"),
        ({"cache_key": "all"}, "needs cache="),
        ({"cache": "1m", "cache_key": 7}, "cache_key must be a text or a function"),
        ({"cache": "1m", "cache_key": ""}, "cache key"),
        ({"cache": "1m", "unique": Unique()}, "cache and unique exclude each other"),
    ],
)
def test_a_cache_that_could_never_work(app: Windlass, options: dict[str, Any], said: str) -> None:
    """B29: refused where it is declared."""
    with pytest.raises(ConfigError, match=said):
        app.task(name="page", **options)(lambda number: number)


def test_options_that_contradict_a_cache(app: Windlass) -> None:
    """B29: refused before anything is stored, with the task's name."""
    cached = app.task(name="cached", cache="1m", cache_key=lambda number, **_: number)(lambda number: number)
    plain = app.task(name="plain")(lambda number: number)
    with pytest.raises(ConfigError, match="'cached': cache and unique exclude each other"):
        cached.options(unique="own").enqueue(1)
    with pytest.raises(ConfigError, match="'plain' has no cache"):
        plain.options(cache_key="own").enqueue(1)
    with pytest.raises(ConfigError, match="'elsewhere' is not registered here"):
        app.enqueue(app.request("elsewhere").but(cache="1m"))
    with pytest.raises(ConfigError, match="'cached': cache key 1: use 1 to 256"):
        cached.enqueue(1)
    with pytest.raises(ConfigError, match="its cache_key raised ZeroDivisionError"):
        app.task(name="raises", cache="1m", cache_key=lambda **_: str(1 / 0))(lambda: None).enqueue()
    assert app.jobs() == []
