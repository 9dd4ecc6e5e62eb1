"""Chooses the queue of a task whose jobs do not name one."""

from __future__ import annotations

from collections.abc import Mapping

from windlass.core import validate
from windlass.errors import ConfigError


class Routes:
    """Queues by the beginnings of task names; the longest beginning that fits counts.

    >>> Routes({"mail.": "mail", "mail.bulk.": "slow"}).queue_of("mail.bulk.newsletter")
    'slow'
    """

    def __init__(self, queues: object = None) -> None:
        if queues is None:
            queues = {}
        if not isinstance(queues, Mapping) or not all(isinstance(beginning, str) for beginning in queues):
            raise ConfigError(f"routes must be a dict, as in {{'mail.': 'letters'}}; got {queues!r}")
        self._queues = {beginning: validate.queue_name(queue) for beginning, queue in queues.items()}

    @property
    def queues(self) -> frozenset[str]:
        """All that are routed to."""
        return frozenset(self._queues.values())

    def queue_of(self, task: str) -> str | None:
        fitting = [beginning for beginning in self._queues if task.startswith(beginning)]
        return self._queues[max(fitting, key=len)] if fitting else None
