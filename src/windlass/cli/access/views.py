"""What ``windlass tokens`` and ``windlass audit`` print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.admin.access import IssuedToken
from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, second
from windlass.insight import json_forms
from windlass.insight.access.audit import AuditPage
from windlass.insight.access.tokens import TokenView


@dataclass(frozen=True, slots=True)
class NewTokenView:
    """A token that was just made: the only time that its text is shown."""

    token: IssuedToken

    def data(self) -> object:
        return {"token": self.token.text, **json_forms.token(self.token.view)}

    def draw(self, screen: Screen) -> None:
        view = self.token.view
        until = f", until {second(view.expires_at)}" if view.expires_at else ""
        screen.line(f"token {view.name} ({view.role}{_for_queues(view)}{until}); it is not shown again:")
        screen.line(self.token.text)


@dataclass(frozen=True, slots=True)
class TokenList:
    """All tokens, without their texts."""

    tokens: Sequence[TokenView]

    def data(self) -> object:
        return {"tokens": [json_forms.token(token) for token in self.tokens]}

    def draw(self, screen: Screen) -> None:
        if not self.tokens:
            screen.line("no tokens yet")
            return
        columns = [
            Column(title="TOKEN", least=12),
            Column(title="ROLE"),
            Column(title="STATE"),
            Column(title="USED"),
            Column(title="EXPIRES"),
            Column(title="QUEUES", least=8, may_go=True),
            Column(title="BY", may_go=True),
        ]
        screen.table(columns, [_row(token) for token in self.tokens])


@dataclass(frozen=True, slots=True)
class AuditList:
    """Who changed what to how many, the newest first."""

    page: AuditPage

    def data(self) -> object:
        return json_forms.audit(self.page)

    def draw(self, screen: Screen) -> None:
        if not self.page.entries:
            screen.line("nothing was changed yet")
            return
        columns = [
            Column(title="WHEN"),
            Column(title="WHO", least=8),
            Column(title="VIA"),
            Column(title="ACTION", least=8),
            Column(title="TARGET", least=8),
            Column(title="COUNT", is_number=True),
        ]
        rows = [
            [second(entry.at), entry.who, entry.via, entry.action, entry.target, f"{entry.count:,}"]
            for entry in self.page.entries
        ]
        screen.table(columns, rows)
        if self.page.next is not None:
            screen.line(f"more: --cursor {self.page.next}")


def _row(token: TokenView) -> list[Cell]:
    return [
        token.name,
        token.role,
        Styled(token.state, "" if token.state == "valid" else "red"),
        age(token.used_at),
        age(token.expires_at) if token.expires_at else "never",
        "all" if token.queues is None else ",".join(token.queues),
        token.revoked_by or token.created_by,
    ]


def _for_queues(token: TokenView) -> str:
    return f", queues {', '.join(token.queues)}" if token.queues else ""
