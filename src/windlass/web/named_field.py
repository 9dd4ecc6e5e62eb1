"""Which field of a request the message of an error is about."""

from __future__ import annotations

import re
from collections.abc import Collection

_CLAUSE = re.compile(r"(?:^|: )([a-z_]+)(?: ([a-z]+))?")
"""The first words of a message, or of what stands behind its subject, as in ``schedule 'nightly': tz must be ...``."""

_ARGUMENTS = re.compile(r": (?:missing a required|too many positional) arguments?")
"""What is wrong with the arguments of a task is said behind the task."""

_OF_ITS_OWN = ("id", "name")
"""What messages call by the thing it belongs to: the ``id`` of a job, the ``name`` of a rule."""


def named_field(message: str, fields: Collection[str]) -> str | None:
    """The field that a message begins with, or that it names behind its subject; None where it names none.

    >>> named_field("schedule 'nightly': cron expression '61 * * * *': '61' is no minute", ["name", "cron", "tz"])
    'cron'
    >>> named_field("job id 'a b': use 1 to 128 printable characters", ["task", "id"])
    'id'
    >>> named_field("queue name 'a b': use letters and digits", ["queues", "limit"])
    'queues'
    >>> named_field("schedule 'nightly': task 'report': missing a required argument: 'day'", ["name", "task", "args"])
    'args'
    """
    if "args" in fields and _ARGUMENTS.search(message):
        return "args"
    for first, second in _CLAUSE.findall(message):
        for name in (f"{first}_{second}", first, f"{first}s", second if second in _OF_ITS_OWN else ""):
            if name in fields:
                return str(name)
    return None
