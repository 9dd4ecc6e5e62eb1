"""Concurrency keys as people see them: the limits of tasks, and the keys that jobs hold."""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.core import validate
from windlass.core.limits.concurrency import shown_key, stored_key, task_of_key
from windlass.core.state import State
from windlass.errors import ConfigError
from windlass.store.operation import Operation
from windlass.store.operations.limits.concurrency import BusyKeyRecord, KeyLimitRecord, busy, limits


@dataclass(frozen=True, slots=True)
class ConcurrencyView:
    """How many jobs of a task with the same key may run at once."""

    task: str
    limit: int
    """What holds."""
    declared: int | None
    """What code says; None: nothing."""
    changed_at: datetime | None
    """When an operator has set it; None where the code decides."""
    changed_by: str | None


@dataclass(frozen=True, slots=True)
class BusyKey:
    """A concurrency key that jobs hold, at the moment of the read."""

    task: str
    key: str
    limit: int
    """How many jobs may hold it."""
    held: int
    """How many do: they run, or are to run next."""
    waiting: int
    """How many wait for it, counted up to 1,000."""
    holders: list[tuple[str, State]]
    """The first five that hold it, id and state."""


class BusyKeyPage(list[BusyKey]):
    """Keys by task and key. ``next`` is the cursor of the next page, or None on the last one.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> jobs = [app.enqueue(app.request("sync", concurrency_key=key)) for key in ("user-1", "user-2")]
    >>> claimed = app.claim(2)
    >>> page = app.busy_keys(limit=1)
    >>> [busy.key for busy in [*page, *app.busy_keys(cursor=page.next)]]
    ['user-1', 'user-2']
    >>> app.close()
    """

    def __init__(self, keys: Iterable[BusyKey], next: str | None) -> None:
        super().__init__(keys)
        self.next = next


def concurrency_view(task: str) -> Operation[ConcurrencyView]:
    """That of one task; without a limit it is 1, as for all keys."""
    found = yield from limits(task)
    return _view(found[0] if found else KeyLimitRecord(task))


def concurrency_views() -> Operation[list[ConcurrencyView]]:
    """Of all tasks that have limits, by name."""
    return [_view(limit) for limit in (yield from limits())]


def busy_keys(task: str | None, limit: int, cursor: str | None) -> Operation[BusyKeyPage]:
    """The next keys behind ``cursor`` that jobs hold, of one task or of all."""
    validate.whole_number(limit, "limit", least=1, most=1000)
    of = "" if task is None else stored_key(validate.task_name(task), "")
    found = yield from busy(of=of, after="" if cursor is None else _read_cursor(cursor), limit=limit)
    return BusyKeyPage(map(_busy, found), _cursor(found[-1].name) if len(found) == limit else None)


def _view(record: KeyLimitRecord) -> ConcurrencyView:
    decided = record.declared if record.concurrency is None else record.concurrency
    return ConcurrencyView(
        task=record.task,
        limit=1 if decided is None else decided,
        declared=record.declared,
        changed_at=clock.instant_or_none(record.changed_at),
        changed_by=record.changed_by,
    )


def _busy(record: BusyKeyRecord) -> BusyKey:
    key = shown_key(record.name) or ""
    return BusyKey(task_of_key(record.name), key, record.most, record.held, record.waiting, record.holders)


def _cursor(name: str) -> str:
    """The name of a key in characters that a command line takes as they are.

    >>> _read_cursor(_cursor("sync\\nuser-7"))
    'sync\\nuser-7'
    """
    return urlsafe_b64encode(name.encode()).decode().rstrip("=")


def _read_cursor(text: str) -> str:
    try:
        return b64decode(f"{text}{'=' * (-len(text) % 4)}", altchars="-_", validate=True).decode()
    except (ValueError, TypeError):
        raise ConfigError(f"{text!r} is no cursor; take the `next` of the page before") from None
