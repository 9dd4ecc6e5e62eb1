"""Named limits and cool-downs at a glance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, length, second
from windlass.insight import json_forms
from windlass.insight.limits.cooldowns import CooldownView
from windlass.insight.limits.limits import LimitView
from windlass.insight.redact import redacted_text

_MOST_WAITERS = 1000


@dataclass(frozen=True, slots=True)
class LimitList:
    """Every limit with its rate, its tokens and how many callers wait."""

    limits: Sequence[LimitView]

    def data(self) -> object:
        return json_forms.limits(self.limits)

    def draw(self, screen: Screen) -> None:
        if not self.limits:
            screen.line("no limits yet")
            return
        columns = [
            Column(title="LIMIT", least=12),
            Column(title="RATE"),
            Column(title="BURST", is_number=True),
            Column(title="TOKENS", is_number=True),
            Column(title="NEXT", is_number=True),
            Column(title="WAITING", is_number=True),
            Column(title="SET BY", may_go=True),
        ]
        screen.table(columns, [_row(limit) for limit in self.limits])
        draw_cooldowns(screen, (limit.cooldown for limit in self.limits))


def _row(limit: LimitView) -> list[Cell]:
    waiting = f"{limit.waiting:,}{'+' if limit.waiting >= _MOST_WAITERS else ''}"
    return [
        Styled(limit.name, "yellow" if limit.cooldown else ""),
        limit.rate,
        f"{limit.burst:,}",
        f"{limit.tokens:,}",
        length(limit.next_in) if limit.next_in else "now",
        Styled(waiting, "yellow" if limit.waiting else ""),
        limit.changed_by or "code",
    ]


def draw_cooldowns(screen: Screen, cooldowns: Iterable[CooldownView | None]) -> None:
    """A line for each thing that cools down."""
    for cooldown in cooldowns:
        if cooldown is not None:
            name = f"{cooldown.scope} {cooldown.name}"
            screen.line("  ", Styled(name, "bold"), ": ", Styled(cooling(cooldown), "yellow"))


def cooling(cooldown: CooldownView) -> str:
    """Until when and why, in a few words."""
    reason = f": {redacted_text(cooldown.reason)}" if cooldown.reason else ""
    return f"cools down until {second(cooldown.until)} ({age(cooldown.until)}){reason}"
