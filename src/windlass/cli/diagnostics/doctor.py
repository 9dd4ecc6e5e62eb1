"""``windlass doctor``: what is wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.errors import PROBLEM
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.screen import Screen, Styled
from windlass.insight.diagnostics import forms
from windlass.insight.diagnostics.finding import Diagnosis, Finding, Level

_MARKS = {Level.OK: "ok", Level.NOTE: "note", Level.PROBLEM: "PROBLEM"}
_STYLES = {Level.OK: "green", Level.NOTE: "yellow", Level.PROBLEM: "bold red"}


@dataclass(frozen=True, slots=True)
class Findings:
    """A line for each finding, its remedy below it."""

    diagnosis: Diagnosis

    def data(self) -> object:
        return forms.diagnosis(self.diagnosis)

    def draw(self, screen: Screen) -> None:
        for finding in self.diagnosis.findings:
            screen.line(Styled(_MARKS[finding.level], _STYLES[finding.level]), f"  {_told(finding)}")
            if finding.remedy is not None:
                screen.line(Styled(f"    -> {finding.remedy}", "cyan"))
        number = len(self.diagnosis.problems)
        screen.line(f"{number} problem{'s' * (number != 1)}" if number else Styled("no problems", "green"))


def _told(finding: Finding) -> str:
    return f"{finding.subject}: {finding.text}"


@click.command()
@click.option("--stuck-after", default="1h", show_default=True, metavar="TIME", help="How long jobs may run or wait.")
@with_output
@with_app
def doctor(app: Windlass, *, out: Output, stuck_after: str) -> None:
    """Look for everything that is wrong: the store and what it promises, clocks, workers, queues, stuck jobs, limits,
    schedules. Exits with 1 when something has to be mended.
    """
    found = app.diagnose(stuck_after=stuck_after)
    out.show(Findings(found))
    if found.problems:
        raise click.exceptions.Exit(PROBLEM)
