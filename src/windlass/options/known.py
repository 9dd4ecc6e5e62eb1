"""Checks the names of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windlass.client.hints import hint_for_option, nearest
from windlass.errors import ConfigError

UNSET: Any = object()
"""Not given, where None has a meaning of its own."""


def check_known(
    given: Mapping[str, Any], known: tuple[str, ...], what: str = "option", *, of_jobs: tuple[str, ...] = ()
) -> None:
    """Reject unknown names, and suggest the nearest one that exists; ``of_jobs`` are options of one job alone."""
    for name in given:
        if name not in known:
            meant = _for_one_job(name) if name in of_jobs else hint_for_option(name) or nearest(name, known)
            raise ConfigError(f"unknown {what} {name!r}; {meant}")


def _for_one_job(name: str) -> str:
    """What to write on a task in place of an option of a job."""
    if name == "attempts":
        return "use retry=Retry(attempts=...)"
    return f"say it for one job: task.options({name}=...).enqueue(...)"
