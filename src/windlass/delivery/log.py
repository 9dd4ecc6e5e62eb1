"""The channel ``Log``."""

from __future__ import annotations

import logging

from windlass.core import validate
from windlass.delivery.channel import checked_name, checked_severity, is_urgent
from windlass.delivery.message import FIRED, RESOLVED, AlertMessage
from windlass.insight.redact import redacted_text

log = logging.getLogger("windlass.alerts")

_LEVELS = {"critical": logging.ERROR, "warning": logging.WARNING, "info": logging.INFO}


class Log:
    """Logs alerts, to the logger ``windlass.alerts``: critical ones as errors. What is used where nothing is said.

    >>> Log()
    <Log 'log'>
    """

    def __init__(self, *, severity: str = "info", resolved: bool = True, name: str = "log") -> None:
        self.name = checked_name(name)
        self._severity = checked_severity(severity, self.name)
        self._resolved = validate.flag(resolved, "resolved")

    def __repr__(self) -> str:
        return f"<Log {self.name!r}>"

    def takes(self, *, severity: str, kind: str) -> bool:
        return is_urgent(severity, least=self._severity) and (self._resolved or kind != RESOLVED)

    def send(self, message: AlertMessage) -> None:
        """Log one line."""
        level = _LEVELS.get(message.severity, logging.ERROR) if message.kind == FIRED else logging.INFO
        log.log(
            level,
            "%s",
            redacted_text(message.title),
            extra={
                "event": f"alert_{message.kind}",
                "event_id": message.event_id,
                "alert": message.alert_id,
                "rule": message.rule,
                "severity": message.severity,
                "scope": message.scope,
            },
        )
