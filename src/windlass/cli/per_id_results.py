"""Does one thing to several jobs, and prints the result of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import click

from windlass.app import Windlass
from windlass.cli.errors import PROBLEM, print_error
from windlass.cli.ids import whole_id
from windlass.cli.output import Output
from windlass.cli.terminal.screen import Screen
from windlass.errors import IllegalTransition, JobNotFound


@dataclass(frozen=True, slots=True)
class PerIdResults:
    """Ids by what was done, and ids that could not be changed, with the reason."""

    done: dict[str, list[str]]
    errors: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    """A note on an id, for people."""
    of: str = "id"
    """The key of an error in JSON."""

    def data(self) -> object:
        errors = [{self.of: id, "error": error} for id, error in self.errors.items()]
        return {**self.done, "errors": errors}

    def draw(self, screen: Screen) -> None:
        for word, ids in self.done.items():
            for id in ids:
                screen.line(f"{id}  {word.replace('_', ' ')}{self.notes.get(id, '')}")

    def show(self, out: Output) -> None:
        """Print the results, and exit with 1 if one of them is an error."""
        out.show(self)
        for reason in self.errors.values():
            print_error(reason)
        if self.errors:
            click.get_current_context().exit(PROBLEM)


def for_each(
    ids: Sequence[str],
    act: Callable[[str], str],
    *,
    app: Windlass,
    out: Output,
    words: Sequence[str],
    notes: dict[str, str] | None = None,
) -> None:
    """Call ``act`` for every job; it returns one of ``words``. A job for which it fails is printed as an error, and the
    others go on. What ``act`` has put into ``notes`` is printed behind its job.

    The beginning of an id is enough where it is unique.
    """
    tally = PerIdResults({word: [] for word in words}, notes={} if notes is None else notes)
    done: set[str] = set()
    for given in dict.fromkeys(ids):
        try:
            id = whole_id(app, given)
            if id not in done:
                done.add(id)
                tally.done[act(id)].append(id)
        except (JobNotFound, IllegalTransition) as error:
            tally.errors[given] = str(error)
    tally.show(out)
