"""Finding a task in a child: its module is imported once, by the name that the worker's own code gave."""

from __future__ import annotations

from functools import cache, reduce
from importlib import import_module
from typing import Any

from windlass.errors import ConfigError
from windlass.task import Task


def place_of(task: Task[..., Any]) -> tuple[str, str]:
    """Module and name under which a child finds the task."""
    function = task.function
    return getattr(function, "__module__", ""), getattr(function, "__qualname__", "<unknown>")


@cache
def find(module: str, qualname: str, name: str) -> Task[..., Any]:
    """The task as this process knows it."""
    found = reduce(getattr, qualname.split("."), import_module(module))
    if isinstance(found, Task):
        return found
    for app in _apps(module):
        task: Task[..., Any] | None = app._registry.find(name)
        if task is not None:
            return task
    raise ConfigError(f"task {name!r} is not declared by module {module!r} in a child process")


def _apps(module: str) -> list[Any]:
    from windlass.app import Windlass

    return [value for value in vars(import_module(module)).values() if isinstance(value, Windlass)]
