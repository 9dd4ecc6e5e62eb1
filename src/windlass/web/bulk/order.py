"""What is to be done to which jobs, as it was when it was asked for: what comes or ends later is not meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, cast
from urllib.parse import urlencode

import msgspec

from windlass import clock
from windlass.client.client import Client
from windlass.core import validate
from windlass.core.rates.rate import read_gap
from windlass.core.state import FINISHED, WAITING, State, Verb, allowed_from
from windlass.errors import IllegalTransition
from windlass.insight.job_filter import JobFilter, shown_filter_for
from windlass.insight.job_page import MOST_COUNTED, job_count
from windlass.store.operation import Operation
from windlass.store.operations.queries import Filter

MOST_IDS = 1000
_TIMES = ("since", "until")


class BulkAction(StrEnum):
    """What is done to each of the jobs."""

    RETRY = "retry"
    CANCEL = "cancel"
    DELETE = "delete"

    @property
    def done(self) -> str:
        """As a participle."""
        return {"retry": "retried", "cancel": "cancelled", "delete": "deleted"}[self]

    @property
    def states(self) -> frozenset[State]:
        """In which states it may find a job."""
        return allowed_from(Verb(self.value))

    @property
    def states_meant(self) -> frozenset[State]:
        """The states that are meant where none is named. A retry of everything does not run scheduled jobs early."""
        if self is BulkAction.RETRY:
            return frozenset({State.FAILED, State.CANCELLED})
        return WAITING | {State.RUNNING} if self is BulkAction.CANCEL else self.states


class BulkOrder(msgspec.Struct, frozen=True, kw_only=True):
    """One change of many jobs. Sent twice, it is begun once."""

    id: str
    action: BulkAction
    frozen_at: int
    """When it was asked for, in milliseconds since 1970 by the store's clock."""
    parts: tuple[Filter, ...] = ()
    """The jobs, by filters that find each of them once."""
    ids: tuple[str, ...] = ()
    """The jobs, where they are named instead."""
    words: dict[str, str] = {}
    """The filter as a page of jobs takes it in its address, with absolute times."""
    counted: int | str = 0
    """How many jobs there were; ``1000+`` for more than are counted."""
    to_queue: str | None = None
    gap: float = 0.0
    """Milliseconds between two jobs that are retried."""
    reason: str | None = None

    @property
    def states(self) -> list[State]:
        """The states of the jobs that are meant, in the usual order."""
        found = {state for part in self.parts for state in part.states or ()}
        return [state for state in State if state in found]

    @property
    def at_least(self) -> int:
        """How many jobs there were at the least."""
        return self.counted if isinstance(self.counted, int) else int(self.counted.rstrip("+"))

    @property
    def query(self) -> str:
        """The filter as the query of an address."""
        return urlencode(self.words)

    def with_options(self, *, rate: str | None, to_queue: str | None, reason: str | None) -> BulkOrder:
        """The same with how it is to be done; ``ConfigError`` where that cannot be understood."""
        if to_queue is not None:
            validate.queue_name(to_queue)
        return msgspec.structs.replace(self, gap=read_gap(rate), to_queue=to_queue, reason=reason)


def order_by_filter(
    client: Client, action: BulkAction, given: JobFilter, *, now: int, id: str | None = None
) -> Operation[BulkOrder]:
    """An order for all jobs that a filter finds now; ``IllegalTransition`` where its state does not allow that."""
    filter = shown_filter_for(client, given)
    wanted = action.states_meant if filter.states is None else frozenset(filter.states)
    legal = tuple(state for state in State if state in wanted & action.states)
    if not legal:
        raise IllegalTransition(f"jobs that are {', '.join(sorted(wanted))} cannot be {action.done}")
    counted = yield from job_count(msgspec.structs.replace(filter, states=legal))
    return BulkOrder(
        id=id or new_id(),
        action=action,
        frozen_at=now,
        parts=tuple(_parts(filter, legal, now)),
        words=_words(given),
        counted=counted,
    )


def order_by_ids(action: BulkAction, ids: Sequence[str], *, now: int, id: str | None = None) -> BulkOrder:
    """An order for jobs that are named."""
    named = tuple(dict.fromkeys(ids))
    return BulkOrder(id=id or new_id(), action=action, frozen_at=now, ids=named, counted=len(named))


def new_id() -> str:
    """An id that no other change has."""
    return f"{clock.random_bits(64):016x}"


def written_count(counted: int | str) -> str:
    """
    >>> written_count(41), written_count("1000+")
    ('41', '1,000+')
    """
    return f"{counted:,}" if isinstance(counted, int) else f"{int(counted.rstrip('+')):,}+"


def is_exact(counted: int | str) -> bool:
    """Whether all were counted."""
    return isinstance(counted, int) and counted <= MOST_COUNTED


def _parts(filter: Filter, states: Sequence[State], now: int) -> list[Filter]:
    """Jobs that have ended by now, one filter for each state, for stores find those of one state faster; then those
    that were made by now and have not ended.
    """
    ended = [
        msgspec.structs.replace(filter, states=(state,), finished_before=now + 1)
        for state in states
        if state in FINISHED
    ]
    others = tuple(state for state in states if state not in FINISHED)
    until = now + 1 if filter.until is None else min(filter.until, now + 1)
    return [*ended, msgspec.structs.replace(filter, states=others, until=until)] if others else ended


def _words(given: JobFilter) -> dict[str, str]:
    words: dict[str, str] = {}
    values = {name: value for name, value in cast(Mapping[str, Any], given).items() if value is not None}
    for name, value in values.items():
        if isinstance(value, Mapping):
            words |= {f"{name}.{key}": text for key, text in value.items()}
        else:
            words[name] = value.isoformat() if name in _TIMES else str(value)
    return words
