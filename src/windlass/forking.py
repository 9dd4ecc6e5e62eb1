"""What must not be carried over into a forked child: connections, threads, locks, counters."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def start_anew_in_child(owner: T, start_anew: Callable[[T], None]) -> None:
    """Call ``start_anew(owner)`` in every forked child, for as long as the owner lives, without keeping it alive."""
    reference = weakref.ref(owner)

    def in_child() -> None:
        living = reference()
        if living is not None:
            start_anew(living)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=in_child)
