"""The rates of tasks at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age
from windlass.cli.views.limits.limits import draw_cooldowns
from windlass.insight import json_forms
from windlass.insight.limits.tasks import TaskRateView


@dataclass(frozen=True, slots=True)
class TaskRateList:
    """Tasks with their rates, who has set them, and until when they cool down."""

    rates: Sequence[TaskRateView]

    def data(self) -> object:
        return json_forms.task_rates(self.rates)

    def draw(self, screen: Screen) -> None:
        if not self.rates:
            screen.line("no task has a rate yet")
            return
        columns = [
            Column(title="TASK", least=12),
            Column(title="RATE"),
            Column(title="BURST", is_number=True),
            Column(title="CODE SAYS"),
            Column(title="SET BY"),
            Column(title="WHEN", may_go=True),
        ]
        screen.table(columns, [_row(view) for view in self.rates])
        draw_cooldowns(screen, (cooldown for view in self.rates for cooldown in view.cooldowns))


def _row(view: TaskRateView) -> list[Cell]:
    return [
        Styled(view.task, "yellow" if view.cooldowns else ""),
        view.rate or "no limit",
        "-" if view.burst is None else f"{view.burst:,}",
        view.declared or "-",
        view.changed_by or "code",
        age(view.changed_at),
    ]
