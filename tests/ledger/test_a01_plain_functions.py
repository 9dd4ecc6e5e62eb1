"""Functions that nobody declared as tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.ledger import plain_functions
from tests.ledger.apps import Apps, nothing_stored, work
from windlass import ConfigError, Request, State, Windlass

pytestmark = pytest.mark.varied_on("sqlite")


def test_a_plain_function_is_registered_on_the_spot(app: Windlass) -> None:
    """A1: an undecorated function of a module is known as module:qualname and runs in this process's workers."""
    job = app.enqueue(plain_functions.greet, "Ada", greeting="good day")
    assert job.task == "tests.ledger.plain_functions:greet"
    work(app)
    assert job.result() == "good day Ada"


def test_another_process_resolves_a_plain_function_below_its_own_prefixes(app: Windlass, new_app: Apps) -> None:
    """A1: importable=[...] of the worker's app, not the producer's, lets it find the function."""
    job = app.enqueue(plain_functions.greet, "Ada")
    work(new_app(importable=["tests.ledger."]), queues=["default"])
    assert job.result() == "hello Ada"


@pytest.mark.parametrize("importable", [[], ["tests.store."], ["tests.ledger.pla"], ["ledger."]])
def test_without_the_prefix_a_plain_function_waits_as_unknown(
    app: Windlass, new_app: Apps, importable: list[str]
) -> None:
    """A1: a worker that may not import it leaves the job, and why names the setting."""
    job = app.enqueue(plain_functions.greet, "Ada")
    work(new_app(importable=importable), queues=["default"])
    job.refresh()
    assert (job.state, job.reason, job.attempt) == (State.SCHEDULED, "unknown_task", 0)
    assert "importable=" in job.why()


@pytest.mark.parametrize(
    "name",
    [
        "tests.ledger.never_imported:run",  # a module that is not below the prefix
        "tests.ledger.never_imported.run",  # no colon: the name of a declared task, or of nothing
        "tests.ledger.plain_functions:getcwd",  # a name that the module only borrowed
        "tests.ledger.plain_functions:missing",
        "tests.ledger.plain_functions:greet.__globals__",
        "tests.ledger.plain_functions:__doc__",
    ],
)
def test_no_other_stored_name_is_ever_imported(app: Windlass, new_app: Apps, name: str) -> None:
    """A1: what is not an own function of an allowed module waits as an unknown task."""
    [job] = app.enqueue_many([Request(name, (), {})])
    work(new_app(importable=["tests.ledger.plain_functions"]), queues=["default"])
    assert job.refresh().reason == "unknown_task"
    assert "tests.ledger.never_imported" not in sys.modules


class Greeter:
    def greet(self) -> None: ...

    def __call__(self) -> None: ...


def a_closure() -> Callable[[], int]:
    number = 1
    return lambda: number


@pytest.mark.parametrize("function", [lambda: None, a_closure(), Greeter().greet, Greeter(), Greeter, 42])
def test_what_no_worker_could_find_is_refused(app: Windlass, function: Any) -> None:
    """A1: lambdas, closures and other nameless things are a clear error, with nothing stored."""
    with pytest.raises(ConfigError, match="top level of a module"):
        app.enqueue(function)
    assert nothing_stored(app)
