"""What a module waits for when it is imported."""

from __future__ import annotations

from threading import Event

reached = Event()
opened = Event()
threads: list[str] = []
"""On which threads it was imported."""
made: list[object] = []
"""What was made of classes that a stored name named."""
