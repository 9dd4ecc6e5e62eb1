"""The names of series: the app, its queues, tasks, workers, schedules, and its store."""

from __future__ import annotations

from windlass.core.figures.point import OTHER

ALL, STORE = "all", "store"
"""All jobs together, and what was read of the store as a whole."""
QUEUE, TASK, WORKER, SCHEDULE, PAIR = "queue", "task", "worker", "schedule", "pair"
"""The kinds of series that have names; a pair is a queue and a task, with a tab between them."""

_TURNS = (ALL, STORE, QUEUE, TASK, WORKER, SCHEDULE, PAIR)
"""Which kinds get room in a bucket first."""


def series(kind: str, name: str) -> str:
    """
    >>> series(QUEUE, "mail")
    'queue:mail'
    """
    return f"{kind}:{name}"


def pair(queue: str, task: str) -> str:
    """The series of the jobs of a task in a queue."""
    return series(PAIR, f"{queue}\t{task}")


def kind_of(name: str) -> str:
    return name.partition(":")[0]


def name_in(kind: str, name: str) -> str | None:
    """What a series of this kind is about; None for one of another kind."""
    found, _, about = name.partition(":")
    return about if found == kind else None


def task_in(queue: str, name: str) -> str | None:
    """The task of a series of a queue and a task; None for one of another queue or kind.

    >>> task_in("mail", pair("mail", "welcome")), task_in("mail", pair("other", "welcome"))
    ('welcome', None)
    """
    found, tab, task = (name_in(PAIR, name) or "").partition("\t")
    return task if tab and found == queue else None


def other_of(name: str) -> str:
    """The series for what has no room of its own."""
    return series(kind_of(name), OTHER)


def turn_of(name: str) -> tuple[int, str]:
    """By which series get room, one after another."""
    return _TURNS.index(kind_of(name)), name
