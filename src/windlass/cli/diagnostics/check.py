"""``windlass check``: the waiting jobs of a store against the code at hand."""

from __future__ import annotations

from dataclasses import dataclass

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_tasks
from windlass.cli.errors import PROBLEM
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.views.message import jobs_counted
from windlass.insight.diagnostics import forms
from windlass.insight.diagnostics.code import CodeCheck, Misfit


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


@click.command()
@click.option("--code", is_flag=True, required=True, help="Compare the jobs that wait with the tasks of the app.")
@with_output
@with_tasks
def check(app: Windlass, *, out: Output, code: bool) -> None:
    """Compare the jobs that wait with the code about to be deployed: unknown tasks, arguments that no longer fit. Exits
    with 1 when there are any.
    """
    found = app.check_code()
    out.show(Misfits(found))
    if found.misfits:
        raise click.exceptions.Exit(PROBLEM)
