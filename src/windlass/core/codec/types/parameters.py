"""The parameters of a callable, without evaluating its annotations."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable

if sys.version_info >= (3, 14):
    import annotationlib


def parameters_of(function: Callable[..., object]) -> inspect.Signature:
    """TypeError or ValueError for built-in callables without a signature."""
    if sys.version_info >= (3, 14):
        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)
