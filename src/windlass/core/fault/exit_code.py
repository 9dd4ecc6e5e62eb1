"""How a process ended that died: its exit code in words."""

from __future__ import annotations

import signal


def how_it_ended(code: int | None) -> str:
    """A clause for an exit code of ``subprocess`` or ``multiprocessing``; None where it is unknown.

    >>> how_it_ended(-11), how_it_ended(3)
    ('was killed by SIGSEGV', 'exited with code 3')
    """
    if code is None:
        return "was reaped elsewhere"
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal
        return f"was killed by signal {-code}"
