"""The protocol of a store driver."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum
from typing import Protocol

from msgspec.json import encode

from windlass.errors import StoreNotFound, WindlassError
from windlass.store.caller.joined import Joined
from windlass.store.operation import Answer, Call


class DataRejected(WindlassError):
    """The store works but rejects these values; the same call without them would succeed."""


def json_text(value: object, *, store: str) -> str:
    """Rows as they travel to a store that speaks SQL; ``DataRejected`` for what the store has no room for."""
    try:
        return encode(value).decode()
    except (UnicodeError, OverflowError) as error:  # lone surrogates, too large numbers
        raise DataRejected(f"{store}: {error}") from error


def no_store(name: str, namespace: str) -> StoreNotFound:
    """The error of a call that only reads where there is no store."""
    return StoreNotFound(
        f"there is no store at {name} (namespace {namespace!r}); check the address, or make one: the first job, "
        "a worker and `windlass migrate` do"
    )


class Topic(Enum):
    """What a notification is about."""

    WORK = "work"
    """Jobs may be claimed that could not be claimed before."""
    FINISHED = "endings"
    """Jobs have finished."""
    CONTROL = "cancels"
    """There are orders for workers: stop running jobs, pause, apply other settings."""
    BACKLOG = "backlog"
    """Jobs were found that no worker has claimed, although it was notified of them."""

    __hash__ = object.__hash__  # of its own Enum has one that is written in Python, and every enqueue looks topics up


ALL_TOPICS = tuple(Topic)


class News(Protocol):
    """Notifies of commits of other processes; may be late, may be lost, is never needed for correctness."""

    def hears(self, topic: Topic) -> bool:
        """Whether notifications of this topic arrive at this moment, as far as is known."""

    def follow(self, topics: Collection[Topic]) -> None:
        """Subscribe to these topics from now on, and to no others; returns at once.

        A new topic is notified once when the subscription holds: notifications before that could not arrive.
        """

    def close(self) -> None:
        """Stop notifying."""


class Driver(Protocol):
    """Carries out calls, each as one atomic unit. Safe to use from many threads."""

    @property
    def name(self) -> str:
        """Where the jobs are, for people: an absolute path, or an address without its password."""

    @property
    def cycle_limit(self) -> int:
        """How many jobs one cycle may claim at the most before larger batches stop paying."""

    @property
    def smallest_cycle(self) -> int:
        """How many jobs one cycle should claim at the least where there are more: its own cost, such as a commit on
        disk, is shared by them.
        """

    def execute(self, call: Call) -> Answer:
        """Carry out one call. Where there is no store, one on a lane that writes makes it; others make nothing.

        Raises ``StoreNotFound`` then; ``StoreUnavailable``, ``OutcomeUnknown`` or ``DataRejected``; ``ConfigError``
        where the store is not one that we may use; ``AppClosed`` after ``close``.
        """

    def store(self, call: Call) -> Answer:
        """Carry out one call that stores jobs, and notify other processes of them."""

    def listen(
        self,
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
    ) -> News:
        """Call ``heard`` from a thread of the store's own soon after other processes notified of these topics.

        ``filled`` is called instead, with a queue, where it is known that jobs were added to that queue.
        """

    def notify(self, topic: Topic) -> None:
        """Notify other processes of something that was just committed here."""

    def join(self, connection: object) -> Joined:
        """The caller's own transaction, as a place to carry out calls in; does nothing on the connection yet.

        Raises ``ConfigError`` where the connection cannot be used, or the store has no such transactions.
        """

    def exists(self) -> bool:
        """Whether there is a store under this namespace already; only reads, where other calls would make one."""

    def make(self) -> None:
        """Make the store where there is none, for operations that read before they write; an existing one stays as it
        is.
        """

    def migrate(self) -> list[str]:
        """Make the store, or bring its schema up to date; the names of the steps taken."""

    def migration_sql(self) -> str:
        """What ``migrate`` would run, for a person to run; empty where nothing is missing or the store has no SQL."""

    def facts(self) -> dict[str, str]:
        """What a diagnosis has to know of the store: its version, that of its schema, and what decides whether it keeps
        what it has taken. Only reads.
        """

    def close(self) -> None:
        """Close every connection; later calls raise ``AppClosed``."""
