"""Everything at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from windlass.cli.alerts.views import firing_line
from windlass.cli.terminal.screen import Cell, Screen, Styled
from windlass.cli.times import age
from windlass.cli.views.limits.limits import draw_cooldowns
from windlass.cli.views.queues import draw_queues, paused
from windlass.cli.views.style import STATE_STYLES
from windlass.cli.views.workers import draw_rounds, draw_workers
from windlass.core.state import State
from windlass.insight import json_forms
from windlass.insight.overview import Overview
from windlass.store.operations.rates.cooldowns import Scope
from windlass.version import VERSION

_NOTICES_SHOWN = 5
_NOTICE_STYLES = {"lost": "bold red", "emptied": "bold red"}


@dataclass(frozen=True, slots=True)
class Status:
    """The store, jobs by state, queues, workers, recent store events, and problems."""

    store: str
    overview: Overview
    firing: Mapping[str, int] = field(default_factory=dict)
    """How many alerts fire, by severity."""

    def data(self) -> object:
        return {**json_forms.overview(self.store, self.overview), "alerts": dict(self.firing)}

    def draw(self, screen: Screen) -> None:
        screen.line(Styled("Windlass", "bold"), f" {VERSION}  ", Styled(self.store, "dim"))
        screen.line(*self._counts())
        if screen.rows is not None:
            self._draw_warnings(screen)
        if self.overview.queues:
            screen.line("")
            draw_queues(screen, self.overview.queues)
        draw_cooldowns(screen, (view for view in self.overview.cooldowns if view.scope is not Scope.QUEUE))
        screen.line("")
        if self.overview.workers:
            draw_workers(screen, self.overview.workers)
        self._draw_leader(screen)
        self._draw_notices(screen)
        if screen.rows is None:
            self._draw_warnings(screen)

    def _draw_leader(self, screen: Screen) -> None:
        leader = self.overview.leader
        if leader is not None:
            screen.line("")
            screen.line("leader: ", Styled(leader.name, "bold"), f", since {age(leader.leads_since)}")
            draw_rounds(screen, leader)

    def _draw_warnings(self, screen: Screen) -> None:
        """Draw the problems where they are visible: at the top of a window, else at the end of the output."""
        for warning in self._warnings():
            screen.line(Styled(warning, "bold red"))
        if self.firing:
            screen.line(Styled(firing_line(self.firing), "bold red"))

    def _draw_notices(self, screen: Screen) -> None:
        if self.overview.notices:
            screen.line("")
            screen.line("noticed within the last 24 hours:")
        for notice in self.overview.notices[:_NOTICES_SHOWN]:
            by = f" (told by {notice.by})" if notice.by else ""
            screen.line("  ", Styled(notice.text, _NOTICE_STYLES.get(notice.kind, "yellow")), f", {age(notice.at)}{by}")
        if len(self.overview.notices) > _NOTICES_SHOWN:
            screen.line(f"  and {len(self.overview.notices) - _NOTICES_SHOWN} more: --json has them all")

    def _counts(self) -> list[Cell]:
        counted = [(state, count) for state, count in self.overview.counts.items() if count]
        if not counted:
            return ["no jobs yet"]
        cells: list[Cell] = []
        for state, count in counted:
            cells += [Styled(f"{count:,} {state}", STATE_STYLES[State(state)]), "   "]
        return cells[:-1]

    def _warnings(self) -> list[str]:
        warnings = self.overview.problems
        if self.overview.everywhere.paused:
            warnings.append(f"all queues are {paused(self.overview.everywhere)}")
        return warnings
