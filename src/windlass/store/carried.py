"""Connections that came along through a fork.

A child that closed its parent's connection would drop locks and delete the log under it, so the child keeps them for
ever, also while the interpreter shuts down, and opens its own.
"""

from __future__ import annotations

import ctypes


def keep_for_ever(carried: object) -> None:
    """Make sure that nothing, not even the end of the interpreter, frees the object."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(carried))
