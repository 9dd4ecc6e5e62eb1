"""The bound on containers inside containers."""

from __future__ import annotations

from windlass.core.codec.refusal import Refusal


class TooDeep(Refusal):
    """Raised where no room is left; how much there was is known to whoever began."""

    def __init__(self) -> None:
        super().__init__("nested deeper than the limit, or contains itself")

    def name_limit(self, depth: int) -> None:
        self.reason = f"nested deeper than the limit of {depth} levels, or contains itself"


def inside(room: int) -> int:
    """The room that is left inside one more container; ``TooDeep`` if there is none."""
    if room <= 0:
        raise TooDeep
    return room - 1
