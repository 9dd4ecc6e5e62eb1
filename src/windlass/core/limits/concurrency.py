"""Concurrency keys: of one task, at most so many jobs with the same key run at once.

A key belongs to its task, so stores keep both in one text: the task and the key, a line each. It is also the name of
the gate at which blocked jobs of the key wait.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from windlass.core import validate
from windlass.errors import ConfigError

LONGEST = 256
"""Characters of a key."""
WHOLE_TASK = "*"
"""The key of all jobs of a task that has a limit and no key."""

OPTION = "concurrency_key"
"""The option of tasks and jobs; rates have keys of the same kind under an option of their own."""
KeyRule = str | Callable[..., str]
"""A key, or what makes one of the arguments of a call, which it is given by name."""


def checked_key(key: object, where: str, option: str = OPTION) -> str:
    """A legal key, or ``ConfigError`` that says where it comes from; a long one is not repeated in full."""
    if not isinstance(key, str) or not 1 <= len(key) <= LONGEST or not key.isprintable():
        what = option.replace("_", " ")
        raise ConfigError(f"{where}: {what} {validate.shortened(key)}: use 1 to {LONGEST} printable characters")
    return key


def checked_rule(rule: object, option: str = OPTION) -> None:
    """``ConfigError`` for what is neither a key nor a function that makes one."""
    if isinstance(rule, str):
        checked_key(rule, option, option)
    elif not callable(rule):
        raise ConfigError(
            f"{option} must be a text or a function of the task's arguments, as in "
            f"lambda user_id, **_: f'user-{{user_id}}'; got {rule!r}"
        )


def key_of_call(rule: KeyRule, task: str, arguments: Mapping[str, Any], option: str = OPTION) -> str:
    """The key of one call; ``ConfigError`` that names the task where there is none."""
    if isinstance(rule, str):
        return rule
    try:
        key = rule(**arguments)
    except Exception as error:  # user code
        raise ConfigError(
            f"task {task!r}: its {option} raised {type(error).__name__}: {error}; nothing was stored"
        ) from error
    return checked_key(key, f"task {task!r}", option)


def stored_key(task: str, key: str) -> str:
    """
    >>> stored_key("mail.send", "user-7")
    'mail.send\\nuser-7'
    """
    return f"{task}\n{key}"


def shown_key(stored: str | None) -> str | None:
    """
    >>> shown_key("mail.send\\nuser-7")
    'user-7'
    """
    return None if stored is None else stored.partition("\n")[2]


def task_of_key(stored: str) -> str:
    """
    >>> task_of_key("mail.send\\nuser-7")
    'mail.send'
    """
    return stored.partition("\n")[0]
