"""Functions that nobody has declared as tasks."""

from __future__ import annotations

from os import getcwd

__all__ = ["getcwd", "greet"]


def greet(name: str, *, greeting: str = "hello") -> str:
    return f"{greeting} {name}"
