"""Dead letters in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass import clock
from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age
from windlass.insight.json_forms import dead_groups
from windlass.store.operations.queries import DeadGroup


@dataclass(frozen=True, slots=True)
class DeadGroups:
    """Jobs that failed in the same way, the largest group first."""

    groups: Sequence[DeadGroup]

    def data(self) -> object:
        return dead_groups(self.groups)

    def draw(self, screen: Screen) -> None:
        if not self.groups:
            screen.line("no dead letters")
            return
        columns = [
            Column(title="JOBS", is_number=True),
            Column(title="TASK", least=10),
            Column(title="REASON"),
            Column(title="ERROR", least=10),
            Column(title="NEWEST", is_number=True, may_go=True),
        ]
        rows: list[list[Cell]] = [
            [Styled(f"{group.count:,}", "bold red"), group.task, group.reason or "", group.error or "", _newest(group)]
            for group in self.groups
        ]
        screen.table(columns, rows)


def _newest(group: DeadGroup) -> str:
    return "-" if group.newest is None else age(clock.instant(group.newest))
