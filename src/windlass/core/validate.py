"""Checks names and settings; raises ``ConfigError`` that names the setting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeVar

from windlass.errors import ConfigError

T = TypeVar("T")
_SHOWN = 256
"""A text of so many characters is repeated in full where it is refused."""


def shortened(value: object) -> str:
    """A value as errors show it: a text that is far too long is not repeated in full.

    >>> shortened("mail"), shortened("k" * 1000)
    ("'mail'", "'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk'... of 1,000 characters")
    """
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{value[:60]!r}... of {len(value):,} characters"
    return repr(value)


def of_kind(value: object, kind: type[T], name: str, *, example: str) -> T:
    """An instance of one of our own classes; the error shows how to make one."""
    if not isinstance(value, kind):
        raise ConfigError(f"{name} must be a {kind.__name__}, as in {example}; got {value!r}")
    return value


def flag(value: object, name: str) -> bool:
    """True or False, and no text: ``"no"`` would count as true."""
    if not isinstance(value, bool):
        raise ConfigError(f"{name} must be True or False, got {value!r}")
    return value


def texts(value: object, name: str, *, example: str) -> tuple[str, ...]:
    """Several texts; a single one is rejected, because it would count as a list of its letters."""
    found = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else None
    if found is None or not all(isinstance(text, str) for text in found):
        raise ConfigError(f"{name} takes a list of texts, as in {example}; got {shortened(value)}")
    return found


def listed(text: str) -> list[str]:
    """What a text names, with commas between; blanks around a name, and what is empty, do not count.

    >>> listed("mail, default,,")
    ['mail', 'default']
    """
    return [name for part in text.split(",") if (name := part.strip())]


def exception_classes(value: object, name: str) -> tuple[type[BaseException], ...]:
    """Exception classes, as ``isinstance`` takes them."""
    if not isinstance(value, tuple) or not all(isinstance(e, type) and issubclass(e, BaseException) for e in value):
        raise ConfigError(f"{name} must be a tuple of exception classes, as in (ValueError,); got {value!r}")
    return value


_QUEUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_LIMIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}")
_TASK = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:<>-]{0,254}")


def queue_name(name: object) -> str:
    """A legal queue name, or ``ConfigError``."""
    if not isinstance(name, str) or not _QUEUE.fullmatch(name):
        raise ConfigError(
            f"queue name {shortened(name)}: use letters, digits, '.', '_' and '-', at most 128, starting with a "
            "letter or digit"
        )
    return name


def limit_name(name: object) -> str:
    """A legal name of a limit, or ``ConfigError``."""
    return _plain_name(name, "limit")


def token_name(name: object) -> str:
    """A legal name of a token, or ``ConfigError``."""
    return _plain_name(name, "token")


def _plain_name(name: object, what: str) -> str:
    if not isinstance(name, str) or not _LIMIT.fullmatch(name):
        raise ConfigError(
            f"{what} name {shortened(name)}: use letters, digits and ._:/@-, at most 128, starting with a letter or "
            "digit"
        )
    return name


def task_name(name: object) -> str:
    """A legal task name, or ``ConfigError``."""
    if not isinstance(name, str) or not _TASK.fullmatch(name):
        raise ConfigError(f"task name {shortened(name)}: use letters, digits, '_', '.', ':' and '-', at most 255")
    return name


def schedule_name(name: object) -> str:
    """A legal name of a schedule, or ``ConfigError``."""
    if not isinstance(name, str) or not _TASK.fullmatch(name) or len(name) > 128:
        raise ConfigError(f"schedule name {shortened(name)}: use letters, digits, '_', '.', ':' and '-', at most 128")
    return name


def job_id(id: object) -> str:
    """An id of the user's own: printable text of at most 128 characters."""
    return _printable(id, "job id", most=128)


def step_name(name: object) -> str:
    """The name of a step of a job: printable text of at most 128 characters."""
    if not isinstance(name, str) or not 1 <= len(name) <= 128 or not name.isprintable() or name.startswith("#"):
        raise ConfigError(f"step name {shortened(name)}: use 1 to 128 printable characters, the first of them no '#'")
    return name


def event_name(name: object) -> str:
    """The name of an event that jobs wait for: printable text of at most 256 characters."""
    return _printable(name, "event name", most=256)


def unique_key(key: object) -> str:
    """A unique key: printable text of at most 512 characters."""
    return _printable(key, "unique key", most=512)


def _printable(text: object, what: str, *, most: int) -> str:
    if not isinstance(text, str) or not 1 <= len(text) <= most or not text.isprintable():
        raise ConfigError(f"{what} {shortened(text)}: use 1 to {most} printable characters")
    return text


_TAGS = 20
_TAG_TEXT = re.compile(r'[^\s"\\]([^"\\]*[^\s"\\])?')
_TAG = 128


def job_tags(given: object) -> tuple[str, ...]:
    """Tags as they are kept: each once, in order; the items of a dict as ``key=value``."""
    if isinstance(given, Mapping):
        found = tuple(_pair(key, value) for key, value in given.items())
    else:
        found = texts(given, "tags", example="['vip'], or a dict, as in {'plan': 'pro'}")
    tags = tuple(dict.fromkeys(job_tag(tag) for tag in found))
    if len(tags) > _TAGS:
        raise ConfigError(f"tags: a job has at most {_TAGS}, got {len(tags)}")
    return tags


def job_tag(tag: object) -> str:
    """One tag: printable text of at most 128 characters."""
    # Without quotes and backslashes a list of tags is JSON that scripts can read without decoding it.
    if not isinstance(tag, str) or not 1 <= len(tag) <= _TAG or not _TAG_TEXT.fullmatch(tag) or not tag.isprintable():
        raise ConfigError(
            f"tag {shortened(tag)}: use 1 to {_TAG} printable characters, no quotation marks, backslashes or spaces "
            "at the ends"
        )
    return tag


def _pair(key: object, value: object) -> str:
    if not isinstance(key, str) or not key or "=" in key:
        raise ConfigError(f"tags: the key {shortened(key)} must be a text without '='")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ConfigError(f"tags: the value of {shortened(key)} must be a text or a whole number, got {value!r}")
    return f"{key}={value}"


def priority(value: object) -> int:
    """A whole number from -100 to 100; higher runs first."""
    if isinstance(value, bool) or not isinstance(value, int) or not -100 <= value <= 100:
        raise ConfigError(f"priority must be a whole number from -100 to 100, got {value!r}")
    return value


def whole_number(value: object, name: str, *, least: int, most: int = 2**31 - 1) -> int:
    """A whole number within bounds, or ``ConfigError`` that names the setting."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ConfigError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    return value


def milliseconds_since_1970(moment: object, name: str) -> int:
    """An aware ``datetime`` as the stores keep it; naive ones are rejected, for their zone is unknown."""
    if not isinstance(moment, datetime):
        raise ConfigError(f"{name} must be a datetime, got {moment!r}")
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise ConfigError(f"{name}: {moment!r} has no time zone; write datetime(..., tzinfo=UTC)")
    return round(moment.timestamp() * 1000)
