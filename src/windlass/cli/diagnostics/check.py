"""``windlass check``: a store against itself, or its waiting jobs against the code at hand."""

from __future__ import annotations

from dataclasses import dataclass

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.errors import PROBLEM
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.views.message import jobs_counted
from windlass.insight.diagnostics import forms
from windlass.insight.diagnostics.code import CodeCheck, Misfit
from windlass.insight.diagnostics.consistency import LOST_FOR_GOOD, Consistency, sentence


@dataclass(frozen=True, slots=True)
class Misfits:
    """Waiting jobs that the code cannot run, by task and reason."""

    found: CodeCheck

    def data(self) -> object:
        return forms.code_check(self.found)

    def draw(self, screen: Screen) -> None:
        columns = [
            Column(title="JOBS", is_number=True),
            Column(title="TASK", least=12),
            Column(title="WHY", least=20, good=30),
            Column(title="JOB", may_go=True),
        ]
        if self.found.misfits:
            screen.table(columns, [_row(one) for one in self.found.misfits])
        looked = jobs_counted(self.found.examined)
        screen.line(f"looked at {looked} that wait{'' if self.found.is_whole else '; there are more'}")


def _row(one: Misfit) -> list[Cell]:
    return [Styled(f"{one.count:,}", "bold red"), one.task, one.text, one.sample]


@dataclass(frozen=True, slots=True)
class Damages:
    """Where the store contradicts itself."""

    found: Consistency

    def data(self) -> object:
        return forms.consistency(self.found)

    def draw(self, screen: Screen) -> None:
        for one in self.found.damages:
            if one in self.found.mended:
                screen.line(Styled("mended", "green"), f"  {sentence(one)}")
            else:
                screen.line(Styled("WRONG", "bold red"), f"  {sentence(one)}")
        left = self.found.left
        looked = f"looked at {jobs_counted(self.found.examined)}: "
        screen.line(looked, Styled(f"{len(left)} wrong", "bold red") if left else Styled("all is consistent", "green"))
        if any(one.kind not in LOST_FOR_GOOD for one in left):
            screen.line("  -> windlass check --repair sets right what is safe to set right")


@click.command()
@click.option("--repair", is_flag=True, help="Set right what is safe to set right.")
@click.option("--code", is_flag=True, help="Compare the jobs that wait with the tasks of the app instead.")
@with_output
@with_app
def check(app: Windlass, *, out: Output, repair: bool, code: bool) -> None:
    """Walk through the store and compare what it holds with itself: jobs with their places and leases, counters, keys,
    tags, checksums of texts. Workers go on meanwhile. Exits with 1 when something is wrong.

    With --code: would the code about to be deployed run what waits? Unknown tasks, arguments that no longer fit.
    """
    if code and repair:
        raise click.UsageError("--repair is about the store, --code about the jobs that wait: choose one")
    if code:
        _check_code(app, out)
        return
    found = app.check(repair=repair)
    out.show(Damages(found))
    if found.left:
        raise click.exceptions.Exit(PROBLEM)


def _check_code(app: Windlass, out: Output) -> None:
    found = app.check_code()
    if not app.tasks:
        raise click.UsageError("--code needs the app with its tasks: name it with -A MODULE")
    out.show(Misfits(found))
    if found.misfits:
        raise click.exceptions.Exit(PROBLEM)
