"""Changes all jobs that a filter finds, after a count and a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import click

from windlass.app import Windlass
from windlass.cli.app_option import Confirm
from windlass.cli.output import Output
from windlass.cli.views.message import Message, jobs_counted
from windlass.core.state import State, Verb, allowed_from
from windlass.insight.job_filter import JobFilter, filter_for
from windlass.insight.job_page import unsearched_note
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.queries import Filter

_COUNTED = 100_000
"""So many jobs are counted before a question at the most."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """A change that may be made to many jobs."""

    name: str
    done: str
    means: Verb
    act: Callable[[dict[str, Any]], int]
    """Changes all jobs that a filter with a state finds; how many."""

    @property
    def states(self) -> list[State]:
        """The states in which it is possible; all of them are meant where no state is given."""
        return [state for state in State if state in allowed_from(self.means)]


@dataclass(frozen=True, slots=True)
class _Counted:
    jobs: int
    unsearched: int
    """How many others have encrypted texts that a search for a text could not look into."""


def change_all(app: Windlass, bulk: Bulk, filter: dict[str, Any], *, out: Output, confirm: Confirm) -> None:
    """Ask, then make the change."""
    state = filter.pop("state")
    if state is not None and State(state) not in bulk.states:
        raise click.UsageError(f"jobs that are {state} cannot be {bulk.done}; {_listed(bulk.states)} ones can")
    filters = [{**filter, "state": one} for one in ([State(state)] if state else bulk.states)]
    counted = [app.client.session.run(_count(filter_for(app.client, cast(JobFilter, one)))) for one in filters]
    count = sum(one.jobs for one in counted)
    if count:
        least = "at least " if count >= _COUNTED else ""
        confirm(f"{bulk.name.capitalize()} {least}{jobs_counted(count)}?")
    changed = sum(bulk.act(one) for one in filters) if count else 0
    note = unsearched_note(sum(one.unsearched for one in counted))
    out.show(Message(f"{bulk.done} {jobs_counted(changed)}{'; ' if note else ''}{note}", {bulk.done: changed}))


def wants_many(ids: Sequence[str], everything: bool, filter: dict[str, Any]) -> bool:
    """Whether jobs are chosen by a filter, not by id; exactly one of both, or ``--all``, must be given."""
    has_filter = any(value is not None for value in filter.values())
    if [bool(ids), has_filter or everything].count(True) != 1:
        raise click.UsageError(
            "say which: ids, or --state, --queue, --task, --tag, --meta, --arg, --since, --until and --text, or --all"
        )
    return not ids


def _count(filter: Filter) -> Operation[_Counted]:
    jobs, unsearched, cursor = 0, 0, None
    while jobs < _COUNTED:
        found = yield from queries.matching(filter, limit=queries.WINDOW, cursor=cursor)
        jobs, unsearched, cursor = jobs + len(found.jobs), unsearched + found.unsearched, found.next
        if cursor is None:
            break
    return _Counted(jobs, unsearched)


def _listed(states: Sequence[State]) -> str:
    return f"{', '.join(states[:-1])} and {states[-1]}" if len(states) > 1 else str(states[0])
