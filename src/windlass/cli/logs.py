"""Logging for commands; the library itself leaves it to the application."""

from __future__ import annotations

import logging

from windlass.cli.visible import visible
from windlass.errors import ConfigError
from windlass.settings import setting

_LEVELS = ("debug", "info", "warning", "error", "critical")


class VisibleFormatter(logging.Formatter):
    """Messages may quote job data, which must not steer the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


def set_up_logs(*, default: str, process: str = "") -> None:
    """Log to stderr from ``$WINDLASS_LOG`` on, unless the application has set up its own logging.

    ``process`` is how lines name this one, where several write to the same place.
    """
    level = (setting("log", None, default) or default).lower()
    if level not in _LEVELS:
        raise ConfigError(f"$WINDLASS_LOG must be one of {', '.join(_LEVELS)}, got {level!r}")
    root = logging.getLogger()
    if root.handlers:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(VisibleFormatter(f"%(asctime)s %(levelname)-7s {process}%(name)s: %(message)s"))
    root.addHandler(handler)
    root.setLevel(level.upper())
