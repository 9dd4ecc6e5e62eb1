"""Resets objects in a forked child, and keeps connections that it inherited from being closed."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def reset_in_child(owner: T, reset_after_fork: Callable[[T], None]) -> None:
    """Call ``reset_after_fork(owner)`` in every forked child as long as the owner lives, without keeping it alive."""
    reference = weakref.ref(owner)

    def in_child() -> None:
        living = reference()
        if living is not None:
            reset_after_fork(living)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=in_child)


def leak(carried: object) -> None:
    """Make sure that nothing, not even the end of the interpreter, frees the object."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(carried))
