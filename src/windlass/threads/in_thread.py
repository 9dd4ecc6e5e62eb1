"""Calls a blocking function from async code."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """``asyncio.to_thread``, for modules that sync programs import too."""
    import asyncio  # a sixth of our start-up, for sync programs in vain

    return await asyncio.to_thread(function, *args, **kwargs)
