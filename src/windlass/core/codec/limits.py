"""How large stored values may be."""

from __future__ import annotations

from dataclasses import dataclass, fields

from windlass.core.kinds import of_kind
from windlass.core.names import whole_number


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are bytes of UTF-8; a value of exactly the limit is stored. An error that is longer is cut.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:", limits=Limits(payload=64 * 1024))
    """

    payload: int = 1024 * 1024
    result: int = 1024 * 1024
    meta: int = 16 * 1024
    error: int = 64 * 1024
    depth: int = 64
    """Containers inside containers; checked on the way in and on the way out."""
    bulk: int = 10_000
    """How many jobs one call may enqueue."""

    def __post_init__(self) -> None:
        for limit in fields(self):
            whole_number(getattr(self, limit.name), f"Limits: {limit.name}", least=1)


def limits_from(setting: object) -> Limits:
    """What ``limits=`` was given, or the usual ones for None."""
    return Limits() if setting is None else of_kind(setting, Limits, "limits", example="Limits(payload=65536)")
