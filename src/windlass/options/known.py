"""Checks the names of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windlass.client.hints import hint_for_option, nearest
from windlass.errors import ConfigError

UNSET: Any = object()
"""Not given, where None has a meaning of its own."""


def check_known(given: Mapping[str, Any], known: tuple[str, ...], what: str = "option") -> None:
    """Reject unknown names, and suggest the nearest one that exists."""
    for name in given:
        if name not in known:
            raise ConfigError(f"unknown {what} {name!r}; {hint_for_option(name) or nearest(name, known)}")
