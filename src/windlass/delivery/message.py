"""What a receiver is told about an alert."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field

from windlass import clock

FIRED = "fired"
RESOLVED = "resolved"
TEST = "test"

SEVERITIES = ("info", "warning", "critical")
"""From the lightest."""


class AlertMessage(Struct, frozen=True, kw_only=True):
    """One thing that happened to an alert. A receiver may get it more than once, always under the same ``event_id``."""

    event_id: str
    kind: str
    """``fired``, ``resolved`` or ``test``."""
    at: datetime
    rule: str
    severity: str
    """``info``, ``warning`` or ``critical``."""
    summary: str
    """One sentence."""
    alert_id: str = ""
    scope: str = ""
    """What it is about, as in ``queue mail``; empty: the whole store."""
    expression: str = ""
    """The rule's condition."""
    values: Mapping[str, float] = field(default_factory=dict)
    """What the rule measured."""
    store: str = ""
    """Which store, without passwords."""
    link: str = ""
    """Where a person can look at it, if that is known."""

    @property
    def title(self) -> str:
        """The first line that a person reads.

        >>> sample_message("windlass.db", number=7).title
        '[TEST] test: This is a test of how alerts are delivered. Nothing is wrong.'
        """
        label = {FIRED: self.severity, RESOLVED: "resolved"}.get(self.kind, self.kind)
        about = f"{self.rule} ({self.scope})" if self.scope else self.rule
        return f"[{label.upper()}] {about}: {self.summary}"


def sample_message(store: str, *, number: int, severity: str = "info", link: str = "") -> AlertMessage:
    """What ``windlass alerts test`` sends; ``number`` makes its id unique."""
    return AlertMessage(
        event_id=f"test-{number:032x}",
        kind=TEST,
        at=clock.instant(clock.now()),
        rule="test",
        severity=severity,
        summary="This is a test of how alerts are delivered. Nothing is wrong.",
        store=store,
        link=link,
    )
