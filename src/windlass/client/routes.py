"""Chooses the queue of a task whose jobs do not name one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from windlass.core import validate
from windlass.errors import ConfigError

RouteFunction = Callable[[str], str | None]
"""Gives the queue for the name of a task, or None."""


class Routes:
    """Queues by the beginnings of task names, the longest that fits counts; or by a function of the name.

    >>> Routes({"mail.": "mail", "mail.bulk.": "slow"}).queue_of("mail.bulk.newsletter")
    'slow'
    >>> Routes(lambda task: task.partition(".")[0]).queue_of("mail.welcome")
    'mail'
    """

    def __init__(self, routes: object = None) -> None:
        self._queues: dict[str, str] = {}
        self._function: RouteFunction | None = None
        if callable(routes):
            self._function = _checked(routes)
        elif isinstance(routes, Mapping) and all(isinstance(beginning, str) for beginning in routes):
            self._queues = {beginning: validate.queue_name(queue) for beginning, queue in routes.items()}
        elif routes is not None:
            raise ConfigError(
                "routes must be a dict, as in {'mail.': 'letters'}, or a function that takes a task's name and gives "
                f"its queue or None; got {routes!r}"
            )

    @property
    def are_fixed(self) -> bool:
        """Whether a task is always routed to the same queue; a function is asked for each enqueue."""
        return self._function is None

    @property
    def queues(self) -> frozenset[str]:
        """All that a table routes to."""
        return frozenset(self._queues.values())

    def queue_of(self, task: str) -> str | None:
        """The queue that is routed to, if there is one; ``ConfigError`` where the function fails or gives none."""
        if self._function is not None:
            return _asked(self._function, task)
        fitting = [beginning for beginning in self._queues if task.startswith(beginning)]
        return self._queues[max(fitting, key=len)] if fitting else None


def _checked(function: RouteFunction) -> RouteFunction:
    if inspect.iscoroutinefunction(function):
        raise ConfigError(f"routes must be a plain function, for sync code enqueues as well; {function!r} is async")
    return function


def _asked(function: RouteFunction, task: str) -> str | None:
    try:
        queue = function(task)
    except Exception as error:  # user code
        raise ConfigError(f"the route function failed for task {task!r}: {type(error).__name__}: {error}") from error
    try:
        return None if queue is None else validate.queue_name(queue)
    except ConfigError as error:
        raise ConfigError(f"the route function gave task {task!r} the queue {queue!r}: {error}") from None
