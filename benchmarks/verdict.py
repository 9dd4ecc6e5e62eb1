"""How a figure stands against what was wanted."""

from __future__ import annotations

from typing import Literal

Better = Literal["more", "less"]


def share(value: float, wanted: float, better: Better) -> float:
    """1 where the goal is just reached, more beyond it, less before it, whichever way is better."""
    if better == "more":
        return value / wanted
    return wanted / value if value > 0 else float("inf")


def verdict(value: float, wanted: float, better: Better) -> str:
    """``reached``, or how much of the goal was.

    >>> verdict(10.0, 8.0, "less")
    '80 % of goal'
    """
    reached = share(value, wanted, better)
    # Rounded down: 99.9 % is not the goal.
    return "reached" if reached >= 1 else f"{int(reached * 100)} % of goal"
