"""Rejects functions that cannot be tasks, when they are declared."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from windlass.errors import ConfigError


def check_task_function(function: Callable[..., Any]) -> None:
    """Reject what can be called but would never do its work as a task."""
    if inspect.isclass(function):
        raise ConfigError(
            f"@app.task decorates a function, got the class {function.__qualname__!r}; "
            "declare a function that makes the object and calls it"
        )
    name = getattr(function, "__qualname__", repr(function))
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ConfigError(
            f"task {name!r} is a generator, and nothing would run what stands in it; "
            "return a list, or enqueue one job for each item"
        )
    if _is_method(function, name):
        raise ConfigError(
            f"task {name!r} is a method, and a worker has no object to call it on; declare a function at the top level "
            "of a module, or a staticmethod, and give it what it needs as arguments"
        )


def check_importable(function: Callable[..., Any], task: str) -> None:
    """Refuse a function that no child process could find."""
    needs = f"task {task!r}: isolation='process' needs a function at the top level of a module"
    if "<" in getattr(function, "__qualname__", "<"):
        raise ConfigError(f"{needs}, because a child process has to find it there")
    if is_interactive(function):
        raise ConfigError(
            f"{needs} that can be imported; this one was typed into a notebook or an interpreter: put it into a file "
            "and import it from there"
        )


def is_interactive(function: Callable[..., Any]) -> bool:
    """Whether it was typed in: into a notebook, or at the prompt of an interpreter."""
    names = getattr(inspect.unwrap(function), "__globals__", {})
    return getattr(function, "__module__", None) == "__main__" and "__file__" not in names


def _is_method(function: Callable[..., Any], name: str) -> bool:
    """Whether it stands in the body of a class and wants the object, or the class, first."""
    owner = name.rpartition(".")[0]
    if not owner or owner.endswith("<locals>") or isinstance(function, staticmethod):
        return False
    return next(iter(inspect.signature(function).parameters), None) in ("self", "cls")
