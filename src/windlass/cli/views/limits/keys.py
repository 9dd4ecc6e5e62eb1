"""Concurrency keys at a glance, and the limits of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age
from windlass.insight import json_forms
from windlass.insight.limits.keys import BusyKey, BusyKeyPage, ConcurrencyView
from windlass.store.operations.limits.concurrency import WAITING_COUNTED


@dataclass(frozen=True, slots=True)
class KeyList:
    """Keys that jobs hold, with how many do and how many wait."""

    keys: BusyKeyPage

    def data(self) -> object:
        return json_forms.busy_keys(self.keys)

    def draw(self, screen: Screen) -> None:
        if not self.keys:
            screen.line("no concurrency key is held")
            return
        columns = [
            Column(title="TASK", least=12),
            Column(title="KEY", least=12),
            Column(title="HELD", is_number=True),
            Column(title="OF", is_number=True),
            Column(title="WAITING", is_number=True),
            Column(title="HELD BY", may_go=True),
        ]
        screen.table(columns, [_row(key) for key in self.keys])
        if self.keys.next is not None:
            screen.line(f"more with --cursor {self.keys.next}")


def _row(key: BusyKey) -> list[Cell]:
    waiting = f"{key.waiting:,}{'+' if key.waiting >= WAITING_COUNTED else ''}"
    more = key.held - len(key.holders)
    held_by = ", ".join([*(id for id, _ in key.holders), *([f"{more:,} more"] if more > 0 else [])])
    return [
        key.task,
        key.key,
        f"{key.held:,}",
        f"{key.limit:,}",
        Styled(waiting, "yellow" if key.waiting else ""),
        held_by,
    ]


@dataclass(frozen=True, slots=True)
class KeyLimitList:
    """Tasks with how many of their jobs may hold the same key."""

    limits: Sequence[ConcurrencyView]

    def data(self) -> object:
        return json_forms.concurrencies(self.limits)

    def draw(self, screen: Screen) -> None:
        if not self.limits:
            screen.line("no task has a limit on its keys yet")
            return
        columns = [
            Column(title="TASK", least=12),
            Column(title="LIMIT", is_number=True),
            Column(title="CODE SAYS", is_number=True),
            Column(title="SET BY"),
            Column(title="WHEN"),
        ]
        screen.table(columns, [_limit_row(view) for view in self.limits])


def _limit_row(view: ConcurrencyView) -> list[Cell]:
    declared = "-" if view.declared is None else f"{view.declared:,}"
    return [view.task, f"{view.limit:,}", declared, view.changed_by or "code", age(view.changed_at)]
