"""Noticing commits of other processes."""

from __future__ import annotations


class Silence:
    """News that never tells anything; polling finds everything a little later."""

    def close(self) -> None:
        pass
