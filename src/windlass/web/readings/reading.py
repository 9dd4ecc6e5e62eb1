"""What was read of a store, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What was read, and when that began."""

    value: T
    at: datetime
    apart: float
    """Seconds until the next one, at the least."""
