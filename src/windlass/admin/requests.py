"""Requests from outside, of the command line and of HTTP: names and JSON values, checked against the app's tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from windlass.client.client import Client
from windlass.errors import ConfigError, UnknownTask
from windlass.task import COMMAND, Request, complete


class RequestMaker(Protocol):
    """An app, as far as it makes requests."""

    @property
    def client(self) -> Client: ...

    def request(
        self, task: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **options: Any
    ) -> Request: ...


def outside_request(
    app: RequestMaker, task: str, args: Sequence[Any], kwargs: Mapping[str, Any], options: Mapping[str, Any]
) -> Request:
    """The request; ``ConfigError`` where an option is wrong or the arguments do not fit the task's function,
    ``UnknownTask`` where the app has tasks, but not this one.
    """
    try:
        request = complete(app.request(task, args, kwargs, **options))
    except TypeError as error:  # the arguments do not fit the task's function
        raise ConfigError(str(error)) from error
    refuse_unknown_task(app, task)
    return request


def refuse_unknown_task(app: RequestMaker, task: str) -> None:
    """An app rejects a task that it does not have; a store alone accepts any name."""
    known = sorted(one.name for one in app.client.registry)
    if not known or task == COMMAND or app.client.registry.find(task) is not None:
        return
    near = get_close_matches(task, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has: {', '.join(known)}"
    raise UnknownTask(f"the app has no task {task!r}; {hint}")
