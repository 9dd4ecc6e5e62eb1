"""Dead letters in groups."""

from __future__ import annotations

from dataclasses import dataclass

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, full
from windlass.insight.diagnostics.failures import FailureGroup, FailureGroups
from windlass.insight.diagnostics.mutes import MuteView
from windlass.insight.json_forms import dead_groups
from windlass.insight.json_forms import mute as mute_form
from windlass.insight.redact import redacted_text

_TRENDS = {"new": "bold red", "rising": "bold red", "steady": "yellow", "falling": "yellow"}


@dataclass(frozen=True, slots=True)
class DeadGroups:
    """Jobs that failed in the same way, the largest group first."""

    groups: FailureGroups

    def data(self) -> object:
        return dead_groups(self.groups)

    def draw(self, screen: Screen) -> None:
        if not self.groups:
            screen.line("no dead letters")
            self._draw_mutes(screen)
            return
        columns = [
            Column(title="JOBS", is_number=True),
            Column(title="TASK", least=10),
            Column(title="REASON", may_go=True),
            Column(title="ERROR", least=10, good=24),
            Column(title="PLACE", least=12, may_go=True),
            Column(title="TREND"),
            Column(title="FIRST", is_number=True, may_go=True),
            Column(title="NEWEST", is_number=True),
            Column(title="GROUP"),
        ]
        screen.table(columns, [_row(group) for group in self.groups])
        if not self.groups.is_whole:
            screen.line(Styled(f"of the newest {self.groups.examined:,} dead letters; there are older ones", "dim"))
        self._draw_mutes(screen)

    def _draw_mutes(self, screen: Screen) -> None:
        for mute in self.groups.mutes:
            screen.line(Styled(_sentence(mute), "dim"))


@dataclass(frozen=True, slots=True)
class Muted:
    """A group that was muted."""

    mute: MuteView

    def data(self) -> object:
        return mute_form(self.mute)

    def draw(self, screen: Screen) -> None:
        screen.line(_sentence(self.mute))


def _sentence(mute: MuteView) -> str:
    until = "the next deploy" if mute.until is None else full(mute.until)
    return f"group {mute.cause} is muted until {until} by {mute.by}: {mute.reason}"


def _row(group: FailureGroup) -> list[Cell]:
    return [
        Styled(f"{group.count:,}", "bold red"),
        group.task,
        group.reason or "",
        redacted_text(f"{group.error or ''}: {group.message}") if group.message else group.error or "",
        group.place or "",
        Styled("muted", "dim") if group.mute is not None else Styled(group.trend, _TRENDS.get(group.trend, "dim")),
        "-" if group.oldest is None else age(group.oldest),
        "-" if group.newest is None else age(group.newest),
        group.cause or "-",
    ]
