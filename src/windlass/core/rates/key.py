"""Keys of rates: of the jobs of a task with the same key only so many begin in a time.

Stores keep the task and the key in one text, with a tab between them, which no key contains. It is also the name of the
token bucket, and of the gate at which blocked jobs of the key wait; gates of concurrency keys have a line feed there.
"""

from __future__ import annotations

from windlass.core.limits.concurrency import WHOLE_TASK

OPTION = "rate_key"
"""The option of tasks and jobs."""
BETWEEN = "\t"


def rate_gate(task: str, key: str) -> str:
    """
    >>> rate_gate("mail.send", "user-7")
    'mail.send\\tuser-7'
    """
    return f"{task}{BETWEEN}{key}"


def shown_gate(name: str) -> str:
    """The task, and the key unless it is that of the whole task; other names as they are.

    >>> [shown_gate(name) for name in ("mail.send\\tuser-7", "mail.send\\t*", "mail.send")]
    ["mail.send (rate key 'user-7')", 'mail.send', 'mail.send']
    """
    task, between, key = name.partition(BETWEEN)
    return f"{task} (rate key {key!r})" if between and key != WHOLE_TASK else task


def shown_rate_key(stored: str | None) -> str | None:
    """
    >>> shown_rate_key("mail.send\\tuser-7")
    'user-7'
    """
    return None if stored is None else stored.partition(BETWEEN)[2]
