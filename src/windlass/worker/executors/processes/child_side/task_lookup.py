"""Finds a task in a child by the module and name that the worker gave."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache, lru_cache, reduce
from importlib import import_module
from typing import Any

from windlass.client.owner import ClientOwner
from windlass.errors import ConfigError
from windlass.task import Task


@lru_cache(maxsize=4096)
def place_of(task: Task[..., Any]) -> tuple[str, str]:
    """Module and name under which a child finds the task, or the app that has it; ``ConfigError`` if there is none."""
    module, qualname = getattr(task.function, "__module__", ""), getattr(task.function, "__qualname__", "")
    there = _at(module, qualname)
    if there is not task:
        home = _home_of(task.app)
        if home is not None:
            return home
    if not isinstance(there, Task):
        raise ConfigError(
            f"task {task.name!r}: isolation='process' needs an app, or a function that is decorated as a task, at the "
            f"top level of a module, where a child process finds it; {module}.{qualname} is neither"
        )
    return module, qualname


def check_places(tasks: Iterable[Task[..., Any]]) -> None:
    """Raise ``ConfigError`` for a task that no child would find."""
    for task in tasks:
        if task.is_isolated:
            place_of(task)


@cache
def find(module: str, qualname: str, name: str) -> Task[..., Any]:
    """The task, in this process."""
    home: object = import_module(module)
    try:
        found = reduce(getattr, qualname.split("."), home)
    except AttributeError as error:
        raise ConfigError(
            f"task {name!r}: there is no {qualname!r} in module {module!r} in a child process; what stands under "
            "`if __name__ == '__main__':` is not there, so put the app and its tasks above that"
        ) from error
    if isinstance(found, ClientOwner):
        found.client.load_included()
        found = found.client.registry.find(name)
    if not isinstance(found, Task):
        raise ConfigError(f"task {name!r} is not declared by module {module!r} in a child process")
    return found


def _at(module: str, qualname: str) -> object:
    try:
        return reduce(getattr, qualname.split("."), sys.modules[module])
    except (KeyError, AttributeError):
        return None


def _home_of(app: ClientOwner) -> tuple[str, str] | None:
    """Where an app is at the top level of a module."""
    for module, content in list(sys.modules.items()):
        for name, value in list(getattr(content, "__dict__", {}).items()):
            if value is app:
                return module, name
    return None
