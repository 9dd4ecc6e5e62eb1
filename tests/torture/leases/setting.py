"""What clients claim over HTTP: shared by those who enqueue it, those who run it and those who judge."""

from __future__ import annotations

from random import Random

REMOTE = "remote"
"""The task, and its queue, which no worker serves."""
LEASE = 3.0
"""Seconds for which a client has a job, unless it extends that."""

COMPLETES, FAILS, RELEASES, OVERSLEEPS = "completes", "fails", "releases", "oversleeps"
"""How a first run ends. One that oversleeps does not extend its lease, and completes when that is over: late."""


def arguments(draw: Random) -> tuple[float, str]:
    """How long a run takes, and how the first of them ends."""
    ending = draw.choice((COMPLETES, COMPLETES, COMPLETES, FAILS, FAILS, RELEASES, RELEASES, OVERSLEEPS))
    return draw.choice((0.0, 0.1, 0.5)) if ending != OVERSLEEPS else 2.0, ending
